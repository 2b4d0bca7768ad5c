"""Rows and columns: CSV, JSON lines, JSON histories, Parquet, and what frameworks make of them."""
