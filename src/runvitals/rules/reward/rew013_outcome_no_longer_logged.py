"""REW013."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.outcome.roles import HELD_OUT, LOGGED_THROUGHOUT
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

# what is only logged while a model is trained
TRAINING = ("policy/", "value/", "optim/", "advantage/", "lm/", "preference/", "rm/", "explore/")
MIN_SHARE = 0.25  # of the run that lacks it
MISSED, MISSED_LONGEST = 5, 3  # times its usual distance; times the longest there ever was
MIN_BEFORE, MIN_AFTER = 3, 5  # points of it; points of others after its last
TOGETHER = 0.9  # of its rows, in which an unknown name was logged too, to go by it (judgement)


@rule("REW013", "outcome-no-longer-logged", severity="warning", needs=["|".join(LOGGED_THROUGHOUT)])
def outcome_no_longer_logged(patient: Patient) -> Iterator[Hit]:
    """The outcome is no longer logged while training continues.

    ## What it looks for
    A return, reward, success rate or evaluation that stops before the last quarter of the steps
    that losses and other training metrics cover. The gap has to be five times its usual interval
    and three times its longest. It is a notice if another outcome is still logged.

    A name whose meaning is unknown counts as a training metric if it was logged in the same rows as
    the outcome and its values go up and down, as those of a counter or a clock do not.

    ## Why it matters
    Everything said about the outcome only holds up to that step. What came after is unknown: an
    episode that never ends, an evaluation that fails, a worker that died.

    ## Usual causes
    1. Episodes no longer end, so none is ever counted.
    2. The environment or evaluation worker died or hangs, and the learner continues on old data.
    3. The metric was renamed, or its logging depends on a condition that no longer holds.

    ## What to try
    Look at the step where it ends: what else changed there? Log the episode length and the age of
    the data.

    ## When to ignore it
    A second phase of training that has another outcome.

    ## Sources
    Our own experience; follows from what the other rules rest on.
    """
    series = [one for metric in LOGGED_THROUGHOUT if (one := patient.find(metric)) is not None]
    ended = [one for one in series if _has_ended(patient, one)]
    if not ended or not series:
        return
    worst = min(ended, key=lambda one: one.metric is not None and one.metric.startswith(HELD_OUT))
    others = [one for one in series if not any(one is other for other in ended)]
    severity: Severity | None = "notice" if others else None
    last, end = int(worst.steps[-1]), _end(patient, worst)
    yield Hit(
        series=worst.name,
        span=Span(last, end, 1),
        message=f"{worst.name} is not logged after step {last:,}, although training continued to "
        f"step {end:,}",
        advice=f"check what else changed at step {last:,}, and whether episodes still end",
        severity=severity,
        causes=("episodes no longer end", "a worker died", "its logging stopped"),
        also=tuple(one.name for one in ended if one is not worst),
    )


def _has_ended(patient: Patient, outcome: Series) -> bool:
    if len(outcome) < MIN_BEFORE:
        return False
    first, last, end = int(outcome.steps[0]), int(outcome.steps[-1]), _end(patient, outcome)
    apart = np.diff(outcome.steps)
    apart = apart[apart > 0]
    if not len(apart) or end - last < MIN_SHARE * (end - min(first, _begin(patient))):
        return False
    return end - last > max(MISSED * float(np.median(apart)), MISSED_LONGEST * float(apart.max()))


def _others(patient: Patient) -> Iterator[Series]:
    for metric in patient.run.metrics():
        if metric.startswith(TRAINING) and (series := patient.find(metric)) is not None:
            yield series


def _companions(patient: Patient, outcome: Series) -> Iterator[Series]:
    """What nobody knows the meaning of, but was measured whenever the outcome was logged."""
    if patient.last_step <= outcome.steps[-1]:
        return
    for name in patient.run.names():
        if name in patient.run.bindings or (series := patient.find(name)) is None:
            continue
        changes = np.diff(series.values)
        if (changes >= 0).all() or (changes <= 0).all():
            continue  # a setting, a counter or a clock
        if float(np.isin(outcome.steps, series.steps).mean()) >= TOGETHER:
            yield series


def _end(patient: Patient, outcome: Series) -> int:
    """The last step that several points of training metrics cover."""
    last = int(outcome.steps[-1])
    beside = (*_others(patient), *_companions(patient, outcome))
    ends = [int(one.steps[-1]) for one in beside if (one.steps > last).sum() >= MIN_AFTER]
    return max(ends, default=last)


def _begin(patient: Patient) -> int:
    return min((int(one.steps[0]) for one in _others(patient)), default=0)
