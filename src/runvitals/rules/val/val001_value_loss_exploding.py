"""VAL001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.val._kit import LASTS, SMOOTH, longest, normalised_loss
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import sustained_above
from runvitals.signals.late import early_median
from runvitals.signals.robust import running_median

LEAST_POINTS = 30  # judgement
OFF_POLICY = 10.0  # times the factor: targets that move take the loss with them (judgement)
UNKNOWN_VARIANCE = (
    3.0  # times the factor, where the loss is measured by the returns' size (judgement)
)
CRITICAL = 10.0  # times the limit (judgement)
ABSURD = 25.0  # times the square of the largest return: five times as far off as can be (judgement)
LEAST_RETURNS = 12  # points, so that the largest of them means something (judgement)
LEAST_EARLY, EARLY = 5, 1 / 50  # points at the start, and their share (judgement)
SMALL_AT_FIRST = 0.01  # of its top: else the unit of the loss is another (judgement)


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
        factor = OFF_POLICY * factor
    elif not known:
        factor = UNKNOWN_VARIANCE * factor
    smooth = running_median(ratio, SMOOTH) / base
    stretch = longest(sustained_above(smooth, factor), len(ratio))
    if stretch is None:
        return
    height = float(np.median(smooth[stretch.first : stretch.last + 1]))
    per = "variance of the returns" if known else "square of the return"
    yield Hit(
        series=loss.name,
        span=stretch.span(series),
        message=f"value loss per {per} at {height:.3g} times its early level",
        advice="normalise returns or lower the critic's learning rate; check the mask at episode ends",
        severity="critical" if height >= CRITICAL * factor else None,
        causes=("scale of returns", "learning rate of the critic", "a bug in the returns"),
        limit=patient.limit(None, otherwise=factor, why="times its own early level"),
    )


def _absurd(patient: Patient) -> Hit | None:
    """A squared error of many times the square of the largest return there ever was."""
    loss = patient["value/loss"]
    mean = patient.find("outcome/return_mean")
    if mean is None or len(mean) < LEAST_RETURNS:
        return None
    extremes = [
        patient.find(m) for m in ("outcome/return_max", "outcome/return_min", "returns/max")
    ]
    sizes = [float(np.abs(s.values).max()) for s in (mean, *extremes) if s is not None]
    most = ABSURD * min(max(*sizes, 1.0), 1e100) ** 2
    smooth: FloatArray = running_median(loss.values, SMOOTH)
    stretches = sustained_above(smooth, most)
    stretch = max(stretches, key=lambda s: s.beyond, default=None)
    early = early_median(loss.values, EARLY, LEAST_EARLY)
    if stretch is None or stretch.beyond < LASTS or early > SMALL_AT_FIRST * float(smooth.max()):
        return None
    top = float(smooth[stretch.first : stretch.last + 1].max())
    return Hit(
        series=loss.name,
        span=loss.span(stretch.first, stretch.last),
        message=f"value loss up to {top:.2g}, though no return was beyond {max(sizes):.3g}",
        advice="lower the critic's learning rate, clip its gradient, and check the target network",
        causes=("critic diverges: overestimation that feeds itself", "learning rate of the critic"),
        limit=patient.limit(
            None, otherwise=most, why=f"{ABSURD:g} times the square of the largest return"
        ),
    )
