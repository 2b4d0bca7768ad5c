"""REW001."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.rules.outcome import LEAST_POINTS, Course, course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import far_enough, settling
from runvitals.signals.crossing import Stretch
from runvitals.signals.flat import is_flat
from runvitals.signals.pairs import aligned

PROXIES = "outcome/return_mean|outcome/return_shaped_mean|reward/score_mean|reward/mean"
TRUTHS = "outcome/success_rate|eval/success_rate|outcome/win_rate|outcome/score_mean"


def _holds(paid: FloatArray, real: Course) -> bool:
    """Whether the return did not fall together with the outcome."""
    at = min(real.best_index, len(paid) - 1)
    then = float(np.median(paid[max(0, at - 2) : at + 3]))
    now = float(np.median(paid[-max(3, len(paid) // 10) :]))
    return now >= then - 0.02 * float(np.ptp(paid))


def _is_over(paid: FloatArray, way: Course) -> bool:
    """Whether the return has stopped rising for good."""
    before = float(np.median(paid[len(paid) // 2 : max(len(paid) * 3 // 5, len(paid) // 2 + 3)]))
    return not way.late.up and way.now - before <= 0.1 * way.height


def _another_rises(patient: Patient, truth: Series) -> bool:
    """Whether another measure of success does rise."""
    for metric in ("eval/success_rate", *TRUTHS.split("|")):
        series = patient.find(metric)
        if series is None or series.name == truth.name:
            continue
        if len(series) >= LEAST_POINTS and float(np.median(series.values[-5:])) > 0.1:
            real = course(series.values)
            if real.rose or real.late.up:
                return True
    return False


@rule(
    "REW001",
    "return-up-success-flat",
    severity="warning",
    needs=[PROXIES, TRUTHS],
    families=["rl"],
)
def return_up_success_flat(patient: Patient, *, ceiling: float = 0.9) -> Iterator[Hit]:
    """The return rises while the task is done no better, or worse: what is paid is not what is wanted.

    ## What it looks for
    Over at least 30 points: a clear rise of the return (or reward), while an independent outcome
    (success, wins, a task score) stays inside 0.05 and below `ceiling` (0.9). Critical when that
    outcome has lost most of an earlier rise, or falls, while the return holds or rises.

    ## Why it matters
    Reward hacking looks like perfect training on every other chart. Only a measure that is not the
    reward can tell.

    ## Usual causes
    1. A bonus or shaping term that can be collected for ever.
    2. Success is measured on another distribution than the one trained on.
    3. Success is out of reach yet, and the shaping only leads towards it.

    ## What to try
    Watch or read twenty episodes with high reward. Log the reward in its parts. Go back to before
    the gap opened.

    ## When to ignore it
    Early in tasks in which success comes late and all at once.

    ## Sources
    Training Metrics and Telemetry (return up, success flat); the RHOB audit of reward hacking
    (detectors without an outcome are at chance).
    """
    proxy, truth = patient[PROXIES], patient[TRUTHS]
    steps, paid, done = aligned(proxy, truth)
    if len(paid) < 30 or float(np.ptp(done)) == 0 == float(np.ptp(paid)):
        return
    if "win_rate" in (truth.metric or "") and patient.find("outcome/elo") is not None:
        return
    way, real = course(paid), course(done)
    level = float(np.median(done[-max(3, len(done) // 5) :]))
    if not way.rose or way.crashed or way.lost > 0.4 or level >= ceiling:
        return
    fell = (real.crashed and real.height >= 0.1) or (real.falls and real.change <= -0.1)
    falls = fell and _holds(paid, real)
    flat = not real.rose and not real.late.up and real.gain < 2.0 and is_flat(done, 0.05)
    severity: Severity | None = "critical" if falls else None
    if not falls:
        large = way.has_height(8.0) and way.height >= 0.25 * abs(way.start)
        if not (flat and large and far_enough(patient, 0.5)) or settling(patient):
            return
        if _another_rises(patient, truth):
            return
        if not _is_over(paid, way):
            severity = "notice"  # it may still be on its way
    first = real.begins if falls else 0
    verb = f"fell from {real.best:.2g} to {level:.2g}" if falls else f"stays at {level:.2g}"
    at = np.searchsorted(truth.steps, steps[[min(first, len(steps) - 1), -1]])
    at = np.minimum(at, len(truth) - 1)
    yield Hit(
        series=truth.name,
        span=Stretch(int(at[0]), int(at[1]), 0).span(truth),
        message=f"{truth.name} {verb} while {proxy.name} rose from {way.start:.4g} to {way.now:.4g}",
        advice="watch episodes with high reward, and log the parts of the reward",
        severity=severity,
        causes=(
            "a bonus or shaping term that can be farmed",
            "success is measured on another distribution",
            "success is out of reach yet",
        ),
        also=(proxy.name,),
    )
