"""LOAD004."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity, Span
from runvitals.rules.load._shares import Shares, shares_of
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.late import TENTH, THIRD, points_in

STARTED_WITH = 0.8  # of all work at one place: nothing excuses it (judgement)
MOST = (
    0.65  # of all work at one place, in the first tenth (judgement: an even share is 0.33 or less)
)
GIVEN_UP = 0.15  # of an even share (judgement)
ONCE = 0.4  # of an even share: that much it had before (judgement)
MIN_POINTS = 30  # to tell what the policy learned from where it started (judgement)
MIN_FIRST, MIN_LATE = 5, 6  # points in the first tenth and the last third


@rule(
    "LOAD004",
    "action-distribution-skewed",
    severity="warning",
    needs=["policy/action_share"],
)
def action_distribution_skewed(patient: Patient, *, evenness: float = 0.7) -> Iterator[Hit]:
    """Work goes to a few replicas while the others are idle.

    ## What it looks for
    Only shares of replicas, servers, experts and the like, with at least three of them:

    - 80% of the work goes to one of them in the first tenth of the run (a warm start that did not
      take effect). This is a warning.
    - 65% of the work goes to one of them in the first tenth of the run.
    - In the last third, the entropy of the shares is below 0.7 of its maximum.
    - In the last third, one that had its share lost nearly all of it.

    The last three are notices while the outcome improves or holds, and warnings otherwise.

    ## Why it matters
    One overloaded replica builds up queues, whatever the others do.

    ## Usual causes
    1. The reward does not see the queue.
    2. Exploration is lost.
    3. Warm-start weights that were not loaded, or a bad teacher.
    4. Features of some replicas are missing from the state.
    5. The workload really is uneven.

    ## What to try
    Compare with the mix of requests and the speed of the replicas. Check that the checkpoint was
    loaded at step 0. Look at what the reward counts.

    ## When to ignore it
    Replicas have very different speeds, or only some of them can serve certain requests.

    ## Sources
    Training Monitoring Guide (shares near uniform; the first chunks after a warm start).
    """
    shares = shares_of(patient)
    if shares is None:
        return
    n, points = shares.table.shape
    tenth = points_in(points, TENTH, MIN_FIRST)
    third = points_in(points, THIRD, MIN_LATE)
    first = np.median(shares.table[:, :tenth], axis=1)
    late = np.median(shares.table[:, -third:], axis=1)
    severity: Severity | None = None
    if patient.health.good or patient.health.silent:
        severity = "notice"
    if float(first.max()) >= MOST:
        most = int(np.argmax(first))
        yield _hit(
            shares,
            slice(0, tenth),
            most,
            f"{first[most]:.0%} of the work went to 1 of {n} destinations in the first part of the run",
            None if first[most] >= STARTED_WITH else severity,
        )
        return
    if points < MIN_POINTS:
        return
    total = float(late.sum())
    used = late[late > 0] / total if total > 0 else np.ones(1)
    even = float(-(used * np.log(used)).sum() / np.log(n))
    lost = np.flatnonzero((late < GIVEN_UP / n) & (first >= ONCE / n))
    most = int(np.argmax(late))
    if even < evenness:
        message = f"{late[most]:.0%} of the work goes to 1 of {n} destinations in the last third"
        yield _hit(shares, slice(points - third, points), most, message, severity)
    elif len(lost):
        one = int(lost[0])
        message = (
            f"1 of {n} destinations gets {late[one]:.1%} of the work, down from {first[one]:.0%}"
        )
        yield _hit(shares, slice(points - third, points), one, message, severity)


def _hit(shares: Shares, where: slice, place: int, message: str, severity: Severity | None) -> Hit:
    steps = shares.steps[where]
    return Hit(
        series=shares.names[place],
        span=Span(int(steps[0]), int(steps[-1]), len(steps)),
        message=message,
        advice="compare with the mix of requests; check the reward and the warm start",
        severity=severity,
        causes=("the reward does not see the queue", "exploration is lost", "a failed warm start"),
    )
