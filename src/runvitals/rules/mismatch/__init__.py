"""Rules about trainer and rollout engine disagreeing."""
