"""REW012."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series
from runvitals.model.formatting import number, short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.signals.change import level_shift

MIN_POINTS = 12  # judgement
MIN_PROGRESS = 0.2  # of the plan (judgement)
JUMP = 5.0  # times the spread before (judgement)
MAX_JUMP = 50.0  # in logarithms: larger ones are infinite for all purposes
HUBER = ("DQN", "QRDQN", "DDQN", "DOUBLEDQN")  # their loss grows with the error, not its square
NEEDS = "returns/std|returns/var|value/loss|outcome/return_mean"


@rule(
    "REW012",
    "reward-or-return-scale",
    severity="warning",
    needs=[NEEDS],
    families=["control"],
)
def reward_or_return_scale(
    patient: Patient, *, most: float = 1000.0, least: float = 1e-3
) -> Iterator[Hit]:
    """Returns are so large, or so small, that the losses of policy and critic do not fit together.

    ## What it looks for
    While the outcome is not doing well, one of these:

    - The spread of the returns is above `most` (1000).
    - The logged spread of the returns is below `least` (0.001), but not 0: a notice.
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
    if patient.health.good or patient.health.silent:
        return
    series, spread = _spread(patient)
    if series is None or len(spread) < MIN_POINTS or not far_enough(patient, MIN_PROGRESS):
        return
    usual = float(np.median(spread))
    if usual > most:
        yield Hit(
            series=series.name,
            span=series.span(),
            message=f"returns spread by about {short_number(usual)}, and nothing is learned",
            advice=f"divide rewards by about {number(float(f'{usual:.0e}'))}, or normalise returns",
            causes=("rewards in raw units", "returns not normalised"),
            limit=patient.limit(
                None, otherwise=most, why="usual for critics without normalisation"
            ),
        )
    elif 0 < usual < least and series.metric in ("returns/std", "returns/var"):
        yield Hit(
            series=series.name,
            span=series.span(),
            message=f"returns spread by only {short_number(usual)}: hardly any signal",
            advice="scale rewards up, or check that they reach the learner",
            severity="notice",
            causes=("rewards scaled down or clipped away",),
        )
    elif (shift := level_shift(np.log(np.maximum(spread, 1e-12)))) is not None:
        factor = float(np.exp(min(abs(shift.after - shift.before), MAX_JUMP)))
        if factor >= JUMP and shift.after > shift.before and patient.health.falls:
            yield Hit(
                series=series.name,
                span=series.span(shift.at),
                message=f"spread of the returns jumped by a factor of {short_number(factor)}",
                advice="check the statistics of the reward normaliser around this step",
                causes=("normaliser statistics lost or reset", "reward changed during the run"),
            )


def _spread(patient: Patient) -> tuple[Series | None, FloatArray]:
    """What the spread of the returns is taken from, and that spread."""
    if (series := patient.find("returns/std")) is not None:
        return series, series.values
    if (series := patient.find("returns/var")) is not None:
        return series, np.sqrt(np.maximum(series.values, 0.0))
    loss, mean = patient.find("value/loss"), patient.find("outcome/return_mean")
    if loss is None or mean is None or len(loss) < MIN_POINTS:
        return None, np.empty(0)
    size = float(np.abs(mean.values).max())
    linear = patient.algorithm in HUBER and float(np.median(loss.values)) > 1.0
    roots = loss.values if linear else np.sqrt(np.maximum(loss.values, 0.0))
    return loss, np.minimum(roots, size)
