"""Runs as tables: of a folder in DuckDB, of a fleet in ClickHouse; filled, asked and read back."""
