"""DPO005."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import is_kto
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch

MANY, SOME = 0.3, 0.05  # of the rows: a warning, a notice (judgement)
MIN_POINTS = 20  # judgement
MOVED = 0.1  # of the margin: rewards move
START = 10  # a tenth of the rows, in which policy and reference still are one model
NEARLY_ALWAYS = 0.9  # of the rows after it: 18 of 20
WEIGHTS = ("desirable_weight", "undesirable_weight")


@rule(
    "DPO005",
    "kto-reference-point-broken",
    severity="warning",
    needs=["preference/loss"],
    families=["preference"],
)
def kto_reference_point_broken(patient: Patient, *, missing: float | None = None) -> Iterator[Hit]:
    """KTO has no good or no bad samples in many batches, or its reference point is always 0.

    ## What it looks for
    Rows of metrics without a chosen or without a rejected reward: a warning from 30% of the rows
    (`missing`), a notice from 5% or while the outcome is doing well.

    A reference KL of exactly 0 in 18 of 20 rows while rewards move: a notice. The estimate is
    clamped at 0, and small batches often hit that.

    ## Why it matters
    KTO weighs each sample against the mean shift of the policy. Without both kinds of samples, or
    without that mean, its loss is only a crude supervised loss.

    ## Usual causes
    1. Good and bad samples are not shuffled.
    2. One kind is rare.
    3. The batch per device is too small to estimate the KL.

    ## What to try
    Shuffle the data. Use at least 4, ideally 16 samples per device. Set the class weights.

    ## When to ignore it
    Occasional zeros of the KL.

    ## Sources
    TRL #1380, #1447 and PR #2153; HALOs #24.
    """
    if not is_kto(patient):
        return
    loss = patient["preference/loss"]
    bound = patient.limit(missing, otherwise=MANY, why="most batches should have both kinds")
    for metric, words in (
        ("preference/chosen_reward", "good"),
        ("preference/rejected_reward", "bad"),
    ):
        series = patient.find(metric)
        if series is None or len(loss) < MIN_POINTS:
            continue
        present = np.isin(loss.steps, series.steps)
        absent = 1.0 - float(present.mean())
        if absent < SOME:
            continue
        where = np.flatnonzero(~present)
        yield Hit(
            series=series.name,
            span=Stretch(int(where[0]), int(where[-1]), 0).span(loss),
            message=f"{absent:.0%} of the rows have no {words} samples",
            advice="shuffle good and bad samples together, and use larger batches",
            severity="notice" if absent < bound.value or patient.health.good else None,
            causes=("data not shuffled", "one kind is rare", "batch too small"),
            limit=bound,
        )
        return
    kl, margin = patient.find("preference/kl"), patient.find("preference/margin")
    if kl is None or margin is None or len(kl) < MIN_POINTS or np.ptp(margin.values) < MOVED:
        return
    first = len(kl) // START
    zero = float(np.mean(kl.values[first:] == 0.0))
    if zero >= NEARLY_ALWAYS:
        yield Hit(
            series=kl.name,
            span=Stretch(first, len(kl) - 1, 0).span(kl),
            message=f"the reference KL is exactly 0 in {zero:.0%} of the rows",
            advice="use at least 4, ideally 16 samples per device",
            severity="notice",
            causes=("batch too small to estimate the KL",),
        )
