"""A script that logs to W&B: only the import was changed, and nothing leaves the machine."""

import math

import runvitals.integrations.wandb as wandb  # was: import wandb

wandb.init(project="classifier", config={"learning_rate": 0.01, "batch_size": 32})
wandb.define_metric("epoch")
for step in range(200):
    wandb.log({"train/loss": 0.1 + math.exp(-step / 40), "epoch": step / 50})
wandb.summary["note"] = "a made-up curve"
wandb.finish()
