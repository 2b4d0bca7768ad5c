"""Which series is the loss of supervised training, and how well it can be trusted to be that."""

from __future__ import annotations

from runvitals.model import Series
from runvitals.rules.patient import Patient

OTHER_TRAINING = ("reward/", "outcome/", "advantage/", "policy/", "value/", "explore/")


def training_loss(patient: Patient) -> Series | None:
    """The token loss; a loss without a known meaning only where nothing speaks for another training."""
    if (series := patient.find("lm/loss")) is not None:
        return series if patient.kind in ("sft", "unknown") else None
    if patient.kind not in ("sft", "unknown"):
        return None
    if any(metric.startswith(OTHER_TRAINING) for metric in patient.run.metrics()):
        return None
    supervised = patient.kind == "sft" or "eval/loss" in patient.run or _by_framework(patient)
    return patient.find("optim/loss") if supervised else None


def _by_framework(patient: Patient) -> bool:
    return (patient.run.framework or "").lower() in (
        "transformers",
        "trl",
        "llamafactory",
        "axolotl",
    )
