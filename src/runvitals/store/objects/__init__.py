"""Places beyond this machine: buckets and shared folders, as named objects."""
