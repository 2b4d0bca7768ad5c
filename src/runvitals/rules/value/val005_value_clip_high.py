from runvitals.rules.kit import Detection, Hit, is_above, rule


@rule(
    "VAL005",
    when=is_above("value/clip_fraction", to_end=True),
    excused_by_outcome=True,
    min_points=20,
)
def value_clip_high(found: Detection) -> Hit:
    """Many of the critic's updates are clipped.

    ## What it looks for
    `value/clip_fraction` above 0.2 (`limit`) at the end and for a fifth of the run. It is a warning
    while the outcome is not doing well, otherwise a notice.

    ## Why it matters
    The clip range is in the unit of the returns. A range that suits returns of 1 paralyses a critic
    of returns of 500.

    ## Usual causes
    1. The clip range is too small for the scale of the returns.
    2. The critic moves too fast.

    ## What to try
    Scale the clip range to the returns, or turn it off. Use fewer epochs for the critic.

    ## When to ignore it
    Early in training, when values still have a long way to go.

    ## Sources
    RL metrics table (value clip fraction should be low).
    """
    return found.hit(
        f"{found.level:.0%} of the value predictions are clipped since step {found.step:,}",
        advice="scale the value clip range to the returns, or turn it off",
        causes=("clip range too small for the returns", "critic moves too fast"),
    )
