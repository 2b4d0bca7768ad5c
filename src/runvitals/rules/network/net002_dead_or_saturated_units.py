from collections.abc import Iterator

from runvitals.rules.kit import Hit, Limit, Patient, Series, rule, stretch
from runvitals.rules.watched import named, parts, whole, worst
from runvitals.signals.late import QUARTER, late, late_median

KINDS = {
    "net/dead_units": ("dead", "lower the learning rate, or use LeakyReLU or GELU"),
    "net/saturated_units": ("saturated", "scale inputs or weights down, or add layer norm"),
}


@rule("NET002", excused_by_outcome=True, min_points=3, needs=["|".join(KINDS)])
def dead_or_saturated_units(patient: Patient, *, limit: float = 0.5) -> Iterator[Hit]:
    """Most units of a layer no longer respond to their input.

    ## What it looks for
    `net/dead_units` or `net/saturated_units` of a layer above 0.5 (`limit`) over the last quarter
    of the run.

    - A ReLU unit is dead if it fired for no sample in five measured batches.
    - A tanh or sigmoid unit is saturated if it stayed at one of its ends for all of them.

    A warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    Such a unit passes on no gradient, so it cannot recover by itself. From then on the layer is
    effectively smaller.

    ## Usual causes
    1. An update that was far too large: learning rate, no warm-up, no clipping.
    2. Inputs or weights on the wrong scale.
    3. Biases that drifted below zero.

    ## What to try
    Lower the learning rate or add a warm-up. Normalise inputs, add layer norm, or use LeakyReLU or
    GELU instead of ReLU.

    ## When to ignore it
    Layers much wider than the task needs; batches that are all alike.

    ## Sources
    Lu et al., "Dying ReLU and initialization" (2019); Glorot and Bengio (2010) on saturation;
    SageMaker Debugger (dead ReLU, saturated tanh). The limit is a judgement.
    """
    for metric, (word, advice) in KINDS.items():
        layers = {
            name: one
            for name, one in parts(patient, metric, "block").items()
            if _level(one) > limit
        }
        total = whole(patient, metric)
        if not layers or total is None:
            continue
        names = worst(layers, _level)
        first = layers[names[0]]
        yield stretch(first, len(first) - len(late(first.values, QUARTER))).hit(
            f"{_level(first):.0%} of the units in {names[0]} are {word}"
            + (f"; also more than {limit:.0%} in {named(names[1:])}" if names[1:] else ""),
            advice=advice,
            causes=("an update that was far too large", "inputs or weights on the wrong scale"),
            limit=Limit(limit, "half of a layer"),
            also=tuple(layers[name].name for name in names[1:]),
        )


def _level(series: Series) -> float:
    return min(1.0, late_median(series.values, QUARTER))
