from dataclasses import replace

import numpy as np

from runvitals.rules.kit import Hit, Patient, above, below, number, rose, rule, short_number
from runvitals.rules.value import (
    MAX_PROMISE,
    MIN_SPREAD,
    TARGETS,
    derived,
    promises_too_much,
    relative,
    return_spread,
    returns_vary,
    spread_of,
)
from runvitals.signals.pairs import aligned_all

NARROW, CONSTANT = 0.1, 0.01  # of the spread of the returns (judgement)


@rule(
    "VAL004",
    needs=["value/mean|value/pred_mean|value/std|value/var"],
    excused_by_outcome=True,
    min_points=30,
)
def value_drift_or_saturation(patient: Patient, *, spreads: float = 5.0) -> Hit | None:
    """The critic's values are on a different level than the returns, or the same for every state.

    ## What it looks for
    - **Constant**: the values spread by less than 10% of the returns at the end, although the returns
      vary. Below 1% it is a warning whatever the outcome.
    - **Too wide**: the values have come to spread more than 3 times as widely as the returns.
    - **Off level**: the mean value is more than `spreads` (5) standard deviations of the returns
      away from their mean, at the end and for a fifth of the run. It is a warning whatever the
      outcome.
    - **Drifting**: the mean value has grown to more than 3 times what was earned in the last fifth of
      the run.

    A warning if the outcome is not doing well, otherwise a notice.

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
    return _spread(patient) or _level(patient, spreads)


def _spread(patient: Patient) -> Hit | None:
    """Values that spread far less or far more than the returns."""
    value, returns = spread_of(patient, "value"), return_spread(patient)
    if value is None or returns is None or not returns_vary(patient):
        return None
    share = relative(value, returns)
    if found := below(share, NARROW, to_end=True):
        return found.hit(
            "critic says the same for every state: its values spread by "
            f"{number(found.level, 2)} times the spread of the returns",
            advice="fit the critic alone to one batch; check its learning rate and weight in the loss",
            causes=("critic does not train", "saturated output"),
            beyond_excuse=found.level < CONSTANT,
        )
    wide = replace(share, values=np.maximum(share.values, 1.0))
    if found := rose(wide, MAX_PROMISE, since_lowest=True):
        return found.hit(
            f"values spread {number(found.level, 2)} times as widely as the returns",
            advice="compare value and return of the same states; lower the critic's learning rate",
            causes=("scale of rewards or returns changed", "critic diverges"),
        )
    return None


def _level(patient: Patient, spreads: float) -> Hit | None:
    """Values far from the returns, or beyond all that was ever earned."""
    value = patient.find("value/mean", "value/pred_mean")
    returns, spread = patient.find(TARGETS), spread_of(patient, "returns")
    if value is None:
        return None
    if returns is not None and spread is not None:
        steps, values, means, widths = aligned_all(value, returns, spread)
        size = np.maximum(widths, MIN_SPREAD * np.maximum(np.abs(means), np.abs(values)))
        away = derived(value, steps, np.abs(values - means) / np.maximum(size, 1e-9))
        if found := above(away, spreads, to_end=True):
            return found.hit(
                f"mean value is {short_number(values[-1])} and mean return {short_number(means[-1])}, "
                f"{number(found.level, 2)} standard deviations apart",
                advice="compare value and return of the same states; check the mask at episode ends",
                causes=(
                    "a constant added to the targets",
                    "bootstrapping across the end of episodes",
                ),
                beyond_excuse=True,
            )
    if found := promises_too_much(patient, value):
        return found.hit(
            f"mean value drifts to {short_number(value.last)}, {number(found.level, 2)} times what "
            "is earned",
            advice="stop bootstrapping at the end of an episode; compare value and return of the same "
            "states",
            causes=(
                "bootstrapping across the end of episodes",
                "scale of rewards or returns changed",
                "critic diverges",
            ),
        )
    return None
