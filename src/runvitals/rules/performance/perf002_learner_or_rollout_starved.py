"""PERF002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.late import THIRD, early_median, late_median
from runvitals.signals.pairs import aligned

MIN_POINTS = 20  # judgement
GROWN = 0.3  # from below this share of the step (judgement)
GREW_TO = 0.6  # to above this (judgement)


@rule(
    "PERF002",
    "learner-or-rollout-starved",
    severity="warning",
    needs=[
        "async/trainer_idle_fraction|async/rollout_idle_fraction|time/wait_s|time/data_s"
        "|throughput/updates_per_s"
    ],
)
def learner_or_rollout_starved(
    patient: Patient, *, limit: float = 0.3, updates_per_s: float = 0.1
) -> Iterator[Hit]:
    """One side of the run spends its time waiting for the other.

    ## What it looks for
    The share of a step in which the trainer waits for data or rollouts, or the generation side is
    idle: `async/trainer_idle_fraction`, `async/rollout_idle_fraction`, or `time/wait_s` and
    `time/data_s` divided by `time/step_s`.

    - Above 30% it is a notice: many good runs wait for their rollouts.
    - It is a warning if the waiting began during the run: below 30% at first, above 60% in the last
      third.
    - Fewer than one update in ten seconds (`throughput/updates_per_s` below 0.1) is a notice,
      except for language models, whose updates take longer.

    ## Why it matters
    A device that waits costs as much as one that works.

    ## Usual causes
    1. The data pipeline or environment is too slow.
    2. The batch is too small for the device.
    3. Devices are split the wrong way between rollout and training.
    4. Workers died.

    ## What to try
    Use more loader workers or environments, a larger batch, or move devices to the slower side.

    ## When to ignore it
    Colocated set-ups that take turns by design.

    ## Sources
    Training Metrics and Telemetry (updates per second); prime-rl and veRL (wait times, idle ratios).
    """
    worst: tuple[float, float, Series, str] | None = None
    for shares, side in _shares(patient):
        if len(shares) < MIN_POINTS:
            continue
        early, late = early_median(shares.values, THIRD), late_median(shares.values, THIRD)
        if late > limit and (worst is None or late > worst[0]):
            worst = (late, early, shares, side)
    if worst is None:
        yield from _few_updates(patient, updates_per_s)
        return
    late, early, shares, side = worst
    severity: Severity = "warning" if early < GROWN and late > GREW_TO else "notice"
    since = f", up from {early:.0%}" if severity == "warning" else ""
    yield Hit(
        series=shares.name,
        span=Span(int(shares.steps[0]), int(shares.steps[-1]), len(shares)),
        message=f"{side} waits for {late:.0%} of the step{since}",
        advice="give the slower side more workers or devices, or this side a larger batch",
        severity=severity,
        causes=("data or environments too slow", "devices split wrongly", "dead workers"),
    )


def _few_updates(patient: Patient, least: float) -> Iterator[Hit]:
    """A learner that comes to an update only now and then."""
    rate = patient.find("throughput/updates_per_s")
    if rate is None or len(rate) < MIN_POINTS or not patient.is_any_of(["control"]):
        return
    now = late_median(rate.values, THIRD)
    if not 0 < now < least:
        return
    yield Hit(
        series=rate.name,
        span=rate.span(),
        message=f"the learner makes {now:.2g} updates per second, one every {1 / now:,.0f} seconds",
        advice="see what the learner waits for: data, environments, or batches too small for the GPU",
        severity="notice",
        causes=(
            "data or environments too slow",
            "batches too small for the device",
            "dead workers",
        ),
    )


def _shares(patient: Patient) -> Iterator[tuple[Series, str]]:
    for metric, side in (
        ("async/trainer_idle_fraction", "the trainer"),
        ("async/rollout_idle_fraction", "generation"),
    ):
        if (idle := patient.find(metric)) is not None:
            yield idle, side
    step = patient.find("time/step_s")
    if step is None:
        return
    for metric in ("time/wait_s", "time/data_s"):
        wait = patient.find(metric)
        if wait is None:
            continue
        steps, waits, whole = aligned(wait, step)
        keep = whole > 0
        shares = np.clip(waits[keep] / whole[keep], 0.0, 1.0)
        at = steps[keep].astype(np.int64)
        yield Series(wait.name, at, shares, np.full(len(at), np.nan), metric), "the trainer"
