"""Rules that ask whether a gain in reward is real."""
