"""LR002."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Span
from runvitals.rules.data._values import any_series
from runvitals.rules.learning_rate.used import OWN_LOOP, LearningRate, learning_rate
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

MIN_POINTS = 3  # of exactly 0: a fact needs no statistics, but one row may be a header
HALF = 0.5  # of the points: a schedule that ended so early was made for another run (judgement)
BEGUN = 0.1  # of the plan; before that a schedule may still wait (judgement)
NOTHING_EXCUSES = (
    3.0  # times the rate that destroys; judgement: beyond any tuned setting we know of
)
DECIMALS = 4  # a log that rounds all it prints to this many shows small rates as 0
MAX_SERIES = 12  # looked at for rounding


@rule(
    "LR002",
    "learning-rate-absurd",
    severity="warning",
    verdict="not learning",
)
def learning_rate_absurd(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The learning rate is 0, or far too high or too low for this optimiser.

    ## What it looks for
    The largest learning rate that was logged, or the one in the settings:

    - Too high: above what destroys networks of this kind with this optimiser. That is 0.02 for PPO,
      SAC, DQN and language models with Adam, 0.1 for small scripts, 10 for SGD, or your `limit`. It
      is a notice if the outcome is doing well all the same, up to three times the limit or in small
      scripts.
    - Zero: exactly 0 at all of at least three points, or in the settings. This is critical. It is a
      notice if the outcome is doing well, or if the log rounds its numbers so that a small rate
      looks like 0.
    - Ended: exactly 0 in the whole second half of the run, and above 0 before.
    - Too low to learn anything, with Adam and an outcome that is not doing well: below 1e-6 in
      reinforcement learning, 1e-7 in small scripts, 5e-8 for language models.

    If the optimiser is unknown, as for tabular methods, any rate may be right.

    ## Why it matters
    Adam moves each weight by about the learning rate in every step, whatever the gradient. At 0.1 a
    few steps destroy a network. At 0 nothing ever changes, and the run costs as much.

    ## Usual causes
    1. A default for another optimiser, or a lost exponent (1e-1 instead of 1e-4).
    2. A schedule with the wrong number of steps, which has ended or never begins.
    3. A factor logged instead of a rate.

    ## What to try
    Use 3e-4 for policies, 1e-4 to 1e-3 for critics, 1e-6 to 1e-4 for language models. Change it by
    factors of three.

    ## When to ignore it
    The optimiser finds its own rate, and the log does not name it.

    ## Sources
    RL Baselines3 Zoo (tuned rates go up to 2.3e-3); TRL's defaults; PyTorch's defaults for each
    optimiser; SB3 runs at 0.03 to 1, all of which collapse.
    """
    for rate in (learning_rate(patient), learning_rate(patient, of_critic=True)):
        hit = None if rate is None else _zero(patient, rate) or _absurd(patient, rate, limit)
        hit = hit or (None if rate is None else _ended(patient, rate) or _tiny(patient, rate))
        if hit is not None:
            yield hit
            return


def _absurd(patient: Patient, rate: LearningRate, limit: float | None) -> Hit | None:
    if limit is not None:
        bound, usual = Limit(limit, "your option", from_run=True), ""
    elif rate.yardstick is not None:
        of = rate.yardstick.of
        bound = Limit(rate.yardstick.absurd, f"destroys networks, for {of}")
        usual = f"; up to {rate.yardstick.usual:g} is usual for {of}"
    else:
        return None
    where = _where(patient, rate)
    if rate.value < bound.value or where is None:
        return None
    name, span = where
    if rate.series is not None:
        beyond = np.flatnonzero(rate.series.values >= bound.value)
        span = rate.series.span(int(beyond[0]), int(beyond[-1]))
    small = rate.yardstick is OWN_LOOP  # a table, perhaps, which bears any rate
    sane = not bound.from_run and (small or rate.value < NOTHING_EXCUSES * bound.value)
    excused = sane and patient.health.good
    return Hit(
        series=name,
        span=span,
        message=f"the learning rate is {rate.value:.3g}{usual}",
        advice="lower it by factors of three, to what is usual for this optimiser",
        severity="notice" if excused else None,
        causes=("a lost exponent", "a default for another optimiser"),
        limit=bound,
    )


def _tiny(patient: Patient, rate: LearningRate) -> Hit | None:
    """A rate at which nothing is learned, in a run that shows nothing else."""
    where = _where(patient, rate)
    if rate.yardstick is None or where is None or not 0 < rate.value < rate.yardstick.tiny:
        return None
    if not patient.health.struggles:
        return None
    name, span = where
    return Hit(
        series=name,
        span=span,
        message=f"the learning rate is at most {rate.value:.3g}, and nothing is learned; up to "
        f"{rate.yardstick.usual:g} is usual for {rate.yardstick.of}",
        advice="raise it to what is usual, then change it by factors of three",
        causes=("a lost exponent", "a schedule that has ended"),
        limit=Limit(rate.yardstick.tiny, f"too low to learn, for {rate.yardstick.of}"),
    )


def _zero(patient: Patient, rate: LearningRate) -> Hit | None:
    where = _where(patient, rate)
    if rate.level != "zero" or where is None:
        return None
    begun = patient.finished or patient.progress is None or patient.progress >= BEGUN
    if not begun or (rate.series is not None and len(rate.series) < MIN_POINTS):
        return None
    name, span = where
    rounded = rate.series is not None and _is_rounded(patient)
    points = f" at all {span.count} points" if rate.series is not None else " in the settings"
    return Hit(
        series=name,
        span=span,
        message=f"the learning rate is exactly 0{points}"
        + (", or the log rounds a small rate to 0" if rounded else ": nothing is learned"),
        advice="check where the schedule starts and ends, and log the rate with more digits"
        if rounded
        else "check where the schedule starts and ends",
        severity="notice" if rounded or patient.health.good else "critical",
        causes=("a schedule that has ended or never begins", "a rate of 0 in the settings"),
    )


def _ended(patient: Patient, rate: LearningRate) -> Hit | None:
    """A schedule that came down to 0 long before the run was over."""
    series = rate.series
    if series is None or len(series) < MIN_POINTS or series.last != 0.0:
        return None
    above = np.flatnonzero(series.values != 0.0)
    first = int(above[-1]) + 1 if len(above) else 0
    left = len(series) - first
    if not first or left < max(MIN_POINTS, HALF * len(series)) or _is_rounded(patient):
        return None
    return Hit(
        series=series.name,
        span=series.span(first),
        message=f"the learning rate is exactly 0 from step {int(series.steps[first]):,} on, at "
        f"{left:,} of {len(series):,} points: nothing is learned there",
        advice="give the schedule the number of steps that the run really has",
        causes=("a schedule made for fewer steps",),
    )


def _where(patient: Patient, rate: LearningRate) -> tuple[str, Span] | None:
    """The series to show, and the part of it."""
    if rate.series is not None:
        return rate.series.name, rate.series.span()
    name = any_series(patient)
    series = patient.raw(name) if name else None
    if series is None or not len(series):
        return None
    return name, series.span()


def _is_rounded(patient: Patient) -> bool:
    """Whether no number in the log has more digits than a few."""
    for name in patient.run.names()[:MAX_SERIES]:
        series = patient.raw(name)
        values = np.empty(0) if series is None else series.finite().values
        if len(values) and not np.allclose(values, np.round(values, DECIMALS), rtol=0, atol=1e-9):
            return False
    return True
