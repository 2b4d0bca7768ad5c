"""Runs of a fleet in ClickHouse: what the tables are, how they are filled, asked and read back."""
