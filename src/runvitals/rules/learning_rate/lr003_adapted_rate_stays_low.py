from runvitals.rules.kit import Detection, Hit, Patient, is_below, number, rule


@rule(
    "LR003",
    when=is_below("optim/lr_scale", 0.9, "back at 1 soon after a spike", option="least"),
    excused_by_outcome=True,
    min_points=20,
    waits=True,
)
def adapted_rate_stays_low(found: Detection, patient: Patient) -> Hit:
    """Gradient spikes keep coming, so that the trainer holds its learning rate down.

    ## What it looks for
    What a controller multiplies the learning rate by lies below `least` (0.9) for a fifth of the
    run. It is a notice while the outcome is doing well.

    ## Why it matters
    Smaller steps on larger batches are right after one bad batch. If they stay, the cause of the
    spikes is still there, and the run learns at a fraction of its rate.

    ## Usual causes
    1. A learning rate that is too high even without spikes.
    2. Rewards or values whose scale has changed.
    3. Bad batches that come again and again.

    ## What to try
    Look at the batches of the spikes. Then lower the learning rate itself, or mend the scale of the
    rewards.

    ## When to ignore it
    A schedule is logged as a scale of the learning rate.

    ## Sources
    Training Monitoring Guide (spikes of the gradient norm adapt batch size and learning rate).
    """
    spikes = patient.find("optim/grad_spike")
    count = "" if spikes is None else f" after {int(spikes.values.sum()):,} gradient spikes"
    return found.hit(
        f"the learning rate is held at {number(found.level, 3)} times its plan{count}",
        advice="look at the batches of the spikes, then lower the learning rate or mend the scale "
        "of the rewards",
        causes=(
            "learning rate too high",
            "rewards or values on another scale than before",
            "bad batches that come again and again",
        ),
    )
