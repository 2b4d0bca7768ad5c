from runvitals.rules.kit import Hit, Limit, Patient, above, rule, short_number
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome.course import course
from runvitals.rules.outcome.health import statement
from runvitals.rules.sft import training_loss

CAUSES = (
    "learning rate too high",
    "no warm-up",
    "several bad batches in a row",
    "numeric overflow",
)


@rule("SFT002", severity="critical", needs=["outcome"])
def sft_diverged(patient: Patient) -> Hit | None:
    """The loss of supervised training has risen again, or shot far above where it began.

    ## What it looks for
    Either of these:

    - The loss has lost at least a quarter of its progress, or lies above where it began, surely and
      by an amount that matters. It is critical if most of the progress is lost.
    - The loss was at more than twice its start for a fifth of the run and came back. It is a
      warning.

    ## Why it matters
    The weights have left the region where training works. They rarely recover.

    ## Usual causes
    1. The learning rate is too high.
    2. No warm-up.
    3. Several bad batches come in a row.
    4. The number format overflows.

    ## What to try
    Resume from before the minimum with a lower peak learning rate. Clip gradients. Look at the data
    around the turning point.

    ## When to ignore it
    A deliberate change to harder data.

    ## Sources
    Training Metrics Glossary (jumps in the loss); runmedic; trainproof (held-out loss may
    overrule).
    """
    advice = f"lower the learning rate{rate_hint(patient)} or lengthen the warm-up"
    hit = statement(patient, "SFT002", advice=advice, causes=CAUSES)
    loss = training_loss(patient)
    if hit is None and loss is not None:
        start = min(float(loss.values[0]), -course(-loss.values, "loss").start)
        found = above(loss, Limit(2 * start, "twice its start")) if start > 0 else None
        if found is not None:
            message = f"the loss rose from {short_number(start)} to {short_number(found.level)}"
            message += f" and is back at {short_number(loss.last)}"
            hit = found.hit(message, advice=advice, causes=CAUSES, severity="warning")
    return hit
