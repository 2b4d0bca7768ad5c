from runvitals.rules.kit import Detection, Hit, Patient, Quote, rule


@rule("GAIN004", needs=["gain/eval_prompts_trained_on"], fact=True)
def evaluation_trained_on(patient: Patient, *, share: float = 0.05, least: int = 3) -> Hit | None:
    """The evaluation asks what was trained on.

    ## What it looks for
    Prompts of the evaluation that stand word for word in the training samples: at least 3 of them and
    5% of those seen. Case and white space do not count.

    ## Why it matters
    Such a score measures memory. It says nothing about new prompts.

    ## Usual causes
    1. The split was made after the data was copied or augmented.
    2. Both sides read the same file.
    3. The benchmark is part of the training data.

    ## What to try
    Remove the quoted prompts from the training data, and evaluate an earlier checkpoint again.

    ## When to ignore it
    The evaluation is meant to measure the fit to the training prompts.

    ## Sources
    Sainz et al. (2023), NLP evaluation in trouble: data contamination.
    """
    series, digest = patient["gain/eval_prompts_trained_on"], patient.run.digest
    if digest is None or series.last < share:
        return None
    from runvitals.rollouts.gain import trained_on

    shared = trained_on(digest)
    if len(shared) < least:
        return None
    found = Detection(series, 0, len(series) - 1, series.last)
    return found.hit(
        f"{series.last:.0%} of the evaluation's prompts are trained on, {len(shared):,} of those kept",
        advice="take them out of the training data, or evaluate on others",
        causes=("training and evaluation read the same data", "the split came after augmentation"),
        quotes=[
            Quote(one.sample, f"prompt: {' '.join(one.prompt.split())[-160:]}")
            for one in shared[:2]
        ],
    )
