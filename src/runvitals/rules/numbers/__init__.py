"""Rules about values that are not numbers, or cannot be right."""
