"""Gradients."""
