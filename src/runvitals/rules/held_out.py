"""What training that looks good is held against: held-out data and scores, and passes over its data.

Held-out data and scores of what a model writes overrule it. After many passes over the same data, a
loss next to 0 is memory.
"""

import numpy as np

from runvitals.model import FloatArray, Series
from runvitals.rules.detectors import SURE, Detection, below
from runvitals.rules.outcome.course import FEW
from runvitals.rules.patient import Patient
from runvitals.signals.level import read_level

NEVER = 0.02  # a share of successes that is none
SCORES = (
    "eval/success_rate", "eval/mean_at_n", "eval/pass_at_k", "eval/win_rate", "eval/score_mean",
    "eval/lm/sequence_accuracy",
)  # fmt: skip
MIN_GAP = 0.12  # between accuracies; in healthy runs of the lab it is 0.05 at most


def does_well_elsewhere(patient: Patient) -> bool:
    """True if held-out data confirm that something useful was learned."""
    held_out = patient.held_out
    return held_out is not None and (
        held_out.course.good or (held_out.course.speaks and patient.health.good)
    )


def left_behind(mine: Series | None, held_out: Series | None, by: float) -> Detection | None:
    """Where a held-out accuracy is surely this far below the one in training, and no longer rises."""
    if mine is None or held_out is None or len(held_out) < FEW:
        return None
    trained, other = read_level(mine.values).end, read_level(held_out.values)
    rises = other.rose(by=by / 2, since=1 / 2) > 1 / 2
    chance = float(np.mean(trained - other.end > by))
    if rises or chance < SURE:
        return None
    half, right = len(held_out) // 2, float(np.median(other.end))
    before = float(np.median(trained))
    return Detection(held_out, half, len(held_out) - 1, right, before, chance=chance)


FIRST_PASS = 0.9  # of an epoch: until then all samples are new (judgement)
BY_HALF = 0.5  # of the first pass: before that little was learned to predict by
# The ten public fine-tuning logs that memorised went over their data 4 to 889 times and ended below
# 0.12 nats; the healthy ones stayed above 0.15 or within three passes, or did well on held-out data.
FEW_PASSES = 3.0
BY_HEART = 0.15  # nats per token or pair


def passes(patient: Patient) -> float:
    """How often the data were seen; 0 if unknown."""
    seen = patient.find("progress/epoch")
    if seen is not None:
        return seen.last
    planned, progress = patient.number("total_epochs"), patient.progress
    return planned * progress if planned is not None and progress is not None else 0.0


def known_by_heart(patient: Patient, loss: Series, limit: float | None) -> Detection | None:
    """Where next to nothing is left of a training loss, if only memory can be the reason."""
    limit = BY_HEART if limit is None else limit
    if passes(patient) <= FEW_PASSES or does_well_elsewhere(patient):
        return None
    learned = float(loss.values.min()) >= 0 and loss.values.any()
    if not learned or _is_foretold(patient, loss, limit):
        return None
    return below(loss, limit, for_share=0.0, to_end=True)


def _seen_at(patient: Patient, series: Series) -> FloatArray | None:
    """How often the data had been seen at each point of a series; None if nobody knows."""
    epoch = patient.find("progress/epoch")
    if epoch is None or not np.any(epoch.values % 1):  # counted in whole epochs
        return None
    passed = np.interp(series.steps, epoch.steps, epoch.values)
    return passed - min(float(np.floor(epoch.values[0])), 1.0)


def _is_foretold(patient: Patient, loss: Series, limit: float) -> bool:
    """Whether samples were predicted that well before they had been seen: late in the first pass.

    What the model knows of samples it has not seen yet is not memory: copying, sorting, formats.
    """
    seen = _seen_at(patient, loss)
    if seen is None:
        return False
    new = loss.values[(seen >= BY_HALF * FIRST_PASS) & (seen < FIRST_PASS)]
    return len(new) > 0 and float(np.median(new)) <= limit
