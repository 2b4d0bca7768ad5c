"""Names of no known tool, read by their words."""
