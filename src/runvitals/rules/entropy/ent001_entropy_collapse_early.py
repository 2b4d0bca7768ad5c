"""ENT001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.beyond_excuse import (
    ENTROPY_EARLY,
    ENTROPY_GONE,
    ENTROPY_LEFT,
    HALF_WAY,
    LOW_RATE,
)
from runvitals.rules.entropy._floor import FIRST, least_at_start
from runvitals.rules.outcome import Outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import by_outcome, so_far
from runvitals.signals.late import late_median
from runvitals.signals.robust import running_median

MIN_POINTS = 12  # judgement
GONE, LOW = 0.05, 0.1  # of the entropy at the start (judgement)
PLATEAU = (
    0.2  # of the entropy at the start, if it is reached in the first part of the run (judgement)
)
EARLY = 0.25  # of the steps seen (judgement)
MOST_OF_RISE = 0.75  # made by then: such a policy had found what it needs (judgement)
CALM, OF_ALL = 5, 1 / 20  # points, and the share of them, whose median counts as one (judgement)
SPREAD = "policy/action_std"
TOO_LITTLE_TO_SHOW = 0.001  # of the start: one decimal of a percentage shows it as 0
LEANS = 1.0  # standard errors above its start (judgement): 1 in 6 flat outcomes end so high
SURE = 2.0  # standard errors that a rate may be off
SMALL_FOR_TOKENS = 0.1  # nats per token; healthy language models live not far above (judgement)


@rule(
    "ENT001",
    "entropy-collapse-early",
    severity="warning",
    needs=["policy/entropy|policy/action_std|policy/entropy_sequence"],
    families=["policy-gradient", "off-policy"],
)
def entropy_collapse_early(patient: Patient, *, limit: float = LOW) -> Iterator[Hit]:
    """The policy stopped exploring before it had learned.

    ## What it looks for
    Entropy that collapses. For continuous actions the standard deviation is used instead, because
    their entropy may be negative.

    - Warning: entropy ends below a tenth of its start, and the outcome falls or ends no better than
      it began. Language models must also be below 0.1 nats per token.
    - Warning: entropy falls below a fifth within the first quarter of the run and stays there, and
      the outcome is not doing well. Language models must also be below 0.1 nats per token, or have
      lost nine tenths.
    - Critical: entropy ends below a twentieth, and it is certain that the outcome ends no better than
      it began.
    - Warning, whatever the outcome does: entropy ends below a hundredth of its start while success,
      wins or the like are below 20%.

    An outcome too noisy to tell does not prove harm: it makes each of these a warning at most, and a
    notice if the outcome ends above its start by more than one standard error.

    A solved task needs no exploration. So while the outcome improves or holds, only a collapse in
    the first quarter counts:

    - Notice: less than three quarters of the later rise had been made by then.
    - Warning: entropy was below a twentieth of its start, and less than half of the later rise had
      been made.

    ## Why it matters
    A policy without randomness tries nothing new. It will not learn what it does not know by then.

    ## Usual causes
    1. Entropy bonus too small, or with the wrong sign.
    2. Learning rate or number of epochs too high.
    3. The same clip range on both sides (language models).
    4. One part of the reward dominates.
    5. Sampling temperature too low.

    ## What to try
    Raise the entropy bonus in powers of ten from 0.001, or lower the learning rate. For language
    models, widen the upper clip range. If the outcome is flat and entropy is gone, go back to an
    earlier checkpoint.

    ## When to ignore it
    Entropy falls while the outcome rises: that is learning.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary (collapse too early);
    Cui et al. 2025 on the entropy mechanism.
    """
    series = _randomness(patient)
    if series is None or len(series) < MIN_POINTS or patient.health.early:
        return
    said = _by_outcome(patient, series, limit)
    if all(hit.severity == "notice" for hit in said):
        said = _gone_at_nothing(patient, series) or said
    yield from said


def _by_outcome(patient: Patient, series: Series, limit: float) -> list[Hit]:
    if patient.health.good and not patient.health.solved:
        return _too_soon(patient, series) or _early_sign(patient, series)
    if patient.health.solved or patient.health.unknown:
        return _early_sign(patient, series)
    if patient.health.struggles:
        return _collapsed(patient, series, limit) or _early_sign(patient, series)
    return []


def _collapsed(patient: Patient, series: Series, limit: float) -> list[Hit]:
    """Gone, whenever that was, in a run that is not doing well."""
    values, start, late = series.values, _start(series), late_median(series.values)
    if late >= limit * start or not _had_choice(patient, series):
        return []
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS:
        return []
    first = _since(values, limit * start)
    stuck, gone = patient.health.gets_nowhere, late < GONE * start
    if not (stuck or patient.health.falls or (gone and _share_at(series, first) <= EARLY)):
        return []
    severity = _harm(patient)
    certain = not patient.health.unsure
    if severity == "warning" and gone and stuck and certain:
        severity = "critical"
    return [
        _hit(
            patient,
            series,
            first,
            severity,
            Limit(limit * start, f"{limit:g} times this run's start"),
        )
    ]


def _early_sign(patient: Patient, series: Series) -> list[Hit]:
    """A low plateau from early on."""
    start, late = _start(series), late_median(series.values)
    if late >= PLATEAU * start or not _had_choice(patient, series):
        return []
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS and late >= LOW * start:
        return []
    first = _since(series.values, PLATEAU * start, max(CALM, int(OF_ALL * len(series))))
    if _share_at(series, first) > EARLY or _made(patient, int(series.steps[first])) > MOST_OF_RISE:
        return []
    bound = Limit(PLATEAU * start, f"{PLATEAU:g} times this run's start")
    return [_hit(patient, series, first, _harm(patient), bound)]


def _harm(patient: Patient) -> Severity:
    """Warning where the outcome suffers, notice where it is fine or leans upwards."""
    outcome = patient.outcome
    if patient.health.unsure and outcome is not None:
        course = outcome.course
        if course.change >= max(course.matters, LEANS * course.change_error):
            return "notice"
    return by_outcome(patient)


def _low_rate(patient: Patient) -> Outcome | None:
    """A rate of success in this run that is known to be low, the main outcome or one beside it."""
    outcomes = patient.health.outcomes
    for one in (patient.outcome, outcomes.held_out, outcomes.success, outcomes.training):
        if one is not None and one.role.kind == "rate" and one.course.points >= MIN_POINTS:
            course = one.course
            most = course.now + SURE * course.now_error
            return one if not one.role.lower_is_better and most < LOW_RATE else None
    return None


def _gone_at_nothing(patient: Patient, series: Series) -> list[Hit]:
    """No randomness is left while hardly any try succeeds: beyond excuse, however that rate moves."""
    low, start, late = _low_rate(patient), _start(series), late_median(series.values)
    if low is None or late >= ENTROPY_GONE * start or not _had_choice(patient, series):
        return []
    first = _since(series.values, ENTROPY_GONE * start)
    bound = Limit(ENTROPY_GONE * start, f"{ENTROPY_GONE:g} times this run's start")
    beside = f", while {low.series.name} is only {number(low.shown(low.course.now), 2)}"
    return [_hit(patient, series, first, "warning", bound, beside)]


def _hit(
    patient: Patient,
    series: Series,
    first: int,
    severity: Severity,
    bound: Limit,
    beside: str | None = None,
) -> Hit:
    bonus = patient.number("entropy_coef")
    wrong_sign = bonus is not None and bonus < 0
    known = "" if bonus is None else f" (this run: {bonus:g})"
    if beside is None:
        beside = _beside(patient)
    return Hit(
        series=series.name,
        span=series.span(first),
        message=(f"{_fall(series)}, since step {int(series.steps[first]):,}{beside}"),
        advice=(
            f"flip the sign of the entropy bonus{known}"
            if wrong_sign
            else f"raise the entropy bonus{known} or lower the learning rate"
        ),
        severity=severity,
        causes=("entropy bonus has the wrong sign",) * wrong_sign
        + ("entropy bonus too small", "learning rate or epochs too high", "one reward dominates"),
        limit=bound,
    )


def _beside(patient: Patient) -> str:
    """What a message adds about the outcome."""
    if patient.health.unsure:
        return ", and the outcome is too noisy to tell what that does"
    return ", and the outcome is not doing well" if patient.health.struggles else so_far(patient)


def _fall(series: Series) -> str:
    """How far it fell, in words."""
    what = "standard deviation of actions" if series.metric == SPREAD else "entropy"
    late = late_median(series.values)
    share = late / _start(series)
    left = "under 0.1%" if share < TOO_LITTLE_TO_SHOW else f"{share:.1%}"
    return f"{what} down to {number(late, 2)}, {left} of its start"


def _made(patient: Patient, step: int) -> float:
    """The share of its whole rise that an outcome had made by a step; 0 if it never rose."""
    outcome = patient.outcome
    if outcome is None or not patient.health.good or outcome.course.height <= 0:
        return 0.0
    course = outcome.course
    at = int(np.searchsorted(outcome.series.steps, step, side="right")) - 1
    then = float(course.curve[min(max(at, 0), len(course.curve) - 1)])
    return (then - course.start) / course.height


def _start(series: Series) -> float:
    return float(series.values[:FIRST].max())


def _share_at(series: Series, index: int) -> float:
    """Where in the steps seen a point lies."""
    first, last = int(series.steps[0]), int(series.steps[-1])
    return (int(series.steps[index]) - first) / max(1, last - first)


def _had_choice(patient: Patient, series: Series) -> bool:
    """Whether it began with enough randomness to lose: of actions or tokens, not of whole responses."""
    return series.metric != "policy/entropy" or _start(series) >= least_at_start(patient).value


def _too_soon(patient: Patient, series: Series) -> list[Hit]:
    """Exploration ended early, when most of what was reached later had not been found yet."""
    outcome, values = patient.outcome, series.values
    if outcome is None or outcome.course.shape != "rose":
        return []
    if outcome.course.rising:  # it still finds more
        return []
    if not _had_choice(patient, series):
        return []
    start = _start(series)
    first = _since(values, ENTROPY_LEFT * start, max(CALM, int(OF_ALL * len(values))))
    share = (int(series.steps[first]) - int(series.steps[0])) / max(1, patient.last_step)
    late = late_median(values)
    if late >= ENTROPY_LEFT * start or share > ENTROPY_EARLY:
        return []
    if patient.kind == "llm-rl" and late > SMALL_FOR_TOKENS:
        return []
    made = _made(patient, int(series.steps[first]))
    if made > HALF_WAY:
        return []
    then = outcome.course.start + made * outcome.course.height
    hit = Hit(
        series=series.name,
        span=series.span(first),
        message=f"{_fall(series)}, since step {int(series.steps[first]):,}, "
        f"when {outcome.series.name} was still at "
        f"{number(outcome.shown(then), 4)}",
        advice="raise the entropy bonus: after that step it could only improve by luck",
        severity="warning",
        causes=("entropy bonus too small", "learning rate or epochs too high"),
        limit=Limit(ENTROPY_LEFT * start, f"{ENTROPY_LEFT:g} times this run's start"),
    )
    return [hit]


def _randomness(patient: Patient) -> Series | None:
    """What falls to zero when exploration ends: entropy, or the spread of continuous actions."""
    spread = patient.find(SPREAD)
    if spread is not None:
        return spread
    return None if patient.continuous else patient.find("policy/entropy", "policy/entropy_sequence")


def _since(values: np.ndarray, limit: float, width: int = CALM) -> int:
    """From where on it stays below a limit."""
    above = np.flatnonzero(running_median(values, width) >= limit)
    return min(int(above[-1]) + 1, len(values) - 1) if len(above) else 0
