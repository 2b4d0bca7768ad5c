"""Rules about held-out evaluation."""

from runvitals.rules.outcome.roles import CANDIDATES, HELD_OUT, LOWER_IS_BETTER

PAID = ("eval/reward/score_mean", "eval/reward/mean")  # the reward itself, on held-out prompts
SCORES: tuple[tuple[str, float | None], ...] = (
    *(
        (metric, ceiling)
        for metric, ceiling in CANDIDATES
        if metric.startswith(HELD_OUT) and metric not in LOWER_IS_BETTER and metric not in PAID
    ),
    *((metric, None) for metric in PAID),
)
