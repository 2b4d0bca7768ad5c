"""Rules about supervised fine-tuning."""

from runvitals.model import Series
from runvitals.rules.learning_rate.used import OF_TRANSFORMERS
from runvitals.rules.patient import Patient

OTHER_TRAINING = ("reward/", "outcome/", "advantage/", "policy/", "value/", "explore/")


def training_loss(patient: Patient) -> Series | None:
    """The token loss; a loss without a known meaning only where nothing speaks for another training."""
    if (series := patient.find("lm/loss")) is not None:
        return series if patient.kind in ("sft", "unknown") else None
    if patient.kind not in ("sft", "unknown"):
        return None
    metrics = patient.run.metrics()
    if any(metric.startswith(OTHER_TRAINING) for metric in metrics):
        return None
    by_framework = (patient.run.framework or "").lower() in OF_TRANSFORMERS
    said = "eval/loss" in metrics or any(metric.startswith("supervised/") for metric in metrics)
    supervised = patient.kind == "sft" or said or by_framework
    return patient.find("optim/loss") if supervised else None
