"""VAL004."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.model.formatting import number, short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import (
    CONSTANT,
    MIN_POINTS,
    PERSIST,
    lasting,
    return_spread,
    span_at,
)
from runvitals.rules.value._own_past import own_level, own_spread, value_spread
from runvitals.rules.value._promise import FACTOR, broken_promise
from runvitals.signals.crossing import sustained_above, sustained_below
from runvitals.signals.pairs import aligned_all

FAR_OFF = 5.0  # standard deviations, whatever the outcome does (judgement)
NEW_CRITIC = 1 / 5  # of the run, in which values may still be on their way (judgement)
NEW_SPREAD = 1 / 10  # of the run, in which they may still spread little (judgement)
NARROW, CONSTANT_VALUE = 0.05, 0.01  # of the spread of the returns (judgement)
LONG = 1 / 3  # of the run that values have to be constant while the outcome does well (judgement)
BEYOND_BEST = 2.0  # times the best score of any response (judgement)


@rule(
    "VAL004",
    "value-drift-or-saturation",
    severity="warning",
    needs=["value/mean|value/pred_mean|value/std|value/var"],
    families=["policy-gradient"],
)
def value_drift_or_saturation(patient: Patient, *, spreads: float = 2.0) -> Iterator[Hit]:
    """The critic's values are on a different level than the returns, or the same for every state.

    ## What it looks for
    After the first fifth of the run, for at least 20 updates and into its last tenth:

    - **Off level**: the mean value is more than `spreads` (2) standard deviations of the returns
      away from their mean if the outcome is not doing well, or more than 5 in any case.
    - **Constant**: the values spread by less than 5% of the returns, or of their own early level,
      although the returns vary. It is a warning if the outcome is not doing well or the spread is
      below 1% for a third of the run, otherwise a notice.
    - **Too wide**: the values spread by more than 5 times their early level and twice as widely as
      the returns. If the spread of the returns was not logged, what is earned must not have grown
      as much. It is a warning if the outcome is not doing well, otherwise a notice.
    - **Drifting**: the mean value is at more than 5 times its early level and at more than 3 times
      what was ever earned. If only rewards of single steps were logged, these must not have grown
      as much. It is a warning if the outcome is not doing well, otherwise a notice.
    - **Promises too much**, only while the outcome is not doing well: the mean value is more than
      twice what the episodes in the log return (with long episodes weighted by their number of
      states). This needs rewards and returns that are known to be in the same unit. For language
      models, it is more than twice the best score of any response.

    ## Why it matters
    A critic that is off by a constant, or is a constant, reduces the noise of no advantage.

    ## Usual causes
    1. Targets with a constant added, or bootstrapped across the end of episodes.
    2. Reward normalisation that changed during the run.
    3. A squashed output, or a critic that never trained.

    ## What to try
    Compare value and return of the same states for one episode. Remove squashing from the output.

    ## When to ignore it
    Returns that rise so fast that any critic lags behind them.

    ## Sources
    Training Metrics Glossary (drift of the mean value); RL metrics table (mean and variance of
    values).
    """
    if patient.health.early:
        return
    spread = return_spread(patient)
    promises = _promises_a_response if patient.kind == "llm-rl" else _promises
    hit = None if spread is None else promises(patient)
    if hit is None and spread is not None:
        targets = not (spread.metric or "").startswith("outcome/")
        hit = (_drift(patient, spreads) if targets else None) or _constant(patient)
    hit = hit or own_spread(patient) or own_level(patient)
    if hit is not None:
        yield hit


def _drift(patient: Patient, spreads: float) -> Hit | None:
    value = patient.find("value/mean", "value/pred_mean")
    returns, spread = patient.find("returns/mean"), return_spread(patient)
    if value is None or returns is None or spread is None:
        return None
    steps, values, means, widths = aligned_all(value, returns, spread)
    count = len(steps)
    if count < MIN_POINTS:
        return None
    size = np.maximum(widths, CONSTANT * np.maximum(np.abs(means), np.abs(values)))
    away = np.minimum(np.abs(values - means), 1e100) / np.maximum(size, 1e-9)
    away[: int(NEW_CRITIC * count)] = 0.0
    limit = FAR_OFF if patient.health.good or patient.health.unknown else spreads
    stretch = lasting(sustained_above(away, limit), count)
    if stretch is None:
        return None
    middle = float(np.median(away[stretch.first : stretch.last + 1]))
    return Hit(
        series=value.name,
        span=span_at(value, steps, stretch),
        message=f"mean value is {short_number(values[-1])} and mean return {short_number(means[-1])}, "
        f"{number(middle, 2)} standard deviations apart",
        advice="compare value and return of the same states; check the mask at episode ends",
        causes=("a constant added to the targets", "bootstrapping across the end of episodes"),
        limit=patient.limit(None, otherwise=limit, why="standard deviations of the returns"),
    )


def _promises(patient: Patient) -> Hit | None:
    """Values that promise more than any episode of the log can keep."""
    value = patient.find("value/mean", "value/pred_mean")
    broken = None if value is None else broken_promise(patient, value)
    if value is None or broken is None:
        return None
    return Hit(
        series=value.name,
        span=broken.span,
        message=f"mean value is {short_number(broken.value)}, but episodes return "
        f"{short_number(broken.paid)}",
        advice="stop bootstrapping at the end of an episode; check the mask of the targets",
        causes=("bootstrapping across the end of episodes", "a constant added to the targets"),
        limit=patient.limit(None, otherwise=FACTOR, why="times what the episodes give"),
        also=("outcome/return_mean",),
    )


def _promises_a_response(patient: Patient) -> Hit | None:
    """Values beyond the best score that any response got; rewards are not discounted here."""
    value, best = patient.find("value/mean"), patient.find("reward/score_max", "reward/max")
    worst = patient.find("reward/score_min", "reward/min")
    if value is None or best is None or worst is None or patient.health.good:
        return None
    steps, values, tops, bottoms = aligned_all(value, best, worst)
    count = len(steps)
    if count < MIN_POINTS:
        return None
    size = np.maximum(np.abs(tops), np.abs(bottoms))
    most = max(float(np.clip(size, 0.0, 1e100).max()), 1e-9)
    stretch = lasting(sustained_above(np.minimum(np.abs(values), 1e100) / most, BEYOND_BEST), count)
    if stretch is None:
        return None
    return Hit(
        series=value.name,
        span=span_at(value, steps, stretch),
        message=f"mean value is {short_number(values[-1])}, but no response scored beyond "
        f"{short_number(most)}",
        advice="compare value and score of the same responses; check what is added to the targets",
        causes=("a constant added to the targets", "rewards counted more than once"),
        limit=patient.limit(None, otherwise=BEYOND_BEST, why="times the best score"),
        also=(best.name,),
    )


def _constant(patient: Patient) -> Hit | None:
    value, spread = value_spread(patient), return_spread(patient)
    returns = patient.find("returns/mean", "outcome/return_mean")
    if value is None or spread is None or returns is None:
        return None
    steps, stds, widths, means = aligned_all(value, spread, returns)
    count = len(steps)
    if count < MIN_POINTS:
        return None
    vary = widths > CONSTANT * np.abs(means)
    share = np.where(vary, np.clip(stds, -1e100, 1e100) / np.maximum(widths, 1e-9), 1.0)
    share[: int(NEW_SPREAD * count)] = 1.0
    stretches = sustained_below(share, CONSTANT_VALUE)
    stretch = max(stretches, key=lambda s: s.beyond, default=None)
    dead = stretch is not None and stretch.beyond >= max(PERSIST, int(LONG * count))
    targets = not (spread.metric or "").startswith("outcome/")
    if patient.health.struggles or (targets and not dead):
        stretch = lasting(sustained_below(share, NARROW), count) or (stretch if dead else None)
    elif not dead:
        stretch = None
    if stretch is None:
        return None
    middle = float(np.median(share[stretch.first : stretch.last + 1]))
    return Hit(
        series=value.name,
        span=span_at(value, steps, stretch),
        message=f"critic says the same for every state: its values spread by {number(middle, 2)} times "
        f"the spread of the returns{'' if dead else so_far(patient)}",
        severity=by_outcome(patient, beyond_excuse=dead),
        advice="fit the critic alone to one batch; check its learning rate and weight in the loss",
        causes=("critic does not train", "saturated output"),
    )
