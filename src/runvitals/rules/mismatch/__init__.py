"""Rules about the trainer and the rollout engine disagreeing."""
