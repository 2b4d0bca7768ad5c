"""MIS001."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import lasting, sustained_above
from runvitals.signals.late import late_median
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
MIN_LATE = 5  # points that tell where it ended
GREW = 5.0  # times the early gap (judgement; prime-rl watches its growth)
TINY = 1e-9  # a gap of 0 is none to grow from
FAR_BEYOND = 100.0  # times what is beyond doubt: larger gaps rank alike


class Gap(NamedTuple):
    """A measure of the disagreement, and where it is worth knowing, high, and beyond doubt."""

    metric: str
    words: str
    worth_knowing: float
    high: float
    beyond_doubt: float


# veRL: 0.005 and 0.01, and a KL of 0.1; NeMo-RL: 1e-3, and a factor of 1.05; the rest by judgement
GAPS = (
    Gap("mismatch/k3_kl", "KL between rollout engine and trainer", 1e-3, 1e-2, 0.1),
    Gap("mismatch/kl", "KL between rollout engine and trainer", 2e-3, 2e-2, 0.1),
    Gap("mismatch/prob_diff_mean", "difference in token probabilities", 0.01, 0.02, 0.1),
    Gap("mismatch/logprob_diff_mean", "difference in log-probabilities", 0.03, 0.1, 0.4),
    Gap("mismatch/mult_prob_error", "factor between token probabilities", 1.05, 1.1, 1.5),
)


@rule(
    "MIS001",
    "rollout-train-probability-gap",
    severity="warning",
    needs=[
        "mismatch/k3_kl|mismatch/kl|mismatch/prob_diff_mean|mismatch/logprob_diff_mean"
        "|mismatch/mult_prob_error"
    ],
    families=["llm-rl"],
)
def rollout_train_probability_gap(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The rollout engine and the trainer assign different probabilities to the same tokens.

    ## What it looks for
    One of these in 8 of 10 steps:

    | measure | notice above | warning above, if the outcome is not doing well | warning above, always |
    |---|---|---|---|
    | KL (k3 estimator) | 0.001 | 0.01 | 0.1 |
    | KL (plain) | 0.002 | 0.02 | 0.1 |
    | difference in probability | 0.01 | 0.02 | 0.1 |
    | difference in log-probability | 0.03 | 0.1 | 0.4 |
    | factor between probabilities | 1.05 | 1.1 | 1.5 |

    A gap that grew fivefold counts like one in the second column. Beyond the last column it is
    critical if the outcome is not doing well.

    ## Why it matters
    The policy gradient assumes that samples come from the policy being trained. With a gap, it is
    biased from the first step. Large gaps end in collapse.

    ## Usual causes
    1. Weights are not fully synced to the engine.
    2. Precision or kernels differ (FP8, attention backend).
    3. Temperature, top-p or the prompt template differs.
    4. A mixture of experts routes tokens differently.
    5. An adapter is not merged.

    ## What to try
    Compare the log-probabilities of one fixed prompt in both engines after a weight update. Then
    correct what remains with truncated importance weights.

    ## When to ignore it
    Asynchronous training, where part of the gap comes from stale samples (MIS003).

    ## Sources
    veRL's FAQ and rollout correction (0.005 and 0.01; KL of 0.1); NeMo-RL (1e-3, 1.05); prime-rl
    (growth).
    """
    found: list[tuple[float, Hit]] = []
    for gap in GAPS:
        series = patient.find(gap.metric)
        if series is not None and len(series) >= MIN_POINTS:
            hit = _judge(patient, gap, series, limit)
            if hit is not None:
                found.append(hit)
    if found:
        yield max(found, key=lambda pair: pair[0])[1]


def _judge(
    patient: Patient, gap: Gap, series: Series, limit: float | None
) -> tuple[float, Hit] | None:
    values = np.abs(series.values)
    late = late_median(values, least=MIN_LATE)
    base = 1.0 if gap.metric == "mismatch/mult_prob_error" else 0.0
    early = max(reference(values) - base, TINY)
    grown = trend(values).up and late - base >= GREW * early
    used = Limit(limit, "your option", from_run=True) if limit is not None else None
    for line in (gap.beyond_doubt, gap.high, gap.worth_knowing):
        bound = used or Limit(line, "usual for one model in two engines")
        stretch = lasting(sustained_above(values, bound.value), len(values))
        if stretch is None or late <= bound.value:
            continue
        severity = _severity(patient, gap, late, grown=grown, asked=used is not None)
        message = f"{gap.words} is {late:.3g}"
        if grown:
            message += f", up from {early + base:.3g} early on"
        hit = Hit(
            series=series.name,
            span=stretch.span(series),
            message=message,
            advice="compare the log-probabilities of one prompt in both engines after a weight update",
            severity=severity,
            causes=(
                "weights not fully synced",
                "precision or kernels differ",
                "temperature or template differs",
            ),
            limit=bound,
        )
        worse = {"critical": 2.0, "warning": 1.0, "notice": 0.0}[severity]
        size = (late - base) / (gap.beyond_doubt - base)
        return worse + min(size, FAR_BEYOND) / (FAR_BEYOND + 1.0), hit
    return None


def _severity(patient: Patient, gap: Gap, late: float, *, grown: bool, asked: bool) -> Severity:
    if late > gap.beyond_doubt:
        return "critical" if patient.health.struggles else "warning"
    if asked:
        return "warning"
    if patient.health.struggles and (late > gap.high or grown):
        return "warning"
    return "notice"
