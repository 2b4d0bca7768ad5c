from runvitals.rules.kit import Detection, Hit, Limit, rule
from runvitals.rules.preflight import reports


@rule("PRE008", when=reports("preflight/cross_sample_gradient"), fact=True)
def samples_see_each_other(found: Detection, *, limit: float = 1e-6) -> Hit | None:
    """The output for one sample depends on the inputs of others in its batch.

    ## What it looks for
    `preflight/cross_sample_gradient` above 1e-6 (`limit`). `rv.watch` runs the first batch once in
    eval() and takes the gradient of the first sample's output. The share that goes to the inputs of
    other samples should be exactly 0. Models whose first dimension is time, or that take the edges
    of a graph, are not checked.

    ## Why it matters
    Answers, and through them targets, leak across the batch. Results look too good in training and
    depend on what else is in the batch.

    ## Usual causes
    1. A `view` or `reshape` that mixes the batch with another dimension.
    2. A softmax, mean or norm over dimension 0.
    3. Attention over the batch: `batch_first` is not what the layer expects.

    ## What to try
    Run the model on one sample alone and within a batch, and compare. Check each `dim=` and `view`.

    ## When to ignore it
    Models that are meant to look at a whole set, such as those with in-batch retrieval.

    ## Sources
    Karpathy, "A recipe for training neural networks" (2019): use backprop to chart dependencies. The
    limit is rounding: independent samples give exactly 0.
    """
    if not found.level > limit:
        return None
    return found.hit(
        f"{min(found.level, 1.0):.1%} of the gradient of one sample's output goes to other samples",
        advice="check whether a view, softmax or norm acts on the batch dimension",
        causes=(
            "a view that mixes the batch",
            "a softmax or norm over dimension 0",
            "attention over the batch",
        ),
        limit=Limit(limit, "independent samples give 0"),
    )
