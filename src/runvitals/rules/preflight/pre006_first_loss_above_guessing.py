from runvitals.rules.kit import Hit, Limit, Patient, rule, stretch

METRIC = "preflight/initial_loss_ratio"


@rule("PRE006", needs=[METRIC], fact=True, excused_by_outcome=True)
def first_loss_above_guessing(patient: Patient, *, limit: float = 1.5) -> Hit | None:
    """The first loss is far above that of guessing, ln(classes).

    ## What it looks for
    `preflight/initial_loss_ratio` above 1.5 (`limit`): the cross-entropy of the first batch,
    divided by the logarithm of the number of classes. A warning if the outcome is not doing well,
    otherwise a notice.

    ## Why it matters
    A network that knows nothing and says so has a ratio of 1. Above that, it is confident in wrong
    answers, and the first updates are spent on unlearning them.

    ## Usual causes
    1. An output layer that is initialised too large, or an embedding tied to it.
    2. Inputs that are not normalised.
    3. Labels shifted by one, or from another vocabulary.
    4. A loss that is summed instead of averaged.

    ## What to try
    Scale down the initialisation of the last layer, normalise inputs, and look at a few labels.

    ## When to ignore it
    Reward or class weights inside the loss that change its scale.

    ## Sources
    Karpathy, "A recipe for training neural networks" (2019): verify the loss at init. The limit is a
    judgement: logits with a spread of 1.5 give it for ten classes.
    """
    first = stretch(patient[METRIC], 0, 0)
    if not first.level > limit:
        return None
    return first.hit(
        f"first loss is {first.level:.3g} times that of guessing",
        advice="scale down the last layer's initialisation, and check inputs and labels",
        causes=("output layer initialised too large", "inputs not normalised", "wrong labels"),
        limit=Limit(limit, "1 is guessing"),
    )
