"""REW003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit
from runvitals.model.formatting import number
from runvitals.rules.checks import drop_before, spike_before
from runvitals.rules.outcome import Course, Outcome
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import is_task
from runvitals.signals.late import early_median
from runvitals.signals.robust import running_median
from runvitals.signals.spikes import spikes

SIGNS = (  # what often comes before a crash, and what it is called
    ("policy/approx_kl", "KL spike"),
    ("policy/clip_fraction", "clip fraction spike"),
    ("optim/grad_norm", "gradient spike"),
    ("policy/grad_norm", "gradient spike"),
    ("mismatch/kl", "mismatch with the rollout engine"),
)
MIN_SIGNS = 12  # points of a series in which a spike is looked for
SPIKE = 4.0  # times the running median (judgement)
COLLAPSED = 0.2  # of the early entropy (judgement)
WIDTH = 12  # a twelfth of the points make a level,
MIN_WIDTH, MAX_WIDTH = 5, 10  # within these bounds
# Of a fall that was made good since: so deep, after a rise so clear, and so much of it back.
HALF, AGAIN, RECOVERED, MANY_POINTS = 0.5, 0.8, 0.3, 30
CLEAR, TWICE_CLEAR = 4.0, 8.0  # standard errors


@rule(
    "REW003",
    "reward-crash",
    severity="critical",
    needs=["outcome"],
    families=["rl"],
)
def reward_crash(patient: Patient) -> Iterator[Hit]:
    """The outcome rose, and then lost most of what it had gained.

    ## What it looks for
    A clear rise (four standard errors, and large enough to matter), of which at least a quarter is
    gone at the end of the log, beyond chance. It is a warning, and critical if three fifths are
    gone. A fall by half from which the run has recovered is a notice with its steps.

    The first cause listed is the earliest sign before the fall. The message also says whether
    entropy dropped and clipping spiked by then.

    ## Why it matters
    The last checkpoint is worth less than an earlier one, and more training seldom brings it back.

    ## Usual causes
    1. Entropy collapsed just before.
    2. An update was too large: KL, clip fraction or gradient norm spiked.
    3. Trainer and rollout engine drifted apart.
    4. The environment or verifier broke.
    5. A resume went wrong.

    ## What to try
    Go back to the last checkpoint before the first sign. Fix that sign, not the last one.

    ## When to ignore it
    A curriculum that made the task harder on purpose; the initial dip of off-policy training.

    ## Sources
    Training Metrics Glossary (reward crashes: look at entropy, then at the clip fraction); Training
    Metrics and Telemetry; threads of Search-R1 and Open-R1 on sudden collapse.
    """
    outcome = patient.outcome
    if outcome is None:
        return
    course = outcome.course
    top = int(outcome.series.steps[min(course.best_index, len(outcome.series) - 1)])
    fell_at = int(outcome.series.steps[min(course.begins, len(outcome.series) - 1)])
    signs = _signs_before(patient, top, fell_at) if patient.health.plot == "lost" else []
    usual = ("an update that was too large", "entropy collapsed", "environment or verifier broke")
    hit = statement(
        patient,
        "REW003",
        advice="go back to the checkpoint before the first sign and lower the learning rate",
        causes=tuple(dict.fromkeys([text for _, text, _ in signs] + list(usual))),
        also=tuple(dict.fromkeys(name for *_, name in signs)),
        aside=(f"; first sign: {signs[0][1]} at step {signs[0][0]:,}" if signs else "")
        + _checked(patient, fell_at),
    )
    if hit is not None:
        yield hit
    elif patient.health.good and is_task(patient):
        yield from _recovered(outcome, course)


def _signs_before(patient: Patient, top: int, fell_at: int) -> list[tuple[int, str, str]]:
    """Step, name and series of what happened between the best level and the fall, in order of time."""
    slack = max(1, (fell_at - top) // 2)
    found: list[tuple[int, str, str]] = []
    for metric, text in SIGNS:
        series = patient.find(metric)
        if series is None or len(series) < MIN_SIGNS:
            continue
        steps = series.steps[spikes(series.values, ratio=SPIKE)]
        near = steps[(steps >= top - slack) & (steps <= fell_at)]
        if len(near):
            found.append((int(near[0]), text, series.name))
    entropy = patient.find("policy/entropy")
    if entropy is not None and len(entropy) >= MIN_SIGNS:
        early = early_median(entropy.values)
        low = entropy.steps[(entropy.values < COLLAPSED * early) & (entropy.steps <= fell_at)]
        if early > 0 and len(low):
            found.append((int(low[0]), "entropy collapse", entropy.name))
    return sorted(found)


def _checked(patient: Patient, fell_at: int) -> str:
    """What to look at first where the reward crashed, and then: entropy, and the clip fraction."""
    if patient.health.plot != "lost":
        return ""
    entropy, clipped = patient.find("policy/entropy"), patient.find("policy/clip_fraction")
    checks = [] if entropy is None or patient.continuous else [drop_before(entropy, fell_at)]
    checks += [] if clipped is None else [spike_before(clipped, fell_at)]
    return "".join(f"; {one.words}" for one in checks if one is not None)


def _recovered(outcome: Outcome, course: Course) -> Iterator[Hit]:
    values: FloatArray = outcome.values
    if len(values) < MANY_POINTS or course.lost > RECOVERED:
        return
    width = max(MIN_WIDTH, min(MAX_WIDTH, len(values) // WIDTH))
    levels = running_median(values, width)
    peak = np.maximum.accumulate(levels)
    high = peak - course.start
    deep = np.where(
        high >= max(CLEAR * course.change_error, RECOVERED * course.height),
        (peak - levels) / np.maximum(high, 1e-100),
        0.0,
    )
    at = int(np.argmax(deep))
    if deep[at] < HALF or not course.clearly_gained:
        return
    before = np.flatnonzero(levels[:at] >= peak[at])
    after = np.flatnonzero(levels[at:] >= course.start + AGAIN * (peak[at] - course.start))
    first = int(before[-1]) if len(before) else 0
    last = at + int(after[0]) if len(after) else len(values) - 1
    yield Hit(
        series=outcome.series.name,
        span=outcome.series.span(first, last),
        message=f"{outcome.series.name} fell from {number(peak[at])} to {number(levels[at])} and "
        "recovered",
        advice="look at KL and learning rate around these steps, or keep the best checkpoint",
        severity="notice",
        causes=("an update that was too large",),
    )
