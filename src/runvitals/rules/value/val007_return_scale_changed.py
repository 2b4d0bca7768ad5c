"""VAL007."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.value._kit import MIN_POINTS, SMOOTH, lasting, return_spread
from runvitals.rules.value._own_past import earned_by_outcome, growth_of
from runvitals.signals.baseline import ratio_to_reference
from runvitals.signals.crossing import sustained_above, sustained_below

AT_FIRST = 1 / 5  # of the run, in which returns may still find their scale (judgement)


@rule(
    "VAL007",
    "return-scale-changed",
    severity="warning",
    needs=["returns/std|returns/var"],
    families=["policy-gradient"],
)
def return_scale_changed(patient: Patient, *, times: float = 3.0) -> Iterator[Hit]:
    """The critic's targets are on a different scale than before.

    ## What it looks for
    The standard deviation of the returns (or the root of their variance) at more than `times` (3)
    its early level, or below a third of it, by more than growing returns of episodes explain. It
    has to last for at least 20 updates, after the first fifth of the run and into its last tenth.

    It is a warning if the outcome is not doing well, otherwise a notice. A spread that narrows
    while the outcome is doing well is what learning looks like, so it only counts below a ninth.

    ## Why it matters
    The critic, its clip range and its learning rate were fitted to the old scale. On a new one its
    values are wrong until it has learned them again, and so are the advantages.

    ## Usual causes
    1. Normalisation of rewards or returns was switched on or off, or reset by a resume.
    2. Rewards or their weights changed during the run.
    3. A few extreme rewards (REW007).
    4. A bug in the returns.

    ## What to try
    Look for what changed at that step: config, resume, reward weights. Normalise returns with
    statistics that are saved and restored.

    ## When to ignore it
    A task in which rewards are only found late.

    ## Sources
    RL metrics table (check scaling consistency of the returns).
    """
    spread = return_spread(patient)
    if spread is None or (spread.metric or "").startswith("outcome/") or patient.health.early:
        return
    if len(spread) < MIN_POINTS:
        return
    ratio = ratio_to_reference(spread.values, smooth=SMOOTH)
    if not np.isfinite(ratio).any():
        return
    ratio[: int(AT_FIRST * len(ratio))] = 1.0
    wide = _unexplained(patient, spread, ratio)
    low = 1.0 / (times * times if patient.health.good else times)
    stretch = lasting(sustained_above(wide, times), len(ratio)) or lasting(
        sustained_below(ratio, low), len(ratio)
    )
    if stretch is None:
        return
    height = float(np.median(ratio[stretch.first : stretch.last + 1]))
    yield Hit(
        series=spread.name,
        span=stretch.span(spread),
        message=f"scale of the returns changed: their standard deviation is {short_number(height)} "
        f"times its early level{so_far(patient)}",
        advice="look for what changed then (normalisation, reward weights, a resume), and normalise "
        "returns",
        severity=by_outcome(patient),
        causes=("normalisation changed or was reset", "rewards changed", "extreme rewards"),
        limit=patient.limit(
            None, otherwise=times if height > 1 else low, why="times its early level"
        ),
    )


def _unexplained(patient: Patient, spread: Series, ratio: FloatArray) -> FloatArray:
    """Scores of language models spread alike at any level; returns of episodes grow with theirs."""
    cause = None if patient.kind == "llm-rl" else earned_by_outcome(patient)
    return ratio / growth_of(cause, spread)
