"""training-doctor: `Doctor().load(csv).analyze()`, columns as its README names them."""

from __future__ import annotations

import csv

from benchmarks.rivals.log import EVAL_LOSS, GRAD_NORM, LEARNING_RATE, LOSS, SUPERVISED, Log, rows

PACKAGE = "training-doctor==0.1.0"
SCOPE = "deep learning runs with a loss"
NEEDS = LOSS
NAMES = {"loss": LOSS, "eval_loss": EVAL_LOSS, "lr": LEARNING_RATE, "grad_norm": GRAD_NORM}


def in_scope(log: Log) -> bool:
    return log.kind in SUPERVISED


def ask(log: Log) -> list[str]:
    from training_doctor import Doctor

    with open("log.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["step", *NAMES])
        writer.writeheader()
        writer.writerows(rows(log.named(NAMES)))
    doctor = Doctor().set_auto_print(False).load("log.csv")
    found = doctor.analyze()
    return [one.problem for one in found if one.severity.value in ("warning", "critical")]
