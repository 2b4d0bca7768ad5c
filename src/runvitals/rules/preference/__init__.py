"""Rules about learning from preferences (DPO, KTO and similar methods)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome.course import course
from runvitals.signals.level import Level, read_level

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

WITHOUT_REFERENCE = ("SIMPO", "ORPO", "CPO")
LOSS = ("loss_type", "pref_loss", "method")  # settings that name it
USUAL_BETA = 0.1  # TRL's default


def is_kto(patient: Patient) -> bool:
    """Whether single good and bad samples are judged, and no pairs."""
    return patient.algorithm.startswith("KTO") or "kto" in str(_config(patient, *LOSS)).lower()


def reference_free(patient: Patient) -> bool:
    """Whether the loss knows no reference model, so that margins need not start at 0."""
    names = (patient.algorithm, str(_config(patient, *LOSS)).upper())
    if any(word in name for name in names for word in WITHOUT_REFERENCE):
        return True
    if _config(patient, "reference_free") is True:
        return True
    return patient.find("preference/log_odds_ratio", "preference/log_odds_chosen") is not None


def _config(patient: Patient, *names: str) -> object:
    """A setting by the last part of its key; None if there is none."""
    config = patient.run.config.items()
    return next((value for key, value in config if str(key).rpartition(".")[2] in names), None)


def beta_of(patient: Patient) -> float:
    """The temperature of the loss, as logged or as configured, else the usual one."""
    logged = patient.find("preference/beta")
    found = logged.last if logged is not None else patient.number("preference_beta")
    if found is None and isinstance(patient.run.config.get("beta"), int | float):
        found = float(patient.run.config["beta"])
    return found if found is not None and found > 0 else USUAL_BETA


def samples_do_well(patient: Patient) -> bool:
    """Whether a held-out score of what the model writes got better: that is what pairs are for."""
    score = patient.find(*SCORES)
    return score is not None and course(score.values, "rate", ceiling=1.0).good


class ChosenLikelihood(NamedTuple):
    """How likely the chosen answers are: a level, its unit, and its size at the start in nats."""

    series: Series
    level: Level
    per_nat: float
    size: float

    @property
    def lost(self) -> FloatArray:
        """Nats since the best level, for each draw."""
        return (self.level.best - self.level.end) / self.per_nat

    def lost_by(self, step: int) -> float:
        """Nats from the start to a step."""
        at = min(int(self.series.steps.searchsorted(step)), len(self.series) - 1)
        return float(np.median(self.level.start) - self.level.curve[at]) / self.per_nat


def chosen_answers(patient: Patient) -> ChosenLikelihood | None:
    """How likely the chosen answers are: against the reference if there is one, as lengths differ."""
    logp = patient.find("preference/chosen_logprob")
    reward = patient.find("preference/chosen_reward")
    level = None if logp is None else read_level(logp.values)
    size = 1.0 if level is None else max(1.0, abs(float(np.median(level.start))))
    if reward is not None and not reference_free(patient):
        return ChosenLikelihood(reward, read_level(reward.values), beta_of(patient), size)
    return None if logp is None or level is None else ChosenLikelihood(logp, level, 1.0, size)
