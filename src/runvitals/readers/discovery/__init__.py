"""Which files are logs, and which of them belong to one run."""
