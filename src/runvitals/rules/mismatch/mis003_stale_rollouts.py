from runvitals.rules.data import raw_number
from runvitals.rules.kit import Hit, Limit, Patient, above, rule

BOUNDS = ("staleness_threshold", "max_staleness", "max_off_policy_steps", "max_async_level")


@rule(
    "MIS003",
    needs=["async/staleness_mean"],
    families=["rl"],
    min_points=12,
    excused_by_outcome=True,
)
def stale_rollouts(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The policy is trained on samples from much older weights.

    ## What it looks for
    The level of `async/staleness_mean` is above half of the configured bound, or above 4 versions if
    none is configured, for a fifth of the run and at its end. It is a warning if the outcome is not
    doing well, otherwise a notice.

    ## Why it matters
    Old samples are off-policy. Clipping cuts away most of their gradient, and the rest points in
    the wrong direction.

    ## Usual causes
    1. Rollouts are too slow for the trainer.
    2. The staleness bound is too loose.
    3. Weights are synced too rarely.
    4. A few episodes are very long.

    ## What to try
    Sync the weights more often, lower the bound, or add rollout workers.

    ## When to ignore it
    Off-policy algorithms, and methods that correct for old samples.

    ## Sources
    veRL's asynchronous trainer; prime-rl.
    """
    bound = patient.band("async/staleness_mean", option=limit)
    allowed = raw_number(patient.run, *BOUNDS)
    if limit is None and allowed is not None and allowed > 1:
        bound = Limit(allowed / 2, f"half of the {allowed:g} that this run allows", from_run=True)
    found = above(patient["async/staleness_mean"], bound, to_end=True)
    return found and found.hit(
        f"samples are {found.level:.3g} weight versions old",
        advice="sync the weights more often, or lower the staleness bound",
        causes=(
            "weights synced too rarely",
            "rollouts too slow for the trainer",
            "bound too loose",
        ),
    )
