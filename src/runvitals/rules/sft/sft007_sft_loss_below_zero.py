from runvitals.rules.kit import Detection, Hit, is_below, rule


@rule(
    "SFT007",
    severity="critical",
    when=is_below(
        "lm/loss|eval/lm/loss", 0.0, "a cross-entropy is at least 0", option="", to_end=True
    ),
    fact=True,
    verdict="diverged",
)
def sft_loss_below_zero(found: Detection) -> Hit:
    """A cross-entropy has run below 0, which no cross-entropy can.

    ## What it looks for
    A loss of tokens whose level is surely below 0 for a fifth of the run and at its end.

    ## Why it matters
    A cross-entropy is minus the logarithm of a probability: 0 is a perfect prediction. Below it, the
    number is something else, or its sign is turned and training makes the right answers unlikely.
    The curve looks like fast learning.

    ## Usual causes
    1. The loss has the wrong sign, as with a mean log-probability that is minimised.
    2. Class weights or a regulariser are negative.
    3. Another quantity is logged as the loss.

    ## What to try
    Compute the loss of one batch by hand. Check the sign before `backward()`.

    ## When to ignore it
    A loss that is not a cross-entropy. Then log it under another name.

    ## Sources
    Follows from the definition of the cross-entropy.
    """
    return found.hit(
        f"the loss is {found.series.last:.3g}, but a cross-entropy cannot be below 0",
        advice="compute the loss of one batch by hand, and check its sign",
        causes=("wrong sign", "not a cross-entropy"),
    )
