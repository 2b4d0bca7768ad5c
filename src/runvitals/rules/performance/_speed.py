"""How fast a run gets on, by every clock that its log has."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from runvitals import catalog
from runvitals.model import FloatArray, IntArray, Series
from runvitals.rules.patient import Patient
from runvitals.signals.pairs import aligned

MIN_POINTS = 12  # of a speed or a timed part (judgement)
MIN_SIDE = 5  # points before a step and after it, to compare them, without as many at the start
# of the plan: buffers fill and compilers work until then; by row times
START_OVER, BY_ROWS = 0.02, 0.1
UPDATES_UNDER_WAY = 1.5  # times the step of the first update: before it samples are only collected
MAX_POINTS = 400  # longer series are thinned out by medians of blocks
RATES = (
    "throughput/tokens_per_s", "throughput/tokens_per_s_per_device",
    "throughput/generation_tokens_per_s", "throughput/samples_per_s", "throughput/env_steps_per_s",
    "throughput/updates_per_s",
)  # fmt: skip
# labels of averages, percentiles, single devices and running averages
NOT_THE_SPEED_NOW = frozenset({"stat", "rank", "window"})
PART_LABELS = ("stage", "group")  # of counters that time only a part of the step
OF_GENERATION = frozenset({"throughput/generation_tokens_per_s", "time/generation_s"})
# An average since the start moves at each point by twice that point's share in all steps at most,
# and by rounding.
INERT_TIMES, ROUNDING = 2.0, 0.05
MAX_INERT_MOVE = 0.4  # in logs: no average since the start moves so far between two points
CLOCK_JITTER = 1e-5  # seconds by which the rows of a real clock differ at least (judgement)
DURATIONS = ("time/step_s", "time/generation_s")
PER_STEP = frozenset({"throughput/samples_per_s", "time/step_s", "time/generation_s", ""})
FIRST_UPDATE = ("value/loss", "policy/loss", "optim/loss", "policy/loss_total", "value/q_mean")
NO_STAGES = frozenset(
    {
        "time/step_s", "time/elapsed_s", "time/remaining_s", "time/eval_s", "time/checkpoint_s",
        "time/setup_s", "time/per_token_ms", "time/episode_s",
    }
)  # fmt: skip


class Speed(NamedTuple):
    """Work per second along the run, whatever the work is; `steps` are those of the last point."""

    name: str
    metric: str  # empty: by the times of the rows
    steps: IntArray
    rates: FloatArray
    part: str = ""  # the part of a step that was timed, such as generation; empty: the whole loop

    @property
    def is_time(self) -> bool:
        """Whether it was logged as seconds, of which `rates` is the inverse."""
        return self.metric.startswith("time/")

    @property
    def title(self) -> str:
        """What it counts, with its logged name: `updates per second (train/ups)`."""
        if not self.metric:
            return f"steps per second (by the times of {self.name})"
        known = catalog.metric(self.metric)
        title = known.title if known is not None else ""
        return f"{title[:1].lower()}{title[1:]} ({self.name})" if title else self.name

    @property
    def series(self) -> Series:
        """The rates as a series."""
        return Series(self.name, self.steps, self.rates, np.full(len(self.steps), math.nan))

    def factor_at(self, step: int) -> float:
        """How many times slower it is from a step on; NaN if unknown."""
        return 1.0 / factor_at(self.series, step)


def speeds(patient: Patient) -> Iterator[Speed]:
    """Every measure of speed with enough points, without the start."""
    begin = _begin(patient)
    elapsed = patient.find("time/elapsed_s")
    for metric in RATES:
        for series in patient.all(metric):
            if not NOT_THE_SPEED_NOW & set(series.labels) and not _is_average(series, elapsed):
                part = next((series.labels[key] for key in PART_LABELS if key in series.labels), "")
                part = part or _part_of(metric)
                yield from _speed(series.name, metric, series.steps, series.values, begin, part)
    for metric in DURATIONS:
        took = patient.find(metric)
        if took is not None and not _counts_up(took):
            keep = took.values > 0
            rates = 1.0 / took.values[keep]
            yield from _speed(took.name, metric, took.steps[keep], rates, begin, _part_of(metric))
    yield from _by_rows(patient, _begin(patient, BY_ROWS))


def _counts_up(took: Series) -> bool:
    """Whether it never falls: then it is a clock or a counter, and not the time of one step."""
    return bool((np.diff(took.values) > 0).all())


def _part_of(metric: str) -> str:
    return "generation" if metric in OF_GENERATION else ""


def per_token(patient: Patient, speed: Speed) -> Speed | None:
    """The same in tokens where a step can be more or less work; None if lengths are unknown."""
    length = patient.find("data/tokens_per_step", "length/response_mean", "length/total_mean")
    if speed.metric not in PER_STEP or length is None:
        return None
    _, rates, lengths = aligned(speed.series, length)
    if len(rates) < len(speed.rates) // 2 or len(rates) < MIN_POINTS // 2:
        return None
    steps = speed.steps[-len(rates) :] if len(rates) <= len(speed.steps) else speed.steps
    return speed._replace(steps=steps, rates=(rates * lengths)[-len(steps) :])


def stages(patient: Patient) -> Iterator[Series]:
    """The timed parts of a step."""
    for metric in patient.run.metrics():
        if metric.startswith("time/") and metric.endswith("_s") and metric not in NO_STAGES:
            for series in patient.all(metric):
                alone = "sample" not in metric and "rank" not in series.labels
                if alone and len(series) >= 20:
                    yield series


def _begin(patient: Patient, share: float = START_OVER) -> int:
    """The step from which on speeds can be compared: the start is over, and updates have begun."""
    begin = share * (patient.planned_steps or patient.last_step)
    if patient.kind == "off-policy":
        starts = patient.number("learning_starts") or 0.0
        found = patient.find(*FIRST_UPDATE)
        updates = int(found.steps[0]) if found is not None else 0
        begin = max(begin, UPDATES_UNDER_WAY * starts, UPDATES_UNDER_WAY * updates)
    return int(begin)


def _is_average(series: Series, elapsed: Series | None) -> bool:
    """Whether it is the average since the start, as SB3 and CleanRL log it: that has no steps."""
    steps, rates, times = series.steps, series.values, series.times
    if len(rates) < MIN_POINTS or not (rates > 0).all():
        return False
    if elapsed is not None and _is_steps_over_time(series, elapsed):
        return True
    spent = np.diff(steps / rates)  # were it an average, this is the time between two points
    if bool((spent <= 0).any()):
        return False
    moves = np.abs(np.diff(np.log(rates)))
    share = np.diff(steps) / np.maximum(steps[1:], 1)
    within = moves <= INERT_TIMES * share + ROUNDING
    inert = bool(within.mean() > 0.95 and moves[len(moves) // 4 :].max() < MAX_INERT_MOVE)
    known = np.diff(times)
    if np.isfinite(known).all() and float(known.sum()) > 0:
        return inert and abs(float(spent.sum()) / float(known.sum()) - 1.0) < 4 * ROUNDING
    return inert


def _is_steps_over_time(series: Series, elapsed: Series) -> bool:
    """Whether it is all steps so far over all seconds so far; the clocks may begin at other times."""
    steps, rates, seconds = aligned(series, elapsed)
    if len(steps) < MIN_POINTS:
        return False
    apart = steps / rates - seconds
    rounded = 0.5 / rates * (rates % 1 == 0)  # as SB3 rounds them
    slack = np.maximum((ROUNDING + rounded) * seconds, 1.0)  # some clocks tell whole seconds
    near = np.abs(apart - np.median(apart)) <= slack
    return bool(near.mean() > 0.95)


def _by_rows(patient: Patient, begin: int) -> Iterator[Speed]:
    """From the times at which rows were logged."""
    best: Series | None = None
    for metric in ("optim/loss", "policy/loss", "value/loss", "lm/loss", "policy/entropy"):
        series = patient.find(metric)
        if series is not None and (best is None or len(series) > len(best)):
            best = series
    if best is None or len(best) < 2 * MIN_POINTS or not np.isfinite(best.times).all():
        return
    steps, times = np.diff(best.steps), np.diff(best.times)
    if max((times <= 0).mean(), (steps <= 0).mean()) > 0.1:
        return
    if float(np.ptp(times)) < CLOCK_JITTER:
        return  # no training is that regular: the times were made up
    keep = (times > 0) & (steps > 0)
    yield from _speed(best.name, "", best.steps[1:][keep], steps[keep] / times[keep], begin)


def _speed(
    name: str, metric: str, steps: IntArray, rates: FloatArray, begin: int, part: str = ""
) -> Iterator[Speed]:
    first = max(min(MIN_SIDE, len(steps) // MIN_POINTS), int(np.searchsorted(steps, begin)))
    steps, rates = steps[first:], rates[first:]
    keep = np.isfinite(rates) & (rates > 0)
    steps, rates = steps[keep], rates[keep]
    if len(rates) < MIN_POINTS:
        return
    if len(rates) > MAX_POINTS:
        size = -(-len(rates) // MAX_POINTS)
        rest = len(rates) % size  # the first few make no block of their own
        steps = steps[rest:].reshape(-1, size)[:, -1]
        rates = np.median(rates[rest:].reshape(-1, size), axis=1)
    yield Speed(name, metric, steps, rates, part)


def factor_at(series: Series, step: int) -> float:
    """The level of a series from a step on, as a multiple of the level before; NaN if unknown."""
    at = int(np.searchsorted(series.steps, step))
    before, after = series.values[min(MIN_SIDE, at // 2) : at], series.values[at:]
    if min(len(before), len(after)) < MIN_SIDE:
        return math.nan
    low = float(np.median(before))
    return float(np.median(after)) / low if low > 0 else math.nan
