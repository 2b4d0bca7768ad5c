"""trainproof: `trainproof epoch` on a JSON-lines log, columns as its README names them."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.rivals.log import EVAL_LOSS, GRAD_NORM, LEARNING_RATE, LOSS, SUPERVISED, Log, rows

PACKAGE = "trainproof==0.22.0"
SCOPE = "training runs with a loss; its examples are supervised"
NEEDS = LOSS
NAMES = {
    "loss": LOSS,
    "eval_loss": EVAL_LOSS,
    "lr": LEARNING_RATE,
    "grad_norm": GRAD_NORM,
    "time": ("time/elapsed_s",),
    "step_time": ("time/step_s",),
    "loader_time": ("time/data_s",),
    "gpu_util": ("system/gpu_utilization_percent",),
}


def in_scope(log: Log) -> bool:
    return log.kind in SUPERVISED


def ask(log: Log) -> list[str]:
    from trainproof.epoch import check_epoch

    path = Path("log.jsonl")
    path.write_text("\n".join(json.dumps(row) for row in rows(log.named(NAMES))))
    found = check_epoch(path)["findings"]
    return [one["id"] for one in found if one["level"] in ("WARN", "FAIL")]
