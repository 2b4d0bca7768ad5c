"""Rules: one a file, foldered by family. See `registry.rule`."""
