"""Pre-flight checks: what `rv.watch(model, optimizer)` sees in the first updates."""
