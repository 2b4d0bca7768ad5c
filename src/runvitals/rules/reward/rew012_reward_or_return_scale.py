from dataclasses import replace

import numpy as np

from runvitals.rules.kit import (
    Hit,
    Limit,
    Patient,
    Series,
    above,
    jumped,
    number,
    rule,
    short_number,
)

HUBER = ("DQN", "QRDQN", "DDQN", "DOUBLEDQN")  # their loss grows with the error, not its square


@rule("REW012", needs=["returns/std|returns/var|value/loss"], families=["control"], min_points=8)
def reward_or_return_scale(patient: Patient, *, most: float = 1000.0) -> Hit | None:
    """Returns are so large that the losses of policy and critic do not fit together.

    ## What it looks for
    While the outcome is not doing well, one of these:

    - The spread of the returns is above `most` (1000) in half of the run.
    - The spread made a lasting jump by a factor of at least five during the run, and the outcome
      fell.

    If the spread is not logged, it is estimated as the root of the value loss. For DQN and similar
    methods, whose loss grows with the error and not its square, it is that loss itself.

    ## Why it matters
    The critic's gradients grow with the square of the scale. If the gradient norm is clipped for
    both together, nothing is left for the policy.

    ## Usual causes
    1. Rewards in raw units of the environment.
    2. Normaliser statistics that were lost on resume.
    3. A discount close to 1 with long episodes.

    ## What to try
    Divide rewards by a running standard deviation without shifting their mean. Keep the statistics
    in the checkpoint.

    ## When to ignore it
    Runs that learn well at a large scale. Many do.

    ## Sources
    RL metrics table and Training Metrics Glossary (scaling of returns and rewards); Schulman's nuts
    and bolts talk; RLExplorer (rewards outside -10 to 10).
    """
    spread = (
        None if patient.health.plot in ("rises", "holds", "early", "none") else _spread(patient)
    )
    if spread is None:
        return None
    found = above(spread, Limit(most, "usual for critics without normalisation"), for_share=0.5)
    if found is not None:
        size = number(float(f"{found.level:.0e}"))
        return found.hit(
            f"returns spread by about {short_number(found.level)}, and nothing is learned",
            advice=f"divide rewards by about {size}, or normalise returns",
            causes=("rewards in raw units", "returns not normalised"),
        )
    elif patient.health.falls and (found := jumped(spread, 5.0)) is not None:
        return found.hit(
            f"spread of the returns jumped by a factor of {short_number(found.times)}",
            advice="check the statistics of the reward normaliser around this step",
            causes=("normaliser statistics lost or reset", "reward changed during the run"),
        )
    return None


def _spread(patient: Patient) -> Series | None:
    """The spread of the returns, logged or estimated; the critic's error is at most the returns."""
    if (series := patient.find("returns/std")) is not None:
        return series
    if (series := patient.find("returns/var")) is not None:
        return replace(series, values=np.sqrt(np.maximum(series.values, 0.0)))
    loss, mean = patient.find("value/loss"), patient.find("outcome/return_mean")
    if loss is None or mean is None:
        return None
    values = np.maximum(loss.values, 0.0)
    error = values if patient.algorithm in HUBER else np.sqrt(values)
    return replace(loss, values=np.minimum(error, float(np.abs(mean.values).max())))
