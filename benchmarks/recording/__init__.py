"""What `log()`, the store, the exporters and the metrics cost, and what a run survives."""
