"""What the user expects of a run."""
