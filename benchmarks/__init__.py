"""Figures about speed and size: ratios against peers, measured in one run on this machine."""
