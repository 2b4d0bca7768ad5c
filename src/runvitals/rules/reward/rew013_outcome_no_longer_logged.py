from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import Hit, Patient, Series, Span, rule
from runvitals.rules.outcome.roles import HELD_OUT, ROLES

MISSED, MISSED_LONGEST = 5, 3  # times its usual distance; times the longest there ever was
MIN_COVERED, MAX_COVERED = 0.1, 0.75  # of the steps: below, it counts something else than steps
# what a trainer that logs it once logs until the end
LOGGED_THROUGHOUT = tuple(
    role.metric
    for role in ROLES
    if role.metric.startswith(("outcome/", "reward/", HELD_OUT))
    and role.metric != "eval/exploitability"
)
TOGETHER = 0.9  # of its rows, in which another metric was logged too, to go by it (judgement)


@rule("REW013", families=(), needs=["|".join(LOGGED_THROUGHOUT)])
def outcome_no_longer_logged(patient: Patient) -> Hit | None:
    """The outcome is no longer logged while training continues.

    ## What it looks for
    A return, reward, success rate or evaluation that stops before the last quarter of the steps that
    other metrics of its rows cover. The gap has to be five times its usual interval and three times
    its longest. It is a notice if another outcome is still logged.

    Another metric counts if it was logged in the same rows as the outcome and its values go up and
    down, as those of a counter or a clock do not. An outcome that stops within the first tenth is
    taken for one that is counted in other units, such as episodes beside steps.

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
    ends = {one.name: end for one in series if (end := _end_without(patient, one)) is not None}
    ended = [one for one in series if one.name in ends]
    if not ended:
        return None
    worst = min(ended, key=lambda one: one.metric is not None and one.metric.startswith(HELD_OUT))
    last, end = int(worst.steps[-1]), ends[worst.name]
    return Hit(
        series=worst.name,
        span=Span(last, end, 1),
        message=f"{worst.name} is not logged after step {last:,}, although training continued to "
        f"step {end:,}",
        advice=f"check what else changed at step {last:,}, and whether episodes still end",
        severity="notice" if len(ended) < len(series) else None,
        causes=("episodes no longer end", "a worker died", "its logging stopped"),
        also=tuple(one.name for one in ended if one is not worst),
    )


def _end_without(patient: Patient, outcome: Series) -> int | None:
    """The step to which training went on without this outcome; None if it did not."""
    apart = np.diff(np.unique(outcome.steps))
    if len(apart) < 2:
        return None
    first, last = int(outcome.steps[0]), int(outcome.steps[-1])
    end = max((int(one.steps[-1]) for one in _companions(patient, outcome, last)), default=last)
    covered = (last - first) / max(1, end - first)
    missed = end - last > max(MISSED * float(np.median(apart)), MISSED_LONGEST * float(apart.max()))
    return end if missed and MIN_COVERED < covered < MAX_COVERED else None


def _companions(patient: Patient, outcome: Series, last: int) -> Iterator[Series]:
    """What was measured whenever the outcome was logged, and several times since."""
    axis = patient.run.counted_by.get  # equal steps say nothing where one counts something else
    for name in patient.run.names():
        one = patient.find(name)
        if one is None or (one.steps > last).sum() < 5 or axis(one.name) != axis(outcome.name):
            continue
        moves = np.ptp(np.sign(np.diff(one.values))) == 2  # no setting, counter or clock
        if moves and float(np.isin(outcome.steps, one.steps).mean()) >= TOGETHER:
            yield one
