"""REW003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Severity
from runvitals.rules.outcome import LEAST_POINTS, Course, Outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import is_task, span_of
from runvitals.signals.robust import running_median
from runvitals.signals.spikes import spikes

SIGNS = (  # what often comes before a crash, and what it is called
    ("policy/approx_kl", "KL spike"),
    ("policy/clip_fraction", "clip fraction spike"),
    ("optim/grad_norm", "gradient spike"),
    ("policy/grad_norm", "gradient spike"),
    ("mismatch/kl", "mismatch with the rollout engine"),
)


@rule(
    "REW003",
    "reward-crash",
    severity="critical",
    needs=["outcome"],
    families=["rl"],
)
def reward_crash(patient: Patient, *, share: float = 0.5) -> Iterator[Hit]:
    """The outcome rose, and then lost most of what it had gained.

    ## What it looks for
    A clear rise (eight times the wandering of the series, and large against its start) of which at
    least half (`share`) is gone, and still is at the end of the log. Critical when three quarters
    are gone. A fall that has been made good since is a notice with its steps. The cause listed
    first is the sign that came first before the fall.

    ## Why it matters
    The last checkpoint is worth less than an earlier one, and more training seldom brings it back.

    ## Usual causes
    1. Entropy collapsed just before.
    2. An update that was too large: KL, clip fraction or gradient spiked.
    3. Trainer and rollout engine drifted apart.
    4. Environment or verifier broke.
    5. A resume went wrong.

    ## What to try
    Go back to the last checkpoint before the first sign and fix that sign, not the last one.

    ## When to ignore it
    A curriculum that made the task harder on purpose; the dip at the beginning of off-policy
    training.

    ## Sources
    Training Metrics Glossary (reward crashes: look at entropy, then at the clip fraction); Training
    Metrics and Telemetry; threads of Search-R1 and Open-R1 on sudden collapse.
    """
    outcome = patient.outcome
    if outcome is None or outcome.way is None or not is_task(patient):
        return
    way = outcome.way
    if patient.state == "degrading" and way.crashed and way.lost >= share and _lasts(outcome, way):
        yield _crash(patient, outcome, way)
    elif patient.does_well:
        yield from _recovered(outcome, way)


def _lasts(outcome: Outcome, way: Course) -> bool:
    points = len(outcome.values)
    return points - way.begins >= max(4, min(10, points // 8))


def _crash(patient: Patient, outcome: Outcome, way: Course) -> Hit:
    fell_at = int(outcome.series.steps[way.begins])
    top = int(outcome.series.steps[way.best_index])
    signs = _signs_before(patient, top, fell_at)
    severity: Severity = "critical" if way.lost >= 0.75 else "warning"
    first = f"; first sign: {signs[0][1]} at step {signs[0][0]:,}" if signs else ""
    usual = ("an update that was too large", "entropy collapsed", "environment or verifier broke")
    return Hit(
        series=outcome.series.name,
        span=span_of(outcome.series, way.begins),
        message=f"fell from {way.best:.4g} to {way.now:.4g}: {min(way.lost, 1):.0%} of its rise is lost"
        + first,
        advice="go back to the checkpoint before the first sign and lower the learning rate",
        severity=severity,
        causes=tuple(dict.fromkeys([text for _, text, _ in signs] + list(usual))),
        also=tuple(dict.fromkeys(name for *_, name in signs)),
    )


def _signs_before(patient: Patient, top: int, fell_at: int) -> list[tuple[int, str, str]]:
    """Step, name and series of what happened between the best level and the fall, in order of time."""
    slack = max(1, (fell_at - top) // 2)
    found: list[tuple[int, str, str]] = []
    for metric, text in SIGNS:
        series = patient.find(metric)
        if series is None or len(series) < LEAST_POINTS:
            continue
        steps = series.steps[spikes(series.values, ratio=4.0)]
        near = steps[(steps >= top - slack) & (steps <= fell_at)]
        if len(near):
            found.append((int(near[0]), text, series.name))
    entropy = patient.find("policy/entropy")
    if entropy is not None and len(entropy) >= LEAST_POINTS:
        early = float(np.median(entropy.values[: max(3, len(entropy) // 5)]))
        low = entropy.steps[(entropy.values < 0.2 * early) & (entropy.steps <= fell_at)]
        if early > 0 and len(low):
            found.append((int(low[0]), "entropy collapse", entropy.name))
    return sorted(found)


def _recovered(outcome: Outcome, way: Course) -> Iterator[Hit]:
    values: FloatArray = outcome.values
    if len(values) < 30 or way.lost > 0.3:
        return
    width = max(5, min(10, len(values) // 12))
    levels = running_median(values, width)
    peak = np.maximum.accumulate(levels)
    high = peak - way.start
    deep = np.where(
        high >= max(8.0 * way.jitter, 0.3 * way.height),
        (peak - levels) / np.maximum(high, 1e-100),
        0.0,
    )
    at = int(np.argmax(deep))
    if deep[at] < 0.5 or not way.has_height(8.0):
        return
    before = np.flatnonzero(levels[:at] >= peak[at])
    after = np.flatnonzero(levels[at:] >= way.start + 0.8 * (peak[at] - way.start))
    first = int(before[-1]) if len(before) else 0
    last = at + int(after[0]) if len(after) else len(values) - 1
    yield Hit(
        series=outcome.series.name,
        span=span_of(outcome.series, first, last),
        message=f"fell from {peak[at]:.4g} to {levels[at]:.4g} and came back",
        advice="look at KL and learning rate around these steps, or keep the best checkpoint",
        severity="notice",
        causes=("an update that was too large",),
    )
