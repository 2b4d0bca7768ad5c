"""Other trackers' stores: W&B, MLflow, Trackio, Sacred, Aim."""
