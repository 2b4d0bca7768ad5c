"""Other trackers' stores: W&B, MLflow, Trackio, Aim."""
