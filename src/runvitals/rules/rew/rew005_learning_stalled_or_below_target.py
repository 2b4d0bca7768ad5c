"""REW005."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.outcome import Course, Outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import TASK, far_enough, is_task, settling, span_of, way_of
from runvitals.signals.crossing import frozen

ENOUGH, FEW = 30, 15


@rule(
    "REW005",
    "learning-stalled-or-below-target",
    severity="warning",
    needs=["outcome"],
    families=["rl"],
)
def learning_stalled_or_below_target(
    patient: Patient, *, target: float | None = None
) -> Iterator[Hit]:
    """The outcome never rose above its start, or stopped rising far from where it should be.

    ## What it looks for
    First: an outcome (success, score, return, else reward) that never rose above its start beyond
    what noise and slow wandering do, over at least 30 points and half of the plan. That is a
    warning, and critical once the run is over. Fewer points, down to 15, are judged only if the
    series is so quiet that a rise would have shown. Second: a clear rise that ended at least a
    third of the run ago. That is a notice, since a plateau alone cannot be told from success; it is
    a warning below `target`, or where the known ceiling of the task is far away.

    ## Why it matters
    Most faults break nothing that could be seen but the learning itself: a mask, a sign, stale
    observations, shuffled targets, a rate too low. Steps after this point cost money and teach
    nothing.

    ## Usual causes
    1. Updates too small, or too large, to learn anything.
    2. A bug between the environment and the loss: observations, masks, returns.
    3. Exploration is spent, or never fades.
    4. The task is too hard for the starting policy.
    5. The data or the reward has nothing more to teach.

    ## What to try
    Check that the policy can learn a tiny version of the task. Then look at KL and entropy: near
    zero and constant means that updates do nothing, large means that they destroy. After a plateau
    change data or exploration; more steps alone seldom help.

    ## When to ignore it
    Sparse tasks in which nothing happens for long; runs that begin with a policy that can already
    do it.

    ## Sources
    TensorBoard Metrics Reference (average reward should rise, target 0.7); RL metrics table (reward
    should rise steadily); Training Metrics and Telemetry (learning that stalls unnoticed).
    """
    outcome = patient.outcome
    if outcome is None or outcome.way is None or not is_task(patient):
        return
    way = outcome.way
    if target is not None and _below(way, target) and far_enough(patient, 0.9):
        yield _below_target(outcome, way, target)
    elif patient.state == "stalled" and way.never_rose:
        yield from _never_rose(patient, outcome, way)
    elif way.rose and patient.state in ("stalled", "converged"):
        yield from _plateau(patient, outcome, way)


def _never_rose(patient: Patient, outcome: Outcome, way: Course) -> Iterator[Hit]:
    series, points = outcome.series, len(outcome.series)
    if not far_enough(patient, 0.5) or _another_rises(patient, outcome):
        return
    quiet = max(way.jitter, 0.5 * way.reach) <= 0.1 * abs(way.early)
    quiet = quiet and way.change <= max(2.0 * way.jitter, 0.01 * abs(way.early))
    if points < FEW or (points < ENOUGH and not quiet):
        return
    severity: Severity | None = "critical" if patient.finished and points >= ENOUGH else None
    excuse = settling(patient) or _excuse(series, outcome, way)
    if excuse is not None:
        severity = "notice"
    late = way.early + way.change
    yield Hit(
        series=series.name,
        span=span_of(series),
        message=f"never rose above its start in {points} points: {way.early:.4g}, now {late:.4g}"
        + (f" ({excuse})" if excuse else ""),
        advice="check that one update moves the policy the right way, on a task it can solve",
        severity=severity,
        causes=(
            "updates too small or too large to learn from",
            "a bug between environment and loss: observations, masks, returns",
            "exploration spent or never fading",
            "task too hard for the starting policy",
        ),
    )


def _another_rises(patient: Patient, outcome: Outcome) -> bool:
    """Whether another outcome of the run does rise: then it learns, if not what it should."""
    others = (way_of(patient.find(metric)) for metric in TASK if metric != outcome.metric)
    return any(way is not None and way.rose and way.lost < 0.5 for way in others)


def _excuse(series: Series, outcome: Outcome, way: Course) -> str | None:
    """Why an outcome that never rose may still be that of a healthy run."""
    ceiling = outcome.ceiling
    if ceiling is None and way.early > 0 and outcome.metric.startswith("reward/"):
        ceiling = 1.0 if float(series.values.max()) <= 1.0 else None
    if ceiling is not None and ceiling > 0 and way.early >= 0.6 * ceiling:
        return f"it began at {way.early:.2g} of {ceiling:g}"
    if way.early > 0 and frozen(series.values, least=max(10, len(series) // 2)):
        return "it may have begun at its best"
    if outcome.metric in ("outcome/win_rate", "eval/win_rate") and abs(way.early - 0.5) < 0.1:
        return "about half of all games are won in self-play"
    return None


def _plateau(patient: Patient, outcome: Outcome, way: Course) -> Iterator[Hit]:
    values, points = outcome.values, len(outcome.values)
    tail = values[int(0.65 * points) :]
    improved = float(np.median(tail)) - way.best > -0.01 * way.height
    if points < 60 or way.late.up or improved or _is_full(outcome, values):
        return
    ceiling = outcome.ceiling
    severity: Severity | None = "notice"
    limit = None
    if ceiling is not None and outcome.metric.endswith(("success_rate", "return_mean")):
        gone = (way.now - way.start) / max(ceiling - way.start, 1e-12)
        if gone < 0.3 and far_enough(patient, 0.6) and patient.state == "stalled":
            severity, limit = None, Limit(ceiling, "the ceiling of the task")
    yield Hit(
        series=outcome.series.name,
        span=span_of(outcome.series, way.best_index),
        message=f"no longer rises: best {way.best:.4g}, now {way.now:.4g}",
        advice="change the data or the exploration; more steps alone seldom help",
        severity=severity,
        causes=(
            "exploration spent",
            "learning rate decayed",
            "nothing more to learn from the data",
        ),
        limit=limit,
    )


def _is_full(outcome: Outcome, values: np.ndarray) -> bool:
    late = float(np.median(values[-max(3, len(values) // 5) :]))
    return outcome.ceiling is not None and late >= 0.9 * outcome.ceiling


def _below(way: Course, target: float) -> bool:
    return way.now < target and not way.late.up


def _below_target(outcome: Outcome, way: Course, target: float) -> Hit:
    return Hit(
        series=outcome.series.name,
        span=span_of(outcome.series, way.best_index),
        message=f"ends at {way.now:.4g}, below the target {target:g}; best {way.best:.4g}",
        advice="change the data or the exploration; more steps alone seldom help",
        causes=("exploration spent", "learning rate decayed", "reward ceiling"),
        limit=Limit(target, "your option", from_run=True),
    )
