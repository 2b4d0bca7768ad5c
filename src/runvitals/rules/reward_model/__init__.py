"""Rules about reward models."""
