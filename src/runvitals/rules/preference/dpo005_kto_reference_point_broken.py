import numpy as np

from runvitals.rules.kit import Hit, Patient, rule
from runvitals.rules.preference import is_kto


@rule("DPO005", needs=["preference/loss"], excused_by_outcome=True, min_points=20)
def kto_reference_point_broken(patient: Patient, *, missing: float = 0.3) -> Hit | None:
    """KTO has no good or no bad samples in many batches.

    ## What it looks for
    Rows of metrics without a chosen or without a rejected reward, in at least 30% of the rows
    (`missing`). It is a notice while the outcome is doing well.

    ## Why it matters
    KTO weighs each sample against the mean shift of the policy. Without both kinds of samples
    its loss is only a crude supervised loss.

    ## Usual causes
    1. Good and bad samples are not shuffled.
    2. One kind is rare.
    3. The batch per device is too small to estimate the KL.

    ## What to try
    Shuffle the data. Use at least 4, ideally 16 samples per device. Set the class weights.

    ## When to ignore it
    Single rows of one kind, in very small batches.

    ## Sources
    TRL #1380, #1447 and PR #2153; HALOs #24.
    """
    if not is_kto(patient):
        return None
    loss = patient["preference/loss"]
    for metric, words in (
        ("preference/chosen_reward", "good"),
        ("preference/rejected_reward", "bad"),
    ):
        series = patient.find(metric)
        if series is None:
            continue
        where = np.flatnonzero(~np.isin(loss.steps, series.steps))
        if len(where) < missing * len(loss):
            continue
        return Hit(
            series=series.name,
            span=loss.span(int(where[0]), int(where[-1])),
            message=f"{len(where) / len(loss):.0%} of the rows have no {words} samples",
            advice="shuffle good and bad samples together, and use larger batches",
            causes=("data not shuffled", "one kind is rare", "batch too small"),
        )
    return None
