"""NET002."""

from __future__ import annotations

from collections.abc import Iterator

from runvitals.model import Hit, Limit, Series
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.rules.watched import named, parts, whole, worst
from runvitals.signals.late import QUARTER, late, late_median

KINDS = {
    "net/dead_units": ("dead", "lower the learning rate, or use a rectifier that leaks"),
    "net/saturated_units": ("saturated", "scale inputs or weights down, or use layer norm"),
}
MIN_POINTS = 3  # measurements, each of which stands for five batches (judgement)


@rule("NET002", "dead-or-saturated-units", severity="notice", needs=["|".join(KINDS)])
def dead_or_saturated_units(patient: Patient, *, limit: float = 0.5) -> Iterator[Hit]:
    """Most units of a layer no longer respond to its input.

    ## What it looks for
    `net/dead_units` or `net/saturated_units` of a layer above 0.5 (`limit`) over the last quarter:
    rectified units that fired for no sample of five measured batches, tanh and sigmoid units that stay
    at their ends for all of them. A warning if the outcome does not do well, else a notice.

    ## Why it matters
    Such a unit passes no gradient on, so it cannot recover by itself: the layer is a smaller one from
    then on.

    ## Usual causes
    1. An update that was far too large: learning rate, no warm-up, no clipping.
    2. Inputs or weights on a wrong scale.
    3. Biases that drifted below zero.

    ## What to try
    A lower rate or a warm-up, normalised inputs, layer norm; LeakyReLU or GELU instead of ReLU.

    ## When to ignore it
    Layers much wider than the task needs; batches that are all alike.

    ## Sources
    Lu and others, "Dying ReLU and initialization" (2019); Glorot and Bengio (2010) on saturation;
    SageMaker Debugger (dead ReLU, saturated tanh). The limit is a judgement.
    """
    for metric, (word, advice) in KINDS.items():
        layers = {
            name: one
            for name, one in parts(patient, metric, "block").items()
            if len(one) >= MIN_POINTS and _level(one) > limit
        }
        total = whole(patient, metric)
        if not layers or total is None:
            continue
        names = worst(layers, _level)
        first = layers[names[0]]
        yield Hit(
            series=first.name,
            span=first.span(len(first) - len(late(first.values, QUARTER))),
            message=f"{_level(first):.0%} of the units of {names[0]} are {word}"
            + (f"; more than {limit:.0%} in {named(names[1:])} too" if names[1:] else "")
            + so_far(patient),
            advice=advice,
            severity=by_outcome(patient),
            causes=("update that was far too large", "inputs or weights on a wrong scale"),
            limit=Limit(limit, "half of a layer"),
            also=tuple(layers[name].name for name in names[1:]),
        )


def _level(series: Series) -> float:
    return min(1.0, late_median(series.values, QUARTER))
