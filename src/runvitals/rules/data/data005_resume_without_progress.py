"""DATA005."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from runvitals.model import Hit, Series, Span
from runvitals.rules.data._values import restarts
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule

BEFORE, AFTER = 8, 3  # points that are compared
LEAST_BEFORE = 20  # points in which the same jump was never seen
TIMES = 1.5  # larger than any jump before
MATERIAL = 0.15  # of the size of the values before
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
    "policy/logprob_mean",
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


class Jump(NamedTuple):
    """A series that jumped at a resume."""

    series: Series
    before: float
    after: float
    times: float  # the largest jump of this kind before
    stays: bool  # for three points and not only for one


@rule("DATA005", "resume-without-progress", severity="warning", explains=["KL002", "VAL001"])
def resume_without_progress(patient: Patient) -> Iterator[Hit]:
    """The run did not go on where it had stopped: its curves jump at the resume.

    ## What it looks for
    At each step at which a new process went on with the run: the median of the next 3 points against
    that of the 8 before, in losses, KL, entropy, gradients, values, learning rate and outcome. A series
    jumps if that is 1.5 times as much as anywhere in the run before, and worth the name. Two metrics
    that jump are a warning, one is a notice; jumps of a single point count from four metrics on.

    ## Why it matters
    Without the state of optimiser, schedule or normaliser the policy sees another world than the one it
    was trained in, and unlearns.

    ## Usual causes
    1. Optimiser, schedule, normaliser or random state were not restored.
    2. The wrong checkpoint was taken.
    3. The list of work was begun again.

    ## What to try
    Compare what was saved with what was loaded; the statistics of the normaliser belong into the
    checkpoint too.

    ## When to ignore it
    A resume with other settings or data on purpose.

    ## Sources
    Training Monitoring Guide (progress after interruptions).
    """
    for at, jumps in _resumes(patient):
        metrics = {jump.series.metric for jump in jumps}
        if not metrics:
            continue
        worst = max(jumps, key=lambda jump: jump.times)
        yield Hit(
            series=worst.series.name,
            span=Span(at, int(worst.series.steps[-1]), len(worst.series)),
            message=f"{worst.series.name} jumped from {worst.before:.3g} to {worst.after:.3g} at "
            f"the resume at step {at:,}, {len(metrics)} metrics in all",
            advice="restore optimiser, schedule and normaliser with the weights",
            severity=None if _is_sure(jumps) else "notice",
            causes=("state of optimiser or normaliser not restored", "the wrong checkpoint"),
            also=tuple(jump.series.name for jump in jumps if jump is not worst),
        )
        return


def _is_sure(jumps: list[Jump]) -> bool:
    """Two metrics that jump and stay, or four that jump at once and come back."""
    staying = {jump.series.metric for jump in jumps if jump.stays}
    return len(staying) >= 2 or len({jump.series.metric for jump in jumps}) >= 4


def _resumes(patient: Patient) -> Iterator[tuple[int, list[Jump]]]:
    found: dict[int, list[Jump]] = {}
    for metric in WATCHED:
        series = patient.find(metric)
        if series is None or len(series) < LEAST_BEFORE + AFTER:
            continue
        for step in restarts(patient.run, series.name):
            jump = _jump(series, step, AFTER) or _jump(series, step, 1)
            if jump is not None:
                found.setdefault(step, []).append(jump)
    for step in sorted(found, key=lambda one: -len(found[one])):
        yield step, found[step]


def _jump(series: Series, step: int, points: int) -> Jump | None:
    at = int(np.searchsorted(series.steps, step))
    values = series.values
    if at < LEAST_BEFORE or len(values) - at < AFTER:
        return None
    windows = sliding_window_view(values[max(0, at - 300) : at + points], BEFORE + points)
    before = np.median(windows[:, :BEFORE], axis=1)
    after = np.median(windows[:, BEFORE:], axis=1)
    moves = np.abs(after - before)
    mine = float(moves[-1])
    usual = float(moves[: -points - 1].max()) if len(moves) > points + 1 else math.inf
    size = float(np.median(np.abs(values[max(0, at - LEAST_BEFORE) : at])))
    if mine <= TIMES * usual or mine < MATERIAL * max(size, 1e-9):
        return None
    times = mine / usual if usual > 0 else math.inf
    return Jump(series, float(before[-1]), float(after[-1]), times, points > 1)
