"""A loop of your own: logistic regression in NumPy."""

import numpy as np

import runvitals as rv

rng = np.random.default_rng(0)
x = rng.normal(size=(512, 8))
y = x @ rng.normal(size=8) > 0
weights, learning_rate = np.zeros(8), 0.1

with rv.init(
    project="own-loop", config={"learning_rate": learning_rate}, stop_on="critical"
) as run:
    for step in range(300):
        batch = rng.integers(len(x), size=64)
        p = 1 / (1 + np.exp(-x[batch] @ weights))
        loss = -np.mean(np.log(np.where(y[batch], p, 1 - p)))
        gradient = x[batch].T @ (p - y[batch]) / len(batch)
        weights -= learning_rate * gradient
        run.log({"train/loss": loss, "grad_norm": np.linalg.norm(gradient)}, step=step)
        if run.should_stop:
            break
