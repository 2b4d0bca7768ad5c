"""AGT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.model.formatting import number
from runvitals.rules.held_out import held_back
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.baseline import reference
from runvitals.signals.crossing import Stretch, lasting, sustained_above
from runvitals.signals.late import late_mean, start_median
from runvitals.signals.rates import as_rate
from runvitals.signals.trend import trend

TIMES = 3.0  # the early number of turns, of the longest rollout (judgement)
MEAN_TIMES = 1.5  # the early number of turns, on average (judgement)
MIN_MORE = 2.0  # turns more: one may be a matter of chance
HALF = 0.5  # of the rollouts (judgement)
MIN_POINTS = 12  # judgement
MIN_FOR_TREND = 20  # points (judgement)
MIN_TURNS = 4  # of the longest rollout: below that all take the same few by nature
ENDS = 5  # points at least that tell where it began, and where it ended
BARELY = 1.0 - 1e-9  # as many as the limit count too
NEARLY_ALL = 0.8  # of the points from then on (judgement)
ALL = 0.97  # of the most turns: then nearly every rollout is as long as the longest


@rule(
    "AGT001",
    "turn-count-blow-up",
    severity="warning",
    needs=["agent/turns_max|agent/turns_mean|agent/turn_limit_rate"],
    families=["llm-rl"],
)
def turn_count_blow_up(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Rollouts take more and more turns, or all run into the turn limit.

    ## What it looks for
    - The longest rollout takes three times as many turns as early in the run, up to the end. This
      is a notice whatever the outcome, and a warning if the outcome is not improving.
    - If the outcome is not improving: more than half of the rollouts hit the turn limit
      (`agent/turn_limit_rate`), or the mean is as high as the maximum.
    - If the outcome is not improving: the mean number of turns is up by half.

    The last two are warnings, or notices if no outcome is known. While the outcome improves, one
    case is still a warning: as many rollouts as ever hit the turn limit, and nearly all others
    succeed. Then only the limit stands in the way.

    ## Why it matters
    An agent that repeats itself burns time and tokens and earns nothing for it.

    ## Usual causes
    1. A tool fails and is called again and again.
    2. The agent goes back and forth between two states.
    3. Turns are rewarded.
    4. The stop condition was lost.

    ## What to try
    Read the longest rollout. Cap retries and penalise repeats.

    ## When to ignore it
    The task needs more turns as the agent gets further.

    ## Sources
    Training Metrics Glossary (number of turns).
    """
    bound = patient.limit(limit, otherwise=TIMES, why="times this run's early turns")
    most = _grown(patient, "agent/turns_max", bound.value)
    if patient.health.good and limit is None and not _limit_binds(patient):
        hit = most
    else:
        hit = _at_limit(patient) or most
        hit = hit or _grown(patient, "agent/turns_mean", min(bound.value, MEAN_TIMES))
    if hit is None:
        return
    severity = by_outcome(patient, beyond_excuse=_limit_binds(patient))
    series, stretch, message = hit
    yield Hit(
        series=series.name,
        span=stretch.span(series),
        message=message + (so_far(patient) if severity == "notice" else ""),
        advice="read the longest rollout; cap retries and penalise repeats",
        severity=severity,
        causes=("a failing tool is retried", "loop between two states", "stop condition lost"),
        limit=bound,
    )


def _limit_binds(patient: Patient) -> bool:
    rate = patient.find("agent/turn_limit_rate")
    if rate is None or len(rate) < MIN_POINTS:
        return False
    late = late_mean(rate.values, least=ENDS)
    return late > HALF and held_back(patient, late, float(rate.values[:ENDS].mean()))


def _at_limit(patient: Patient) -> tuple[Series, Stretch, str] | None:
    rate = patient.find("agent/turn_limit_rate")
    if rate is not None and len(rate) >= MIN_POINTS:
        stretch = lasting(sustained_above(as_rate(rate.values), HALF), len(rate))
        if stretch is not None:
            late = late_mean(rate.values, least=ENDS)
            return rate, stretch, f"{late:.0%} of the rollouts hit the turn limit"
    mean, most = patient.find("agent/turns_mean"), patient.find("agent/turns_max")
    if mean is None or most is None or len(mean) < MIN_POINTS or len(most) != len(mean):
        return None
    top = float(most.values.max())
    stretch = lasting(sustained_above(mean.values, ALL * top), len(mean))
    if top < MIN_TURNS or stretch is None:
        return None
    return mean, stretch, f"nearly every rollout uses all {top:g} turns"


def _grown(patient: Patient, metric: str, times: float) -> tuple[Series, Stretch, str] | None:
    series = patient.find(metric)
    if series is None or len(series) < MIN_FOR_TREND:
        return None
    early = min(reference(series.values), start_median(series.values, ENDS))
    more = max(times * early, early + MIN_MORE)
    many = lasting(sustained_above(series.values, more * BARELY), len(series))
    if early <= 0 or many is None or not _rose(series, many):
        return None
    late = float(np.median(series.values[many.first : many.last + 1]))
    words = "turns of the longest rollout" if metric.endswith("max") else "turns per rollout"
    return series, many, f"{words} went from {number(early, 3)} to {number(late, 3)}"


def _rose(series: Series, many: Stretch) -> bool:
    """Whether it went up for good: by a trend, or at once and stays there."""
    rest = many.last - many.first + 1
    return trend(series.values).up or many.beyond >= max(ENDS, NEARLY_ALL * rest)
