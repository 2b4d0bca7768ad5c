"""What a fleet costs: filling and asking an index, judging thousands of runs and judging them again."""
