"""MIS002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import lasting, sustained_above, sustained_below

MIN_POINTS = 12  # judgement
# metric, lowest and highest usual value (veRL's rollout correction, ms-swift's guide), words
BANDS: tuple[tuple[str, float | None, float | None, str], ...] = (
    ("mismatch/effective_sample_size", 0.3, None, "effective share of the samples"),
    ("mismatch/is_weight_mean", 0.5, 2.0, "mean importance weight"),
    ("mismatch/chi2_token", None, 1.0, "chi-squared divergence per token"),
    ("mismatch/is_weight_std", None, 1.0, "spread of the importance weights"),
    ("mismatch/masked_fraction", None, 0.1, "share removed by off-policy masking"),
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
    """Importance weights are so uneven that few samples decide the update.

    ## What it looks for
    In 8 of 10 steps to the end: an effective sample size below 0.3 (`least_samples`), a mean
    weight outside 0.5 to 2, a spread or a chi-squared divergence above 1, or more than 10 % of
    the tokens masked. A notice while the outcome improves, holds or is unknown.

    ## Why it matters
    The correction then costs more than it mends: the gradient hangs on a handful of tokens.

    ## Usual causes
    1. Rollout engine and trainer disagree (MIS001).
    2. Stale samples (MIS003).
    3. The threshold of the correction is too loose or too tight.

    ## What to try
    Look at MIS001 first; then reduce staleness; use token-level weights where sequence-level ones
    explode.

    ## When to ignore it
    Sequence-level weights of very long responses.

    ## Sources
    veRL's rollout correction; ms-swift's guide on the mismatch; TorchRL on the effective sample
    size.
    """
    for metric, lowest, highest, words in BANDS:
        series = patient.find(metric)
        if series is None or len(series) < MIN_POINTS:
            continue
        if metric == "mismatch/effective_sample_size":
            if series.values.max() > 1.0:  # a number of samples, and no share of them
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
            message=f"{words} is {middle:.3g} in {stretch.beyond} steps",
            advice="make rollout engine and trainer agree first, then use fresher samples",
            severity=None if sure else "notice",
            causes=(
                "rollout engine and trainer disagree",
                "stale samples",
                "threshold of correction",
            ),
            limit=Limit(float(bound or 0.0), "usual for importance weights"),
        )
        return
