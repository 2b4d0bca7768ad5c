"""Accelerate: a tracker like any other, and a loop that heeds the findings."""

import torch
from accelerate import Accelerator

from runvitals.integrations.accelerate import register

register()
accelerator = Accelerator(cpu=True, log_with="runvitals")
settings = {"learning_rate": 0.1, "batch_size": 64}
accelerator.init_trackers("points", settings, init_kwargs={"runvitals": {"stop_on": "critical"}})
tracker = accelerator.get_tracker("runvitals")

model = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=settings["learning_rate"])
model, optimizer = accelerator.prepare(model, optimizer)
for step in range(200):
    x = torch.randn(settings["batch_size"], 8)
    loss = torch.nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    accelerator.backward(loss)
    norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    accelerator.log({"train/loss": loss, "train/grad_norm": norm}, step=step)
    if tracker.should_stop:
        break
accelerator.end_training()
