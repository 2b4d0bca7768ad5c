"""Rules about outcome and reward."""
