"""The value function."""
