"""MIS002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit
from runvitals.model.formatting import short_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above, sustained_below

MIN_POINTS = 12  # judgement
# metric, lowest and highest usual value (veRL's rollout correction, ms-swift's guide), words
BANDS: tuple[tuple[str, float | None, float | None, str], ...] = (
    ("mismatch/effective_sample_size", 0.3, None, "effective sample size (share of the batch)"),
    ("mismatch/is_weight_mean", 0.5, 2.0, "mean importance weight"),
    ("mismatch/chi2_token", None, 1.0, "chi-squared divergence per token"),
    ("mismatch/is_weight_std", None, 1.0, "standard deviation of the importance weights"),
    ("mismatch/masked_fraction", None, 0.1, "fraction masked as off-policy"),
)


@rule(
    "MIS002",
    "importance-weights-degenerate",
    severity="warning",
    needs=["|".join(band[0] for band in BANDS)],
    families=["llm-rl", "off-policy"],
)
def importance_weights_degenerate(
    patient: Patient, *, least_samples: float | None = None
) -> Iterator[Hit]:
    """Importance weights are so uneven that a few samples decide the update.

    ## What it looks for
    One of these in 8 of 10 steps, through the end of the run:

    - an effective sample size below 0.3 (`least_samples`)
    - a mean weight outside 0.5 to 2
    - a standard deviation of the weights above 1
    - a chi-squared divergence above 1
    - more than 10% of the tokens masked

    A warning if the outcome is not doing well, otherwise a notice.

    ## Why it matters
    The correction then does more harm than good: the gradient depends on a handful of tokens.

    ## Usual causes
    1. Rollout engine and trainer disagree (MIS001).
    2. Samples are stale (MIS003).
    3. The correction's threshold is too loose or too tight.

    ## What to try
    Look at MIS001 first, then reduce staleness. Use token-level weights if sequence-level weights
    explode.

    ## When to ignore it
    Sequence-level weights of very long responses.

    ## Sources
    veRL's rollout correction; ms-swift's guide on the mismatch; TorchRL on effective sample size.
    """
    for metric, lowest, highest, words in BANDS:
        series = patient.find(metric)
        if series is None or len(series) < MIN_POINTS:
            continue
        if metric == "mismatch/effective_sample_size":
            if series.values.max() > 1.0:  # a number of samples, not a share of them
                continue
            lowest = lowest if least_samples is None else least_samples
        low = sustained_below(series.values, lowest) if lowest is not None else []
        high = sustained_above(series.values, highest) if highest is not None else []
        stretch = lasting(high, len(series)) or lasting(low, len(series))
        if stretch is None:
            continue
        middle = float(np.median(series.values[stretch.first : stretch.last + 1]))
        bound = lowest if stretch in low else highest
        sure = patient.health.struggles
        yield Hit(
            series=series.name,
            span=stretch.span(series),
            message=f"{words} is {short_number(middle)} over {stretch.beyond:,} steps",
            advice="make the rollout engine and the trainer agree first, then use fresher samples",
            severity=None if sure else "notice",
            causes=(
                "rollout engine and trainer disagree",
                "stale samples",
                "correction threshold too loose or too tight",
            ),
            limit=Limit(float(bound or 0.0), "usual for importance weights"),
        )
        return
