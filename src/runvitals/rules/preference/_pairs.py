"""What the rules about preferences ask first: is there a reference, and how strong is beta?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runvitals.signals.pairs import aligned

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

WITHOUT_REFERENCE = ("SIMPO", "ORPO", "CPO")
MIN_POINTS = 3
NO_LOGPROB = 1e-6  # nats: nothing to divide by
ONE_RATIO = 0.02  # off the usual ratio of reward to log-probability, which a reference would upset
MIN_RATES = 8  # points of the learning rate
STILL_TOP, STILL_RISES = 0.99, 1.5  # of its highest value; times that half way
LATE_START = 3.0  # intervals before the first row: there were others before it


def is_kto(patient: Patient) -> bool:
    """Whether single good and bad samples are judged, and no pairs."""
    return patient.algorithm.startswith("KTO") or "kto" in loss_type(patient)


def loss_type(patient: Patient) -> str:
    """As configured, in lower case; empty if unknown."""
    for key, value in patient.run.config.items():
        if str(key).rpartition(".")[2] in ("loss_type", "pref_loss", "method"):
            return str(value).lower()
    return ""


def reference_free(patient: Patient) -> bool:
    """Whether the loss knows no reference model, so that margins need not start at 0."""
    if patient.algorithm.startswith(WITHOUT_REFERENCE):
        return True
    if any(word.lower() in loss_type(patient) for word in WITHOUT_REFERENCE):
        return True
    if any(
        str(key).rpartition(".")[2] == "reference_free" and value is True
        for key, value in patient.run.config.items()
    ):
        return True
    if patient.find("preference/log_odds_ratio", "preference/log_odds_chosen") is not None:
        return True
    reward, logp = (
        patient.find("preference/chosen_reward"),
        patient.find("preference/chosen_logprob"),
    )
    if reward is None or logp is None:
        return False
    _, rewards, logps = aligned(reward, logp)
    used = np.abs(logps) > NO_LOGPROB
    if used.sum() < MIN_POINTS:
        return False
    ratio = rewards[used] / logps[used]
    middle = float(np.median(ratio))
    return middle > 0 and float(np.median(np.abs(ratio - middle))) < ONE_RATIO * middle


def beta_of(patient: Patient) -> float | None:
    """The temperature of the loss, as logged or as configured."""
    logged = patient.find("preference/beta")
    found = logged.last if logged is not None else patient.number("preference_beta")
    if found is None and isinstance(patient.run.config.get("beta"), int | float):
        found = float(patient.run.config["beta"])
    return found if found is not None and found > 0 else None


def epochs(patient: Patient) -> float:
    """How often the data were seen; 0 if unknown."""
    seen = patient.find("progress/epoch")
    return 0.0 if seen is None else seen.last


def warms_up(patient: Patient) -> bool:
    """Whether the learning rate still rises at the end: too early to ask for results."""
    rate = patient.find("optim/learning_rate")
    if rate is None or len(rate) < MIN_RATES:
        return False
    half_way = float(rate.values[len(rate) // 2])
    return rate.last >= STILL_TOP * float(rate.values.max()) > STILL_RISES * half_way


def is_resumed(patient: Patient) -> bool:
    """Whether the run goes on from a checkpoint, so that its first point is not its beginning."""
    if any(
        "resume" in str(key).lower() and value not in (None, False, "", "None", "none", "never")
        for key, value in patient.run.config.items()
    ):
        return True
    series = patient.find("preference/loss", "preference/margin")
    if series is None or len(series) < MIN_POINTS:
        return False
    interval = float(np.median(np.diff(series.steps)))
    return float(series.steps[0]) > LATE_START * max(1.0, interval)
