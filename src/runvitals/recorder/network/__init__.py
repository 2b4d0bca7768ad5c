"""Deeper vitals of a network in training: what `rv.watch(model, optimizer)` measures and checks."""
