"""Rules about held-out evaluation."""
