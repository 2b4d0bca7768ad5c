from runvitals.rules.kit import Hit, Limit, Patient, above, rose, rule, short_number
from runvitals.rules.uneven import HELD, long_tails
from runvitals.signals.late import early_median, late_median

SPREADS = {  # and the means they are around
    "reward/std": "reward/mean",
    "reward/score_std": "reward/score_mean",
    "outcome/return_std": "outcome/return_mean",
}
OUTLIERS = "look at the largest and smallest rewards; clip or rank-normalise them"


@rule(
    "REW007",
    needs=[f"{'|'.join(SPREADS)}|reward/var|histogram:reward"],
    excused_by_outcome=True,
    min_points=20,
)
def reward_variance_or_tails(patient: Patient, *, variance_max: float | None = None) -> Hit | None:
    """Rewards are spread so widely, or so unevenly, that a few of them dominate the batch.

    ## What it looks for
    The first of these that holds:

    - **Variance**: it ends above `variance_max`, if you set it (a warning), or above 0.01 for scores
      from 0 to 1 that a teacher gives.
    - **Growth**: a spread that has grown to three times its early level, and is wider than that by
      more than all the mean has gained.
    - **Long tails**: a logged histogram of rewards whose farthest 5% account for 30% of all
      differences, or whose tails are equally heavy.

    Unless stated, it is a warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    An update follows the sum of the advantages. With long tails, outliers decide that sum.

    ## Usual causes
    1. Outliers or unbounded terms in the reward.
    2. Noise on the reward: a judge that changes its mind, a sensor.
    3. Tasks of different scale in one batch.

    ## What to try
    Clip rewards or rank them. Normalise per task. Average several calls to the judge.

    ## When to ignore it
    Returns that spread because episodes get longer as the policy improves.

    ## Sources
    RL metrics table (reward std moderate, no long tails); TensorBoard Metrics Reference (variance
    below 0.01 for scores from 0 to 1).
    """
    return _above_limit(patient, variance_max) or _growing(patient) or _long_tails(patient)


def _above_limit(patient: Patient, variance_max: float | None) -> Hit | None:
    variance, limit = patient.find("reward/var"), patient.band("reward/var", option=variance_max)
    if variance is None or limit is None:
        return None
    if (found := above(variance, limit, to_end=True)) is None:
        return None
    return found.hit(
        f"reward variance is {short_number(found.level)} at the end, above {limit.value:g}",
        advice="average several calls to the judge, or train longer with a lower learning rate",
        causes=("noisy judge", "tasks of different scale in one batch"),
        beyond_excuse=limit.from_run,
    )


def _growing(patient: Patient) -> Hit | None:
    """A spread that grows beyond what a larger mean explains."""
    spread = patient.find(*SPREADS)
    found = None if spread is None or patient.health.early else rose(spread, 3.0)
    if spread is None or found is None:
        return None
    mean = patient.find(SPREADS[spread.metric or ""])
    gained = 0.0 if mean is None else abs(late_median(mean.values) - early_median(mean.values))
    if found.level <= found.before + gained:
        return None
    return found.hit(
        f"spread of the rewards has grown to {short_number(found.times)} times its early level",
        advice=OUTLIERS,
        causes=("outliers or unbounded terms", "tasks of different scale in one batch"),
    )


def _long_tails(patient: Patient) -> Hit | None:
    found = long_tails(patient, "reward")
    return found and Hit(
        series=found.name,
        span=found.span,
        message=f"rewards have {found.words}",
        advice=OUTLIERS,
        causes=("outliers or unbounded terms", "tasks of different scale in one batch"),
        limit=Limit(HELD, "RL metrics table: no long tails"),
    )
