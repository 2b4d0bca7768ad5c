"""What differs between runs: settings, outcome with its uncertainty, health and speed."""
