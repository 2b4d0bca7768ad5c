from runvitals.rules.kit import Detection, Hit, rule
from runvitals.rules.preflight import reports


@rule(
    "PRE007",
    when=reports("preflight/repeated_batches"),
    families=["supervised"],
    fact=True,
    excused_by_outcome=True,
)
def same_batch_again(found: Detection) -> Hit | None:
    """The first updates all saw the same batch.

    ## What it looks for
    `preflight/repeated_batches` at 1: every batch that `rv.watch` saw at the start is a repeat of
    the first. A warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    A model that sees only one batch learns it by heart, while its loss falls beautifully.

    ## Usual causes
    1. `next(iter(loader))` inside the loop creates a new loader, and returns its first batch, each
       time.
    2. A seed is reset at each step.
    3. A batch was fixed for a test and left that way.

    ## What to try
    Create the iterator once, outside the loop. Print the first indices of some batches.

    ## When to ignore it
    Training on the whole data set as one batch; an overfitting test with a single batch.

    ## Sources
    Karpathy, "A recipe for training neural networks" (2019): overfit one batch, then stop doing so.
    """
    if found.level != 1.0:
        return None
    return found.hit(
        "100% of the first batches repeat the very first one",
        advice="create the data iterator once, outside the loop",
        causes=("a new loader at each step", "a seed reset at each step"),
    )
