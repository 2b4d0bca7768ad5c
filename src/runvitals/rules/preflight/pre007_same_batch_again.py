"""PRE007."""

from __future__ import annotations

from collections.abc import Iterator

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.preflight._totals import last
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far

METRIC = "preflight/repeated_batches"


@rule("PRE007", "same-batch-again", severity="notice", needs=[METRIC], families=["supervised"])
def same_batch_again(patient: Patient) -> Iterator[Hit]:
    """The first updates all saw the same batch.

    ## What it looks for
    `preflight/repeated_batches` at 1: each of the first batches that `rv.watch` saw is the first one
    again. A warning if the outcome does not do well, else a notice.

    ## Why it matters
    A model that sees one batch learns it by heart, and its loss falls beautifully.

    ## Usual causes
    1. `next(iter(loader))` inside the loop: a new loader, and its first batch, each time.
    2. A seed that is set again at each step.
    3. A batch that was fixed for a test and left so.

    ## What to try
    Make the iterator once, outside the loop; print the first indices of some batches.

    ## When to ignore it
    Training on the whole data set as one batch; an overfitting test with a single batch.

    ## Sources
    Karpathy, "A recipe for training neural networks" (2019): overfit one batch, and then stop doing so.
    """
    share = patient[METRIC]
    if last(share) != 1.0:
        return
    yield Hit(
        series=share.name,
        span=share.span(len(share) - 1),
        message=f"100 % of the first batches repeat the very first{so_far(patient)}",
        advice="make the iterator over the data once, outside the loop",
        severity=by_outcome(patient),
        causes=("new loader at each step", "seed set at each step"),
    )
