"""VAL001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.val._kit import normalised_loss
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import sustained_above
from runvitals.signals.robust import running_median

LEAST_POINTS = 30


@rule(
    "VAL001",
    "value-loss-exploding",
    severity="warning",
    needs=["value/loss"],
    families=["rl"],
)
def value_loss_exploding(patient: Patient, *, factor: float = 10.0) -> Iterator[Hit]:
    """The loss of the critic grows far beyond what growing returns explain.

    ## What it looks for
    The value loss divided by the variance of the returns (by the square of the largest return so
    far where that was not logged) at more than `factor` (10) times its early level for at least 10
    points, to the end or for a fifth of the run, while the outcome does not do well; 30 times where
    the variance is not known, 100 times for off-policy critics. Critical at 100 times. Whatever the
    outcome does, also a loss of more than 25 times the square of the largest return ever seen.

    ## Why it matters
    The errors of the critic become the advantages of the policy.

    ## Usual causes
    1. Scale of rewards or returns.
    2. Learning rate of the critic.
    3. A bug in the returns or in bootstrapping at the end of episodes.
    4. Observations that are not normalised.
    5. A target network that is never or always updated.

    ## What to try
    Print returns next to predictions for one episode. Normalise returns, lower the rate of the
    critic, check the mask at the end of episodes.

    ## When to ignore it
    Off-policy critics while values are still being learned: their loss may grow on the way up.

    ## Sources
    Training Metrics and Telemetry (value loss huge or rising); RL metrics table; RLExplorer's loss
    check.
    """
    loss = patient["value/loss"]
    if len(loss) < LEAST_POINTS or float(loss.values.min()) < 0:
        return
    if (hit := _absurd(patient)) is not None:
        yield hit
        return
    if patient.health.good or patient.health.silent:
        return
    series, ratio, known = normalised_loss(patient, loss)
    if len(ratio) < LEAST_POINTS:
        return
    base = reference(ratio)
    if not base > 1e-12:
        return
    if patient.kind == "off-policy":
        factor = 10.0 * factor
    elif not known:
        factor = 3.0 * factor
    smooth = running_median(ratio, 10) / base
    stretches = [
        s
        for s in sustained_above(smooth, factor)
        if s.beyond >= 10 and (s.last >= len(ratio) - 3 or s.beyond >= len(ratio) // 5)
    ]
    if not stretches:
        return
    stretch = max(stretches, key=lambda s: s.beyond)
    height = float(np.median(smooth[stretch.first : stretch.last + 1]))
    per = "variance of the returns" if known else "square of the return"
    yield Hit(
        series=loss.name,
        span=stretch.span(series),
        message=f"value loss per {per} at {height:.3g} times its early level",
        advice="normalise returns or lower the critic's learning rate; check the mask at episode ends",
        severity="critical" if height >= 10.0 * factor else None,
        causes=("scale of returns", "learning rate of the critic", "a bug in the returns"),
        limit=patient.limit(None, otherwise=factor, why="times its own early level"),
    )


def _absurd(patient: Patient) -> Hit | None:
    """A squared error of many times the square of the largest return there ever was."""
    loss = patient["value/loss"]
    mean = patient.find("outcome/return_mean")
    if mean is None or len(mean) < 12:
        return None
    extremes = [
        patient.find(m) for m in ("outcome/return_max", "outcome/return_min", "returns/max")
    ]
    sizes = [float(np.abs(s.values).max()) for s in (mean, *extremes) if s is not None]
    most = 25.0 * min(max(*sizes, 1.0), 1e100) ** 2
    smooth: FloatArray = running_median(loss.values, 10)
    stretches = sustained_above(smooth, most)
    early = float(np.median(loss.values[: max(5, len(loss) // 50)]))
    if not stretches or max(s.beyond for s in stretches) < 10 or early > 0.01 * float(smooth.max()):
        return None
    stretch = max(stretches, key=lambda s: s.beyond)
    top = float(smooth[stretch.first : stretch.last + 1].max())
    return Hit(
        series=loss.name,
        span=loss.span(stretch.first, stretch.last),
        message=f"value loss up to {top:.2g}, though no return was beyond {max(sizes):.3g}",
        advice="lower the critic's learning rate, clip its gradient, and check the target network",
        causes=("critic diverges: overestimation that feeds itself", "learning rate of the critic"),
        limit=patient.limit(None, otherwise=most, why="25 times the square of the largest return"),
    )
