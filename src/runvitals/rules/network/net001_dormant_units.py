from runvitals.rules.kit import Hit, Limit, Patient, above, fell, rule

DORMANT = (
    "net/dormant_fraction|net/dormant_frac|net/dormant_ratio|dormant_fraction|dormant_ratio"
    "|dead_neurons|net/dead_fraction"
)
RANK = "net/effective_rank|effective_rank"
ADVICE = "add layer norm, or make fewer updates per sample"
CAUSES = ("targets that keep changing", "many updates per sample", "learning rate too high")


@rule(
    "NET001",
    needs=[f"{DORMANT}|{RANK}"],
    families=["rl"],
    preview=True,
    excused_by_outcome=True,
    min_points=12,
)
def dormant_units(patient: Patient, *, limit: float = 0.5) -> Hit | None:
    """A large part of the network no longer responds to its input.

    ## What it looks for
    The level of the logged share of dormant units (0 to 1) is above 0.5 (`limit`) at the end and
    for a fifth of the run, or the effective rank of the features has surely lost half of its value
    at the start. It is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    Units that stay silent stop learning. The network loses its ability to follow new targets.

    ## Usual causes
    1. Targets that keep changing.
    2. Many updates per sample.
    3. A learning rate so large that ReLU units died.

    ## What to try
    Add layer norm, make fewer updates per sample, reset dormant units now and then, or lower the
    learning rate.

    ## When to ignore it
    Networks much wider than the task needs.

    ## Sources
    Sokar et al., "The dormant neuron phenomenon" (2023); RLExplorer; SageMaker Debugger (dead
    ReLU).
    """
    share, rank = patient.find(*DORMANT.split("|")), patient.find(*RANK.split("|"))
    if share is not None and share.values.min() >= 0 and share.values.max() <= 1:
        found = above(share, Limit(limit, "half of the network"), to_end=True)
        if found is not None:
            return found.hit(
                f"{found.level:.0%} of the units are dormant", advice=ADVICE, causes=CAUSES
            )
    found = fell(rank, 0.5)
    return found and found.hit(
        f"effective rank of the features fell to {found.times:.0%} of its early value",
        advice=ADVICE,
        causes=CAUSES,
    )
