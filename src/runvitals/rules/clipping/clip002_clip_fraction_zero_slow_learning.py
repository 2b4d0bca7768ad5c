from runvitals.rules.kit import Detection, Hit, Patient, is_below, rule
from runvitals.rules.kl import is_above_its_limit
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.policy import one_update_per_batch


@rule(
    "CLIP002",
    when=is_below("policy/clip_fraction", 0.01, for_share=0.8),
    needs=["outcome"],
    families=["on-policy"],
    min_points=20,
)
def clip_fraction_zero_slow_learning(found: Detection, patient: Patient) -> Hit | None:
    """Almost nothing is clipped and nothing is learned: the updates could be larger.

    ## What it looks for
    All of these:

    - `policy/clip_fraction` below 0.01 in four fifths of the run, with at least 20 updates.
    - A median KL that is not above the limit of KL001.
    - An outcome that ends no better than it began.

    It is silent for language models, and when each batch is used for only one update, because then
    nothing can be clipped. It is reported as the cause of a flat outcome only if the KL is small
    too.

    ## Why it matters
    Clipping is there to hold back steps that are too long. If it never does, the steps could be
    longer, and this run is learning too slowly to waste them.

    ## Usual causes
    1. Learning rate too small, or KL coefficient too large.
    2. No signal in the advantages.
    3. Gradients clipped to almost nothing.

    ## What to try
    Check the advantages and the gradient clipping first. Then raise the learning rate or decrease
    kl_coef.

    ## When to ignore it
    The policy is already as good as it can get, so there is nothing left to clip.

    ## Sources
    Training Monitoring Guide (clip fraction near zero and slow learning).
    """
    if not patient.health.gets_nowhere or one_update_per_batch(patient):
        return None
    if is_above_its_limit(patient):
        return None
    coefficient = patient.number("kl_coef")
    known = "" if coefficient is None else f" (this run: {coefficient:g})"
    return found.hit(
        f"clip fraction below {found.bound:g} in {found.count:,} of {len(found.series):,} updates, "
        "and the outcome is flat",
        advice=f"raise the learning rate{rate_hint(patient)} or decrease kl_coef{known}, "
        "unless advantages are near zero",
        causes=(
            "learning rate too small",
            "KL coefficient too large",
            "no signal in the advantages",
            "gradients clipped to almost nothing",
        ),
    )
