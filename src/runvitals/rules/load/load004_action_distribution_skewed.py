import numpy as np

from runvitals.rules.kit import Hit, Patient, Span, rule
from runvitals.rules.load import Shares, shares_of
from runvitals.signals.late import TENTH, THIRD, points_in

STARTED_WITH = 0.8  # of all work at one place: nothing excuses it (judgement)
MOST = 0.65  # of all work at one place at first (judgement: an even share is 0.33 or less)


@rule("LOAD004", needs=["policy/action_share"], min_points=30, excused_by_outcome=True)
def action_distribution_skewed(patient: Patient, *, evenness: float = 0.7) -> Hit | None:
    """Work goes to a few replicas while the others are idle.

    ## What it looks for
    Only shares of replicas, servers, experts and the like, with at least three of them:

    - 80% of the work goes to one of them in the first tenth of the run (a warm start that did not
      take effect). This is a warning.
    - 65% of the work goes to one of them in the first tenth of the run.
    - In the last third, the entropy of the shares is below 0.7 of its maximum.
    - In the last third, one of them is down to a tenth of what it had.

    The last three are notices while the outcome does well, and warnings otherwise.

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
        return None
    n, points = shares.table.shape
    tenth, third = points_in(points, TENTH), points_in(points, THIRD)
    first = np.median(shares.table[:, :tenth], axis=1)
    late = np.median(shares.table[:, -third:], axis=1)
    begin, end = slice(0, tenth), slice(points - third, points)
    most = int(np.argmax(first))
    if first[most] >= MOST:
        message = f"{first[most]:.0%} of the work went to 1 of {n} destinations in the first part"
        return _hit(shares, begin, most, f"{message} of the run", first[most] >= STARTED_WITH)
    used = late[late > 0] / late.sum()
    even = float(-(used * np.log(used)).sum() / np.log(n))
    most, lost = int(np.argmax(late)), int(np.argmin(late / np.maximum(first, 0.5 / n)))
    if even < evenness:
        message = f"{late[most]:.0%} of the work goes to 1 of {n} destinations in the last third"
        return _hit(shares, end, most, message)
    elif late[lost] < first[lost] / 10:
        message = f"1 of {n} destinations gets {late[lost]:.1%} of the work, down from "
        return _hit(shares, end, lost, message + f"{first[lost]:.0%}")
    return None


def _hit(
    shares: Shares, where: slice, place: int, message: str, beyond_excuse: bool = False
) -> Hit:
    steps = shares.steps[where]
    return Hit(
        series=shares.names[place],
        span=Span(int(steps[0]), int(steps[-1]), len(steps)),
        message=message,
        advice="compare with the mix of requests; check the reward and the warm start",
        causes=("the reward does not see the queue", "exploration is lost", "a failed warm start"),
        beyond_excuse=beyond_excuse,
    )
