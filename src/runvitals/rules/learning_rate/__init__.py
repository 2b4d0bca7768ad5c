"""The learning rate."""
