"""RM005."""

from collections.abc import Iterator
from math import sqrt

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.change import level_shift
from runvitals.signals.crossing import Stretch
from runvitals.signals.robust import noise

MIN_POINTS = 24  # judgement
NEAR = 6  # points around a jump
MIN_JUMP = 8.0  # times the noise (judgement: scores of one model wander far)
TIMES_SLOPE = 4  # that a jump has to be, against the way of as many points before it
AT_ONCE = 0.6  # of it between two neighbouring points
OF_RANGE = 0.25  # of all the scores there were: half of their usual spread
TIMES_WITHOUT_LEVELS = 2  # as large, where the levels before and after wander
MIN_ACCURACIES = 12  # points
MIN_OF_ONE = 3  # points of each model
ANOTHER = 0.05  # of the pairs: smaller changes are another test set


@rule(
    "RM005",
    "rm-scores-shift-between-versions",
    severity="warning",
    needs=["rm/score_mean"],
    families=["llm-rl"],
)
def rm_scores_shift_between_versions(patient: Patient, *, jump: float = MIN_JUMP) -> Iterator[Hit]:
    """The reward model's scores change their level or spread from one step to the next.

    ## What it looks for
    Either of these:

    - `rm/score_mean` or `rm/score_std` jumps between two neighbouring points and stays there. The
      jump is at least eight times the noise (`jump`) and half of the level's own spread.
    - The recorded `rm/accuracy` changes for good during the run, which means another model.

    It is critical if a held-out score or the outcome falls.

    ## Why it matters
    A policy changes step by step. If scores jump, the judge changed: another version, normalisation
    or template. Reward curves before and after cannot be compared.

    ## Usual causes
    1. The reward model was swapped or retrained.
    2. The scores are normalised differently.
    3. The base model or template is different.

    ## What to try
    Score a frozen set of probe answers with both versions. Re-centre the scores. Compare ranks.

    ## When to ignore it
    A deliberate new version, with the critic reset.

    ## Sources
    Training Metrics Glossary (scores differ between versions).
    """
    found = _another_model(patient)
    for metric, words in (
        ("rm/score_mean", "mean score of the reward model"),
        ("rm/score_std", "spread of the reward model's scores"),
    ):
        series = patient.find(metric)
        if found is None and series is not None:
            found = _jump(series, words, jump)
    if found is None:
        return
    series, at, message = found
    yield Hit(
        series=series.name,
        span=Stretch(at, len(series) - 1, 0).span(series),
        message=f"{message} at step {int(series.steps[at]):,}",
        advice="score a frozen set of probe answers before and after that step",
        severity="critical" if _harms(patient) else None,
        causes=("reward model swapped", "scores normalised differently", "different template"),
    )


def _harms(patient: Patient) -> bool:
    return patient.health.falls


def _another_model(patient: Patient) -> tuple[Series, int, str] | None:
    """A recorded accuracy is a constant of the model: two constants are two models."""
    accuracy = patient.find("rm/accuracy")
    if accuracy is None or len(accuracy) < MIN_ACCURACIES:
        return None
    values = accuracy.values
    changes = np.flatnonzero(np.diff(values))
    if len(changes) != 1 or not MIN_OF_ONE <= changes[0] < len(values) - MIN_OF_ONE:
        return None
    at = int(changes[0]) + 1
    if abs(values[-1] - values[0]) < ANOTHER:
        return None
    words = f"the reward model's accuracy went from {values[0]:.2g} to {values[-1]:.2g}"
    return accuracy, at, words


def _jump(series: Series, words: str, least: float) -> tuple[Series, int, str] | None:
    values = series.values
    if len(values) < MIN_POINTS:
        return None
    shift = level_shift(values)
    steps = np.abs(np.diff(values))
    at = int(np.argmax(steps)) + 1
    if not NEAR <= at <= len(values) - NEAR:
        return None
    before, after = values[at - NEAR : at], values[at : at + NEAR]
    around = max(noise(values), float(np.std(before - np.mean(before))), 1e-12)
    size = abs(float(np.median(after) - np.median(before)))
    slope = abs(float(np.median(before[NEAR // 2 :]) - np.median(before[: NEAR // 2])))
    if size < max(least * around / sqrt(2), TIMES_SLOPE * slope, OF_RANGE * float(np.ptp(values))):
        return None
    unclear = shift is None and size < TIMES_WITHOUT_LEVELS * least * around
    if unclear or steps[at - 1] < AT_ONCE * size:
        return None
    return (
        series,
        at,
        f"the {words} jumped from {float(np.median(before)):.3g} to {float(np.median(after)):.3g}",
    )
