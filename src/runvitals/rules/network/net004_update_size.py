from collections.abc import Iterator, Mapping

import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, Series, rule, stretch
from runvitals.rules.severity import suffers
from runvitals.rules.watched import named, parts, whole, worst
from runvitals.signals.late import THIRD, late, late_median

RATIO, GRADIENT = "net/update_ratio", "net/grad_norm"
LIMIT_SOURCE = "around 0.001 is usual (CS231n)"


@rule("NET004", excused_by_outcome=True, min_points=6, needs=[RATIO])
def update_size(patient: Patient, *, limit: float = 0.1, least: float = 1e-6) -> Iterator[Hit]:
    """Updates are far too large or too small for the weights, or a block does not move at all.

    ## What it looks for
    `net/update_ratio`: the norm of one update divided by the norm of the weights.

    - A block has a ratio of exactly 0 in every measurement although it has a gradient: a warning.
    - A block is above 0.1 (`limit`) over the last third of the run: a warning if the outcome is not
      doing well, otherwise a notice.
    - The whole network is below 1e-6 (`least`) while the outcome gets nowhere: a warning.

    ## Why it matters
    This is the step size as the network feels it, after optimiser, clipping and schedule. About
    0.001 is usual. At 0.1, ten updates rewrite everything the network has learned.

    ## Usual causes
    1. Too large: a learning rate meant for another width, batch size or optimiser.
    2. Too small: a low learning rate, a warm-up that does not end, or a gradient clip far below the
       usual norm.
    3. Exactly 0: updates too small for bf16 weights to hold, a parameter group with a learning rate
       of 0, or an optimiser that holds other parameters.

    ## What to try
    Change the learning rate by the factor by which the ratio is off. Keep master weights in
    float32.

    ## When to ignore it
    Layers initialised at zero, during their first updates.

    ## Sources
    CS231n, Neural Networks Part 3 (ratio of weights to updates). The limits are two orders of
    magnitude above and three below the 0.001 it names (judgement).
    """
    blocks, total = parts(patient, RATIO, "block"), whole(patient, RATIO)
    yield from _do_not_move(blocks, parts(patient, GRADIENT, "block"))
    large = {name: one for name, one in blocks.items() if _level(one) > limit}
    if not large and total is not None and _level(total) > limit:
        large = {"the network": total}
    if large:
        names = worst(large, _level)
        first = large[names[0]]
        yield _hit(
            first,
            f"one update changes {named(names)} by {_level(first):.0%} of its weight norm",
            "lower the learning rate",
            ("learning rate too high",),
            Limit(limit, LIMIT_SOURCE),
        )
    elif total is not None and suffers(patient):
        level = _level(total)
        if 0 < level < least:
            yield _hit(
                total,
                f"one update changes the weights by only {level:.2g} of their norm",
                "raise the learning rate, or look for a gradient clip or warm-up that leaves nothing",
                ("learning rate too low", "gradient clip far below the usual norm"),
                Limit(least, LIMIT_SOURCE),
            )


def _do_not_move(blocks: Mapping[str, Series], gradients: Mapping[str, Series]) -> Iterator[Hit]:
    """Blocks that have a gradient, and whose weights stay exactly as they are."""
    still = {
        name: one
        for name, one in blocks.items()
        if not one.values.any() and name in gradients and float(gradients[name].values.min()) > 0
    }
    for first in list(still.values())[:1]:
        yield stretch(first).hit(
            f"weights of {named(list(still))} did not move in {len(first)} measurements, "
            "although they have gradients",
            advice="keep float32 master weights, and check the learning rate of this group",
            severity="warning",
            causes=("updates lost in bf16", "parameter group with a learning rate of 0"),
        )


def _hit(series: Series, message: str, advice: str, causes: tuple[str, ...], limit: Limit) -> Hit:
    return stretch(series, len(series) - len(late(series.values, THIRD))).hit(
        message, advice=advice, causes=causes, limit=limit
    )


def _level(series: Series) -> float:
    return float(np.minimum(late_median(series.values, THIRD), 1e100))
