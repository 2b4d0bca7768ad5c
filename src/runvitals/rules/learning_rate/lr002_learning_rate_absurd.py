import numpy as np

from runvitals.rules.data import any_series
from runvitals.rules.kit import Detection, Hit, Limit, Patient, Series, Severity, constant, rule
from runvitals.rules.learning_rate.used import OWN_LOOP, LearningRate, learning_rate
from runvitals.rules.policy import log_is_rounded

MIN_ROWS = 3  # of exactly 0: a fact needs no statistics, but one row may be a header
BEGUN = 0.1  # of the plan; before that a schedule may still wait (judgement)
NOTHING_EXCUSES = 3.0  # times the rate that destroys: beyond any tuned setting (judgement)


@rule("LR002", severity="critical", verdict="not learning", fact=True)
def learning_rate_absurd(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The learning rate is 0, or far too high or too low for this optimiser.

    ## What it looks for
    The largest learning rate that was logged, or the one in the settings:

    - Zero: exactly 0 at all of at least three points, or in the settings. This is critical. It is a
      notice if the outcome is doing well, or if the log rounds its numbers so that a small rate
      looks like 0.
    - Too high: above what destroys networks of this kind with this optimiser. That is 0.02 for PPO,
      SAC, DQN and language models with Adam, 0.1 for small scripts, 10 for SGD, or your `limit`. It
      is a warning, or a notice if the outcome is doing well all the same, up to three times the
      limit or in small scripts.
    - Ended: exactly 0 in the whole second half of the run, and above 0 before. A warning.
    - Too low to learn anything, with Adam and an outcome that is clearly bad: below 1e-6 in
      reinforcement learning, 1e-7 in small scripts, 5e-8 for language models. A warning.

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
        shown = None if rate is None else rate.series or patient.raw(any_series(patient) or "")
        if rate is None or shown is None or not len(shown):
            continue
        hit = (
            _zero(patient, rate, shown)
            or _too_high(patient, rate, shown, limit)
            or _too_low(patient, rate, shown)
        )
        if hit is not None:
            return hit
    return None


def _zero(patient: Patient, rate: LearningRate, shown: Series) -> Hit | None:
    """A rate of 0, in the settings or for half of the run up to its end."""
    begun = patient.finished or patient.progress is None or patient.progress >= BEGUN
    if rate.series is None:
        found = Detection(shown, 0, len(shown) - 1, 0.0) if rate.value == 0 else None
        where = "in the settings"
    else:
        found = constant(shown, max(MIN_ROWS, len(shown) // 2), value=0.0)
        where = f"at all {len(shown)} points"
    if found is None or not begun:
        return None
    rounded = rate.series is not None and log_is_rounded(patient)
    severity: Severity = "notice" if rounded or patient.health.good else "critical"
    if rate.value > 0:
        where, severity = f"from step {found.step:,} on", "warning"
    return found.hit(
        f"the learning rate is exactly 0 {where}"
        + (", or the log rounds a small rate to 0" if rounded else ": nothing is learned there"),
        advice="give the schedule the number of steps that the run really has"
        + (", and log the rate with more digits" if rounded else ""),
        severity="notice" if rounded else severity,
        causes=("a schedule that has ended or never begins", "a rate of 0 in the settings"),
    )


def _too_high(
    patient: Patient, rate: LearningRate, shown: Series, limit: float | None
) -> Hit | None:
    mark = rate.yardstick
    if mark is None and limit is None:
        return None
    bound = patient.limit(
        limit, otherwise=mark.absurd if mark else 0.0, why=f"destroys networks, for {_of(rate)}"
    )
    if rate.value < bound.value:
        return None
    beyond = (
        np.flatnonzero(shown.values >= bound.value) if rate.series is not None else np.empty(0, int)
    )
    first, last = (int(beyond[0]), int(beyond[-1])) if len(beyond) else (0, len(shown) - 1)
    # a small script may hold a table, which bears any rate
    sane = not bound.from_run and (mark is OWN_LOOP or rate.value < NOTHING_EXCUSES * bound.value)
    return Detection(shown, first, last, rate.value, limit=bound).hit(
        f"the learning rate is {rate.value:.3g}{_usual(rate) if limit is None else ''}",
        advice="lower it by factors of three, to what is usual for this optimiser",
        severity="notice" if sane and patient.health.good else "warning",
        causes=("a lost exponent", "a default for another optimiser"),
    )


def _too_low(patient: Patient, rate: LearningRate, shown: Series) -> Hit | None:
    """A rate at which nothing is learned, in a run that surely learns nothing."""
    mark = rate.yardstick
    if mark is None or not 0 < rate.value < mark.tiny or not patient.health.bad:
        return None
    bound = Limit(mark.tiny, f"too low to learn, for {mark.of}")
    return Detection(shown, 0, len(shown) - 1, rate.value, limit=bound).hit(
        f"the learning rate is at most {rate.value:.3g}, and nothing is learned{_usual(rate)}",
        advice="raise it to what is usual, then change it by factors of three",
        severity="warning",
        causes=("a lost exponent", "a schedule that has ended"),
    )


def _of(rate: LearningRate) -> str:
    return rate.yardstick.of if rate.yardstick else ""


def _usual(rate: LearningRate) -> str:
    mark = rate.yardstick
    return f"; up to {mark.usual:g} is usual for {mark.of}" if mark else ""
