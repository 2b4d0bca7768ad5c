"""runmedic: `runmedic diagnose` on a JSON-lines table, names as its own patterns know them."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.rivals.log import EVAL_LOSS, GRAD_NORM, LEARNING_RATE, LOSS, SUPERVISED, Log, rows

PACKAGE = "runmedic==0.1.1"
SCOPE = "training runs with a loss; its checks are about supervised training"
NEEDS = LOSS
NAMES = {
    "train_loss": LOSS,
    "val_loss": EVAL_LOSS,
    "lr": LEARNING_RATE,
    "grad_norm": GRAD_NORM,
    "gpu_util": ("system/gpu_utilization_percent",),
    "gpu_memory_allocated": ("system/gpu_memory_allocated_gb",),
    "host_memory": ("system/process_memory_gb",),
    "step_time": ("time/step_s",),
    "data_time": ("time/data_s",),
    "samples_per_second": ("throughput/samples_per_s", "throughput/env_steps_per_s"),
}


def in_scope(log: Log) -> bool:
    return log.kind in SUPERVISED


def ask(log: Log) -> list[str]:
    from runmedic import loaders, roles
    from runmedic.checks import run_checks

    path = Path("log.jsonl")
    path.write_text("\n".join(json.dumps(row) for row in rows(log.named(NAMES))))
    [run] = loaders.load(str(path))
    found = run_checks(run, roles.detect(run))
    return [one.check for one in found if one.severity in ("warning", "critical")]
