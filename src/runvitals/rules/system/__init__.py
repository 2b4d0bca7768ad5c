"""Rules about memory, devices and external costs."""
