"""Rules about temperature controllers."""
