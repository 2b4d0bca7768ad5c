"""runwise: its anomaly detection over the history of a run, under its default keys."""

from __future__ import annotations

from benchmarks.rivals.log import EVAL_LOSS, GRAD_NORM, LOSS, SUPERVISED, Log, rows

PACKAGE = "runwise==0.4.0"
SCOPE = "training runs with a loss"
NEEDS = LOSS
NAMES = {
    "loss": LOSS,
    "val_loss": EVAL_LOSS,
    "grad_norm": GRAD_NORM,
    "steps_per_sec": ("throughput/updates_per_s", "throughput/env_steps_per_s"),
}


def in_scope(log: Log) -> bool:
    return log.kind in SUPERVISED


def ask(log: Log) -> list[str]:
    from runwise.anomalies import detect_anomalies

    found = detect_anomalies(rows(log.named(NAMES)))
    return [f"{one.type} {one.severity}" for one in found]
