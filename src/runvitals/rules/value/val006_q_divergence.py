"""VAL006."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Severity
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.value._kit import SMOOTH, longest
from runvitals.rules.value._promise import FACTOR, broken_promise
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned
from runvitals.signals.robust import running_median

QS = (
    "value/q_max",
    "value/q_abs_mean",
    "value/q_mean",
    "value/q_target_max",
    "value/q_target_mean",
)
MIN_POINTS = 20  # judgement
EXCUSED_UP_TO = 5.0  # times the limit while the outcome does well (judgement)
USUAL_HORIZON = 100.0  # steps: a gamma of 0.99, the default of most libraries
UNSEEN = 2.0  # times the largest mean return, where nothing tells how long episodes are (judgement)


@rule(
    "VAL006",
    "q-divergence",
    severity="critical",
    verdict="diverged",
    needs=["|".join(QS)],
    families=["off-policy"],
)
def q_divergence(patient: Patient, *, factor: float = 2.0) -> Iterator[Hit]:
    """Q values promise more than any episode could pay: the critic feeds on its own errors.

    ## What it looks for
    Q values (as a median of 10 points) beyond `factor` (2) times the most that can be earned, for
    at least 10 points, and to the end or for a fifth of the run. The most that can be earned is the
    larger of two numbers in the log: the largest return so far, and the largest reward per step
    divided by 1 - gamma. It is critical while the outcome is not doing well. While it is doing well,
    only five times as much counts, and is a warning.

    Mean Q values beyond twice what the episodes in the log return, to its end and while the outcome
    is not doing well, are a warning too.

    ## Why it matters
    The maximum over noisy estimates is too high, and bootstrapping passes it on. Once Q values
    leave the range of possible returns, the policy follows errors.

    ## Usual causes
    1. Targets are bootstrapped across the end of episodes: the terminal mask is missing.
    2. The target network is updated at every step, or never.
    3. The learning rate is too high.
    4. The scale of rewards.

    ## What to try
    Check the mask and the target update. Use two critics or double Q-learning. Clip rewards.

    ## When to ignore it
    Rewards with an entropy bonus that is not part of the logged return.

    ## Sources
    RLExplorer's checks of agent and target; DRLinter; RLMutation (missing terminal state kills
    DQN).
    """
    q = patient.find(*QS)
    most = _most(patient)
    if q is None or most is None or len(q) < MIN_POINTS or patient.health.early:
        return
    well = patient.health.good or patient.health.unknown
    limit = factor * most * (EXCUSED_UP_TO if well else 1.0)
    size = np.abs(running_median(q.values, SMOOTH))
    stretch = longest(sustained_above(size, limit), len(q))
    if stretch is None:
        yield from _beyond_episodes(patient)
        return
    top = float(size[stretch.first : stretch.last + 1].max())
    severity: Severity | None = "warning" if well else None
    yield Hit(
        series=q.name,
        span=q.span(stretch.first, stretch.last),
        message=f"Q values reach {short_number(top)}, but at most {short_number(most)} can be earned",
        advice="check the mask at episode ends and the target update, then lower the learning rate",
        severity=severity,
        causes=(
            "terminal mask missing",
            "target network updated at every step or never",
            "learning rate too high",
        ),
        limit=patient.limit(
            None, otherwise=limit, why="from the largest return and reward per step"
        ),
    )


def _beyond_episodes(patient: Patient) -> Iterator[Hit]:
    """Q values that are possible, but not with episodes like these."""
    mean = patient.find("value/q_mean")
    broken = None if mean is None else broken_promise(patient, mean)
    if mean is not None and broken is not None:
        yield Hit(
            series=mean.name,
            span=broken.span,
            message=f"mean Q value is {short_number(broken.value)}, but episodes return "
            f"{short_number(broken.paid)}",
            advice="check the mask at episode ends and the target update",
            severity="warning",
            causes=("terminal mask missing", "target network updated at every step or never"),
            limit=patient.limit(None, otherwise=FACTOR, why="times what the episodes give"),
        )


def _most(patient: Patient) -> float | None:
    """The largest discounted return that the log makes possible; None if it does not tell."""
    returns = patient.find("outcome/return_mean", "eval/return_mean")
    if returns is None:
        return None
    sizes = [float(np.abs(returns.values).max())]
    for metric in ("outcome/return_max", "outcome/return_min", "eval/return_mean"):
        if (series := patient.find(metric)) is not None:
            sizes.append(float(np.abs(series.values).max()))
    gamma = patient.number("gamma")
    horizon = 1.0 / (1.0 - gamma) if gamma is not None and 0 <= gamma < 1 else USUAL_HORIZON
    for metric in ("reward/max", "reward/min"):
        if (series := patient.find(metric)) is not None:
            sizes.append(float(np.abs(series.values).max()) * horizon)
    length = patient.find("outcome/episode_length_mean")
    if length is not None:
        _, paid, steps = aligned(returns, length)
        if len(paid):
            sizes.append(float(np.max(np.abs(paid) / np.maximum(steps, 1.0))) * horizon)
    else:
        sizes.append(UNSEEN * sizes[0])
    most = max(sizes)
    return most if most > 1e-9 else None
