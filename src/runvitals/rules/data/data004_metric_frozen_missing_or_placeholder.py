"""DATA004."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Span
from runvitals.model.formatting import number
from runvitals.rules.data._values import as_number
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

MIN_FROZEN = 20  # points (judgement)
MIN_SHARE = 0.15  # of the run (judgement)
MIN_BEFORE = 15  # points (judgement)
SMALL = 0.05  # of the largest value: below it a value may have reached its floor (judgement)
NEVER_REPEATED = 0.9  # of the values before are different: it is measured, and not rounded
SAME_NUMBER = 1e-6  # of the value: what writing a number down and reading it may change
TYPED_DIGITS = 4  # after the point: more than anybody types
MAX_CHOICES = 20.0  # nats: beyond any vocabulary, where whole numbers' logarithms lie close
WHOLE = 1e-3  # off a whole number
RECENT = 10  # points before a value freezes
NEXT_STEP = 2.0  # times the largest of their steps, by which it may go on
MIN_MOVING = 5  # points after that, of a series that moves on
MOVING = 0.5  # of them are different (judgement)
FROM_THE_START, TO_THE_END = 0.05, 0.75  # of the run (judgement)
MAX_FROZEN = 2  # metrics: with more of them training has stopped, and not a logger
MIN_OTHERS = 2  # metrics that go on moving
# what is computed from data anew at every update, and hence never the same twice
MEASURED = (
    "policy/entropy",
    "policy/loss",
    "policy/loss_total",
    "policy/approx_kl",
    "policy/kl_old",
    "policy/kl_ref",
    "policy/grad_norm",
    "policy/logprob_mean",
    "value/loss",
    "value/mean",
    "value/q_mean",
    "value/grad_norm",
    "value/explained_variance",
    "optim/loss",
    "optim/grad_norm",
    "advantage/std",
    "returns/mean",
    "lm/loss",
    "lm/entropy",
    "preference/loss",
    "preference/margin",
    "rm/loss",
)


@rule("DATA004", "metric-frozen-missing-or-placeholder", severity="warning")
def metric_frozen(patient: Patient) -> Iterator[Hit]:
    """A metric is stuck at one value, or is no longer logged.

    ## What it looks for
    Only metrics that are measured again at every update: losses, entropy, gradients, values.

    - A metric that never repeated a value and then stays at exactly one for at least 20 points and
      15% of the run, to the end, while others keep moving.
    - A metric with the same value from the first point to the last, with more digits than anyone
      would type. Gradient norms are exempt because they may be logged after clipping, and so is the
      entropy of a policy with fixed noise.
    - A series that ends before the last quarter of the run. This is a notice.

    Values at a floor or a bound do not count. If many metrics freeze together, training has stopped
    rather than the logger, and other rules report that.

    ## Why it matters
    A stale number looks healthy forever.

    ## Usual causes
    1. A logger bug: the value is cached and never updated.
    2. A worker that died.
    3. A placeholder that nobody replaced, or a weight logged in place of a score.

    ## What to try
    Look at the code that produces this number.

    ## When to ignore it
    Nothing to ignore for schedules that have ended, counters, bounds and coefficients: they are not
    checked.

    ## Sources
    TensorBoard Metrics Reference (fixed weights among the scores); our own experience.
    """
    measured = [s for metric in MEASURED for s in patient.all(metric) if "group" not in s.labels]
    measured = [s for s in measured if len(s) >= MIN_BEFORE + MIN_FROZEN]
    frozen = [(s, at) for s in measured if (at := _frozen_from(s.values)) is not None]
    frozen += [(s, 0) for s in measured if _never_moved(patient, s)]
    moving = [s for s in measured if not any(s is other for other, _ in frozen)]
    metrics = {s.metric for s, _ in frozen}
    if frozen and len(metrics) <= MAX_FROZEN:
        series, at = max(frozen, key=lambda one: len(one[0]) - one[1])
        moving = [other for other in moving if _still_moves(other, int(series.steps[at]))]
        still = len(measured) - len(moving)
        if len({s.metric for s in moving}) >= MIN_OTHERS and still <= len(moving):
            yield Hit(
                series=series.name,
                span=Span(int(series.steps[at]), int(series.steps[-1]), len(series) - at),
                message=f"exactly {number(series.values[-1], 6)} in {len(series) - at:,} points "
                f"since step {int(series.steps[at]):,}, while {len(moving)} other metrics move",
                advice="look at the code that logs this number: it is not updated",
                causes=("a cached value", "a dead worker", "a placeholder"),
                also=tuple(other.name for other, _ in frozen if other is not series),
            )
            return
    yield from _ended(measured)


def _frozen_from(values: FloatArray) -> int | None:
    """The index from which on a value that never repeated before is the same to the end."""
    same = values == values[-1]
    others = np.flatnonzero(~same)
    at = int(others[-1]) + 1 if len(others) else 0
    frozen, before = len(values) - at, values[:at]
    if at < MIN_BEFORE or frozen < max(MIN_FROZEN, MIN_SHARE * len(values)):
        return None
    value = float(values[-1])
    if value.is_integer() or len(np.unique(before)) < NEVER_REPEATED * len(before):
        return None
    inside = float(before.min()) < value < float(before.max())
    return at if inside or _is_on_the_way(before, value) else None


def _never_moved(patient: Patient, series: Series) -> bool:
    """Whether it is one value from start to end that no setting, bound or rounding explains."""
    value = float(series.values[0])
    if np.ptp(series.values) or _is_uniform(value):
        return False
    if (series.metric or "").endswith("grad_norm"):
        return False
    if series.metric == "policy/entropy" and patient.kind != "llm-rl":
        return False
    settings = [as_number(setting) for setting in patient.run.config.values()]
    near = SAME_NUMBER * max(1.0, abs(value))
    explained = [round(value, TYPED_DIGITS), *(number for number in settings if number is not None)]
    return all(abs(value - other) > near for other in explained)


def _is_uniform(value: float) -> bool:
    """Whether it is the logarithm of a whole number: the entropy of that many equal choices."""
    if not 0 < value < MAX_CHOICES:
        return False
    return abs(math.exp(value) - round(math.exp(value))) < WHOLE


def _is_on_the_way(before: FloatArray, value: float) -> bool:
    """Whether a value beyond all earlier ones is just the next of a series, and no bound of it.

    A policy that has collapsed, or that is uniform, has the same entropy forever: nearly nothing, or
    the logarithm of a whole number.
    """
    recent = before[-RECENT:]
    largest = float(np.abs(np.diff(recent)).max())
    near = float(np.abs(recent - value).min()) <= NEXT_STEP * largest
    return near and abs(value) > SMALL * float(np.abs(before).max()) and not _is_uniform(value)


def _still_moves(series: Series, step: int) -> bool:
    late = series.values[series.steps >= step]
    return len(late) >= MIN_MOVING and len(np.unique(late)) > MOVING * len(late)


def _ended(measured: list[Series]) -> Iterator[Hit]:
    if not measured:
        return
    begin = min(int(s.steps[0]) for s in measured)
    end = max(int(s.steps[-1]) for s in measured)
    for series in measured:
        first, last = int(series.steps[0]), int(series.steps[-1])
        early = first <= begin + FROM_THE_START * (end - begin)
        if early and last < begin + TO_THE_END * (end - begin):
            yield Hit(
                series=series.name,
                span=Span(last, end, len(series)),
                message=f"no longer logged after step {last:,} of {end:,}",
                advice="check whether the process that logs it has died",
                severity="notice",
                causes=("a dead worker", "a phase of training that has ended"),
            )
            return
