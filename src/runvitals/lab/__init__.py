"""Small real trainers in NumPy that learn in seconds and log everything they know."""
