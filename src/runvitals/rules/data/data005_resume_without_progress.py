from typing import NamedTuple

import numpy as np

from runvitals.rules.data import restarts
from runvitals.rules.kit import Hit, Patient, Series, number, rule, stretch

BEFORE, AFTER = 20, 3  # points that are compared (judgement)
MATERIAL = 0.15  # of the size of the values before (judgement)
MAX_SERIES = 16  # of one metric, for speed
WATCHED = (
    "value/loss", "value/explained_variance", "value/error", "value/mean", "value/q_mean",
    "policy/entropy", "policy/approx_kl", "policy/kl_ref", "policy/clip_fraction",
    "policy/action_share", "optim/grad_norm", "optim/loss", "optim/learning_rate", "advantage/std",
    "obs/norm", "lm/loss", "preference/loss", "reward/mean", "reward/score_mean",
    "outcome/return_mean", "outcome/success_rate", "eval/return_mean",
)  # fmt: skip
# what also jumps when only the environments start afresh, or a window over episodes is empty
OF_EPISODES = frozenset(
    "value/mean obs/norm reward/mean outcome/return_mean outcome/success_rate".split()
)
COUNTERS = (
    "progress/optimizer_steps", "progress/samples", "progress/tokens", "progress/epoch",
    "progress/env_steps", "progress/episodes", "progress/chunks", "progress/requests",
)  # fmt: skip


class Jump(NamedTuple):
    """A series that jumped at a resume, or a counter that started over."""

    series: Series
    at: int  # its first point after the resume
    before: float
    after: float
    times: float  # how far beyond the points before, in their range


@rule("DATA005")
def resume_without_progress(patient: Patient) -> Hit | None:
    """Curves jump at a resume: the run did not continue where it stopped.

    ## What it looks for
    Every step at which a new process continued the run. In losses, KL, entropy, actions, gradients,
    values, learning rate and outcome, the median of the next 3 points is compared with the 20 before.
    A series jumps if that lies beyond all of them, by half of their range and by 15% of their size. A
    counter of samples, updates or epochs that starts over counts as well.

    It is a warning if two metrics jump, otherwise a notice. Jumps that new episodes alone explain
    (returns, values, observations) are never enough for a warning.

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
    found: dict[int, list[Jump]] = {}
    for metric in (*WATCHED, *COUNTERS):
        every = patient.all(metric)[:MAX_SERIES]
        for step in restarts(patient.run, every[0].name) if every else ():
            look = _starts_over if metric in COUNTERS else _jump
            found.setdefault(step, []).extend(
                jump for series in every if (jump := look(series, step)) is not None
            )
    step, jumps = max(found.items(), key=lambda one: len(_metrics(one[1])), default=(0, []))
    if not jumps:
        return None
    worst, metrics = max(jumps, key=lambda jump: jump.times), _metrics(jumps)
    return stretch(worst.series, worst.at).hit(
        f"{worst.series.name} went from {number(worst.before, 3)} to "
        f"{number(worst.after, 3)} at the resume at step {step:,}"
        + (f", one of {len(metrics)} metrics that jumped" if len(metrics) > 1 else ""),
        advice="restore the optimiser, schedule, normaliser and counters along with the weights",
        severity=None if len(metrics) > 1 and not metrics <= OF_EPISODES else "notice",
        causes=("state of optimiser or normaliser not restored", "the wrong checkpoint"),
        also=tuple(jump.series.name for jump in jumps if jump is not worst),
    )


def _metrics(jumps: list[Jump]) -> frozenset[str]:
    return frozenset(str(jump.series.metric) for jump in jumps)


def _jump(series: Series, step: int) -> Jump | None:
    """The next points lie beyond all of the points before, by at least half of their range."""
    at = int(np.searchsorted(series.steps, step))
    before, after = series.values[max(0, at - BEFORE) : at], series.values[at : at + AFTER]
    if len(before) < BEFORE or len(after) < AFTER:
        return None
    low, high, now = float(before.min()), float(before.max()), float(np.median(after))
    beyond = max(now - high, low - now)
    if beyond <= max((high - low) / 2, MATERIAL * float(np.median(np.abs(before)))):
        return None
    return Jump(series, at, float(np.median(before)), now, beyond / max(high - low, 1e-9))


def _starts_over(counter: Series, step: int) -> Jump | None:
    """A counter that had grown falls to less than half of what it was."""
    at = int(np.searchsorted(counter.steps, step))
    if not 1 <= at < len(counter):
        return None
    first, before, after = (float(counter.values[one]) for one in (0, at - 1, at))
    return Jump(counter, at, before, after, 0.0) if 0 <= 2 * after < before > first else None
