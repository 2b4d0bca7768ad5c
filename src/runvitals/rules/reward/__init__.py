"""Outcome and reward."""
