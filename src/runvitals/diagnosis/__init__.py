"""Picks and runs rules, and makes one story of what they say."""
