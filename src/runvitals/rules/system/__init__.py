"""Rules about memory, devices and what is paid for outside."""
