"""DATA005."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runvitals.model import Hit, Series, Span
from runvitals.model.formatting import number
from runvitals.rules.data._values import restarts
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

BEFORE, AFTER = 8, 3  # points that are compared (judgement)
MIN_BEFORE = 20  # points in which the same jump was never seen (judgement)
TIMES = 1.5  # larger than any jump in the half of the run before that is nearest (judgement)
MIN_NEAREST = 40  # points, if there are this many
MAX_NEAREST = 300  # points before the resume that are looked at, for speed
MAX_SERIES = 16  # of one metric, for speed
MATERIAL = 0.15  # of the size of the values before (judgement)
FELL_TO = 0.5  # of what a counter had before the resume; a checkpoint loses less (judgement)
MIN_STAYING, MIN_AT_ONCE = 2, 4  # metrics that jump and stay; that jump and come back
WATCHED = (
    "value/loss",
    "value/explained_variance",
    "value/error",
    "value/mean",
    "value/q_mean",
    "policy/entropy",
    "policy/approx_kl",
    "policy/kl_ref",
    "policy/clip_fraction",
    "policy/action_share",
    "optim/grad_norm",
    "optim/loss",
    "optim/learning_rate",
    "advantage/std",
    "obs/norm",
    "lm/loss",
    "preference/loss",
    "reward/mean",
    "reward/score_mean",
    "outcome/return_mean",
    "outcome/success_rate",
    "eval/return_mean",
)
# what also jumps when only the environments start afresh, or a window over episodes is empty
OF_EPISODES = frozenset(
    {
        "value/mean",
        "obs/norm",
        "reward/mean",
        "outcome/return_mean",
        "outcome/success_rate",
    }
)
COUNTERS = (
    "progress/optimizer_steps",
    "progress/samples",
    "progress/tokens",
    "progress/epoch",
    "progress/env_steps",
    "progress/episodes",
    "progress/chunks",
    "progress/requests",
)


class Jump(NamedTuple):
    """A series that jumped at a resume."""

    series: Series
    before: float
    after: float
    times: float  # the largest jump of this kind before
    stays: bool  # for three points and not only for one


@rule("DATA005", "resume-without-progress", severity="warning")
def resume_without_progress(patient: Patient) -> Iterator[Hit]:
    """Curves jump at a resume: the run did not continue where it stopped.

    ## What it looks for
    Every step at which a new process continued the run. In losses, KL, entropy, actions, gradients,
    values, learning rate and outcome, the median of the next 3 points is compared with that of the
    8 before. A series jumps if the difference is material and 1.5 times as large as any in the
    nearer half of the run before.

    - Warning: two metrics jump and stay, or four jump for a single point.
    - Notice: one metric jumps.
    - Notice: a counter of samples, updates or epochs starts over at the resume. It also counts as
      one of the metrics above.

    Jumps that new episodes alone explain (returns, values, observations) are never enough for a
    warning.

    ## Why it matters
    Without the state of its optimiser, schedule or normaliser, the policy sees a different world
    than the one it was trained in, and unlearns.

    ## Usual causes
    1. The state of the optimiser, schedule, normaliser or random generators was not restored.
    2. The wrong checkpoint was loaded.
    3. The list of work was started over.

    ## What to try
    Compare what was saved with what was loaded. The statistics of the normaliser belong in the
    checkpoint too.

    ## When to ignore it
    You changed settings or data at the resume on purpose.

    ## Sources
    Training Monitoring Guide (progress after interruptions).
    """
    for at, jumps in _resumes(patient):
        counters = _begun_again(patient, at)
        worst = max(jumps, key=lambda jump: jump.times)
        count = len({jump.series.metric for jump in jumps})
        yield Hit(
            series=worst.series.name,
            span=Span(at, int(worst.series.steps[-1]), len(worst.series)),
            message=f"{worst.series.name} jumped from {number(worst.before, 3)} to "
            f"{number(worst.after, 3)} at the resume at step {at:,}"
            + (f", one of {count} metrics" if count > 1 else ""),
            advice="restore the optimiser, schedule and normaliser along with the weights",
            severity=None if _is_sure(jumps, counters) else "notice",
            causes=("state of optimiser or normaliser not restored", "the wrong checkpoint"),
            also=tuple(jump.series.name for jump in jumps if jump is not worst)
            + tuple(series.name for series in counters),
        )
        return
    yield from _work_begun_again(patient)


def _work_begun_again(patient: Patient) -> Iterator[Hit]:
    steps = {step for metric in COUNTERS for step in _restarts(patient, metric)}
    for at in sorted(steps):
        for counter in _begun_again(patient, at)[:1]:
            place = int(np.searchsorted(counter.steps, at))
            yield Hit(
                series=counter.name,
                span=Span(at, int(counter.steps[-1]), len(counter) - place),
                message=f"{counter.name} starts over at the resume at step {at:,}: "
                f"{counter.values[place - 1]:,.6g} before, {counter.values[place]:,.6g} after",
                advice="save this counter and the position in the data in the checkpoint",
                severity="notice",
                causes=("the list of work was started over", "the counter is not saved"),
            )
            return


def _begun_again(patient: Patient, step: int) -> list[Series]:
    """Counters that fall to less than half at a step at which the run was resumed."""
    found = [series for metric in COUNTERS if (series := patient.find(metric)) is not None]
    return [series for series in found if _falls(series, step)]


def _falls(counter: Series, step: int) -> bool:
    at = int(np.searchsorted(counter.steps, step))
    if not 1 <= at < len(counter):
        return False
    before, after = float(counter.values[at - 1]), float(counter.values[at])
    grew = float(counter.values[0]) < before
    return grew and 0 <= after < FELL_TO * before


def _is_sure(jumps: list[Jump], counters: list[Series]) -> bool:
    """Two metrics that jump and stay, or four that jump at once and come back.

    Not all of them may be such as new episodes explain.
    """
    metrics = {jump.series.metric for jump in jumps}
    staying = {jump.series.metric for jump in jumps if jump.stays}
    staying |= {series.metric for series in counters[:1]} if staying else set()
    return any(
        len(found) >= least and not found <= OF_EPISODES
        for found, least in ((staying, MIN_STAYING), (metrics, MIN_AT_ONCE))
    )


def _resumes(patient: Patient) -> Iterator[tuple[int, list[Jump]]]:
    """The resumes at which something jumped, the one with the most jumps first."""
    found: dict[int, list[Jump]] = {}
    for metric in WATCHED:
        for step in _restarts(patient, metric):
            for series in patient.all(metric)[:MAX_SERIES]:
                jump = _jump(series, step, AFTER) or _jump(series, step, 1)
                if jump is not None:
                    found.setdefault(step, []).append(jump)
    for step in sorted(found, key=lambda one: -len({jump.series.metric for jump in found[one]})):
        yield step, found[step]


def _restarts(patient: Patient, metric: str) -> list[int]:
    series = patient.find(metric)
    return [] if series is None else restarts(patient.run, series.name)


def _jump(series: Series, step: int, points: int) -> Jump | None:
    at = int(np.searchsorted(series.steps, step))
    values = series.values
    if at < MIN_BEFORE or len(values) - at < AFTER:
        return None
    windows = sliding_window_view(values[max(0, at - MAX_NEAREST) : at + points], BEFORE + points)
    before = np.median(windows[:, :BEFORE], axis=1)
    after = np.median(windows[:, BEFORE:], axis=1)
    moves = np.abs(after - before)
    mine = float(moves[-1])
    earlier = moves[: -points - 1]
    nearest = earlier[-max(MIN_NEAREST, len(earlier) // 2) :]
    usual = float(nearest.max()) if len(nearest) else math.inf
    size = float(np.median(np.abs(values[max(0, at - MIN_BEFORE) : at])))
    if mine <= TIMES * usual or mine < MATERIAL * max(size, 1e-9):
        return None
    times = mine / usual if usual > 0 else math.inf
    return Jump(series, float(before[-1]), float(after[-1]), times, points > 1)
