import math
import re
from collections.abc import Iterator
from functools import cache

import numpy as np

from runvitals import catalog
from runvitals.rules.kit import Hit, Limit, Patient, Series, Severity, Span, number, rule
from runvitals.signals.pairs import aligned

FRACTION = re.compile(
    r"^(filled )?share\b|\bchance that\b|^probability (of|mass)|^success rate|\bclip fraction$"
    r"|^effective sample size",
    re.IGNORECASE,
)
BY_DEFINITION = {
    "value/explained_variance": (-math.inf, 1.0),
    "mismatch/prob_correlation": (-1.0, 1.0),
}
TOLERANCE = 1e-3  # what rounding and means over batches leave
MIN_POINTS = 3  # judgement: one is a hiccup of the log
MAX_ACTIONS = 10  # judgement: of more, any start lies near the logarithm of some number
OFF = 0.05  # of the logarithm, by which a start may miss it (judgement)
CLOSER = 0.1  # times as far from the log-probability as from its negative (judgement)
OF_TOKENS = ("llm-rl", "sft", "preference")


@rule("NUM003", fact=True)
def impossible_value(patient: Patient) -> Iterator[Hit | None]:
    """A metric has values that it cannot have.

    ## What it looks for
    At least three points of one of these:

    - a share, rate or probability (by the catalog's unit and meaning) outside 0 to 1
    - an explained variance above 1
    - a negative length
    - a negative entropy of tokens, or of discrete actions (recognised by a start at minus the
      logarithm of their number)
    - an entropy that equals the mean log-probability of the actions instead of its negative

    It is a notice if all values look like percentages, or if only the words in its name say what
    the metric means.

    ## Why it matters
    The number is not what its name says. Every other finding that uses it is wrong too.

    ## Usual causes
    1. A wrong sign: some tools log the entropy loss, which is minus the entropy.
    2. A metric under the wrong name.
    3. A percentage logged instead of a fraction.
    4. A wrong mean or mask.

    ## What to try
    Check the name and the sign where the metric is logged, before you trust anything that uses it.

    ## When to ignore it
    The name means something else in your code. Then map it to the right metric.

    ## Sources
    Training Metrics Glossary (one metric, many names); SB3's logger (sign of the entropy loss).
    """
    for metric in patient.run.metrics():
        bounds = _range(metric)
        if bounds is None:
            continue
        series = patient.find(metric)
        if series is not None:
            yield _outside(patient, series, *bounds)
    yield _negative_entropy(patient)


@cache
def _range(metric: str) -> tuple[float, float] | None:
    if metric in BY_DEFINITION:
        return BY_DEFINITION[metric]
    known = catalog.METRICS.get(metric) or catalog.METRICS.get(metric.removeprefix("eval/"))
    if known is None:
        return None
    if known.unit == "ratio" and FRACTION.search(known.meaning):
        return 0.0, 1.0
    if known.unit == "token" and metric.startswith("length/"):
        return 0.0, math.inf
    return None


def _outside(patient: Patient, series: Series, low: float, high: float) -> Hit | None:
    values = series.values
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero((values < low - TOLERANCE) | (values > high + TOLERANCE))
    if len(bad) < min(MIN_POINTS, len(values)):
        return None
    share = (low, high) == (0.0, 1.0)
    percent = share and bool(values.min() >= 0 and 1.5 < values.max() <= 100)
    worst = float(values[bad[np.argmax(np.abs(values[bad]))]])
    severity: Severity = "warning" if _is_sure(patient, series) and not percent else "notice"
    between = f"{low:g} to {high:g}" if math.isfinite(high) and math.isfinite(low) else ""
    possible = between or (f"at most {high:g}" if math.isfinite(high) else f"at least {low:g}")
    return Hit(
        series=series.name,
        span=_span(series, bad),
        message=(
            f"{series.name} is {number(worst)}, but must be {possible} ({len(bad):,} "
            f"point{'' if len(bad) == 1 else 's'})"
        ),
        advice=(
            "log it as a fraction of 1, or map the name to another metric"
            if percent
            else "check what is logged under this name, and its sign"
        ),
        severity=severity,
        causes=("percentage logged instead of a fraction",) * percent
        + ("a metric under the wrong name", "a wrong sign", "a wrong mean or mask"),
        limit=Limit(high if worst > high else low, "by definition"),
    )


def _negative_entropy(patient: Patient) -> Hit | None:
    entropy = patient.find("policy/entropy", "lm/entropy")
    if entropy is None or len(entropy) < MIN_POINTS:
        return None
    values = entropy.values
    bad = np.flatnonzero(values < -TOLERANCE)
    if patient.kind in OF_TOKENS:
        wrong = len(bad) >= max(MIN_POINTS, len(values) / 2)
    else:
        discrete = "policy/action_std" not in patient.run
        wrong = (discrete and _is_mirrored(values)) or _is_log_probability(patient, entropy)
    if not wrong or not len(bad):
        return None
    return Hit(
        series=entropy.name,
        span=_span(entropy, bad),
        message=(
            f"entropy of discrete choices is negative at {len(bad):,} points, "
            f"starting at {float(values[0]):.3g}"
        ),
        advice="log the entropy itself, not the entropy loss: flip the sign",
        severity="warning" if _is_sure(patient, entropy) else "notice",
        causes=("entropy logged with the wrong sign", "another metric under this name"),
        limit=Limit(0.0, "by definition"),
    )


def _is_mirrored(values: np.ndarray) -> bool:
    """Whether it starts at minus the logarithm of a number of actions and stays between that and 0."""
    first = float(values[0])
    actions = round(math.exp(min(-first, 100.0)))
    if not 2 <= actions <= MAX_ACTIONS or abs(first + math.log(actions)) > OFF * -first:
        return False
    return bool(values.max() <= 0.0 and values.min() >= -math.log(actions) - TOLERANCE)


def _is_log_probability(patient: Patient, entropy: Series) -> bool:
    """Whether it is the mean log-probability of the actions, of which entropy is the negative."""
    log_probability = patient.find("policy/logprob_mean")
    if log_probability is None:
        return False
    _, values, means = aligned(entropy, log_probability)
    if len(values) < MIN_POINTS:
        return False
    same, opposite = np.median(np.abs(values - means)), np.median(np.abs(values + means))
    return bool(same < CLOSER * opposite)


def _is_sure(patient: Patient, series: Series) -> bool:
    binding = patient.run.bindings.get(series.name)
    return binding is not None and (binding.sure == "certain" or binding.how == "agreed")


def _span(series: Series, at: np.ndarray) -> Span:
    return Span(int(series.steps[at[0]]), int(series.steps[at[-1]]), len(at))
