"""The check before the flight: what `rv.watch(model, optimizer)` sees in the first updates."""
