"""Rules about the value function."""
