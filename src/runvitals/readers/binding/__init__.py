"""What the names and settings of a run mean, by the catalog and by what lies beside the log."""
