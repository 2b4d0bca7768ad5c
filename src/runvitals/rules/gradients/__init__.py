"""Gradients."""

NORMS = "optim/grad_norm|policy/grad_norm|rm/grad_norm"
