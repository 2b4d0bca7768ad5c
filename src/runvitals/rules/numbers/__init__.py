"""Numbers that cannot be, or are none."""
