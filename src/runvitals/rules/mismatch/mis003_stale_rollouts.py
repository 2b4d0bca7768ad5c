"""MIS003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above
from runvitals.signals.late import QUARTER
from runvitals.signals.trend import trend

BOUNDS = ("staleness_threshold", "max_staleness", "max_off_policy_steps", "max_async_level")
DEFAULT_LIMIT = 4.0  # weight versions (judgement)
MIN_POINTS = 12  # judgement
NEED = 6  # of 10 points: the mean age comes and goes with the longest rollouts
FAR_BEYOND = 2.0  # times the limit (judgement)


@rule(
    "MIS003",
    "stale-rollouts",
    severity="notice",
    needs=["async/staleness_mean"],
    families=["rl"],
)
def stale_rollouts(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The policy is trained on samples from much older weights.

    ## What it looks for
    `async/staleness_mean` in 6 of 10 steps above half of the configured bound, or above 4 versions
    if none is configured. It is a warning if the outcome is not doing well and either the mismatch
    grows or samples are older than twice the limit. Otherwise it is a notice.

    ## Why it matters
    Old samples are off-policy. Clipping cuts away most of their gradient, and the rest points in
    the wrong direction.

    ## Usual causes
    1. Rollouts are too slow for the trainer.
    2. The staleness bound is too loose.
    3. Weights are synced too rarely.
    4. A few episodes are very long.

    ## What to try
    Sync the weights more often, lower the bound, or add rollout workers.

    ## When to ignore it
    Off-policy algorithms, and methods that correct for old samples.

    ## Sources
    veRL's asynchronous trainer; prime-rl.
    """
    staleness = patient["async/staleness_mean"]
    if len(staleness) < MIN_POINTS:
        return
    bound = _bound(patient, limit)
    found = sustained_above(staleness.values, bound.value, need=NEED)
    stretch = lasting(found, len(staleness), share=QUARTER)
    if stretch is None:
        return
    middle = float(np.median(staleness.values[stretch.first : stretch.last + 1]))
    yield Hit(
        series=staleness.name,
        span=stretch.span(staleness),
        message=f"samples are {middle:.3g} weight versions old",
        advice="sync the weights more often, or lower the staleness bound",
        severity=_severity(patient, middle, bound),
        causes=(
            "weights synced too rarely",
            "rollouts too slow for the trainer",
            "bound too loose",
        ),
        limit=bound,
    )


def _bound(patient: Patient, limit: float | None) -> Limit:
    if limit is not None:
        return Limit(limit, "your option", from_run=True)
    for key, value in patient.run.config.items():
        name = str(key).rpartition(".")[2]
        if name in BOUNDS and isinstance(value, int | float) and value > 1:
            return Limit(float(value) / 2, f"half of this run's {name} {value:g}", from_run=True)
    return Limit(DEFAULT_LIMIT, "usual for asynchronous training")


def _severity(patient: Patient, middle: float, bound: Limit) -> Severity:
    if not patient.health.struggles:
        return "notice"
    gap = patient.find("mismatch/k3_kl", "mismatch/kl", "mismatch/prob_diff_mean")
    grows = gap is not None and trend(np.abs(gap.values)).up
    return "warning" if grows or middle > FAR_BEYOND * bound.value else "notice"
