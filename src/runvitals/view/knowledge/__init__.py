"""The catalog and the rule book as pages."""
