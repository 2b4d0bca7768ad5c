"""Readers of what a model wrote: rollouts that trainers keep beside their metrics."""
