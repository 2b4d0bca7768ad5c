"""KL002."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Span
from runvitals.model.formatting import number
from runvitals.rules.checks import Check, rate_at
from runvitals.rules.counting import how_often
from runvitals.rules.kl._limits import UPDATE_KL, update_limit
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far
from runvitals.signals.robust import spread
from runvitals.signals.spikes import MIN_BEFORE, WINDOW, lasts

MANY, NEAR = 3, 50  # spikes, and the updates within which they belong together (judgement)
SEVERAL = 2  # spikes: no chance in a run that comes to nothing (judgement)
HUGE = 10.0  # times the limit: one is enough in a run that comes to nothing (judgement)
MIN_POINTS = 12  # fewer show no usual level (judgement)
SPREADS = 8.0  # above the level before it; KL has heavy tails (judgement)
MAX_POINTS = 60  # of the highest points: more tell no more
APART = 5  # updates: what lies closer is one event (judgement)


@rule(
    "KL002",
    "update-kl-spike",
    severity="warning",
    needs=[UPDATE_KL],
    families=["policy-gradient"],
)
def update_kl_spike(
    patient: Patient, *, limit: float | None = None, times: float = 5.0
) -> Iterator[Hit]:
    """Single updates move the policy much too far, repeatedly or right before the outcome falls.

    ## What it looks for
    Points of `policy/approx_kl` (or `policy/kl_old`) that are five times the recent median, eight
    robust deviations above it, and above the limit of KL001: twice the run's `target_kl`, or else
    0.05 (0.15 for continuous actions). It is a warning in any of these cases, otherwise a notice:

    - A spike came before the outcome fell.
    - The outcome never rose, and there were two spikes, or one at ten times the limit.
    - The outcome is not doing well, and there were three spikes within 50 updates.

    The message says what the learning rate did at that time.

    ## Why it matters
    One such update can undo thousands of good ones. The policy lands where its data say nothing,
    and what it collects there teaches it the wrong thing.

    ## Usual causes
    1. A jump in the learning rate, or a mistake in its schedule.
    2. Too many epochs per batch.
    3. One odd batch, or an extreme advantage.
    4. A resume with a fresh optimiser.

    ## What to try
    Check the learning rate at that step first. Stop an update when the KL passes its target. Keep
    the checkpoint from before the spike.

    ## When to ignore it
    KL has heavy tails: a single spike that does not hurt the outcome is nothing to worry about.

    ## Sources
    Training Metrics and Telemetry; Training Metrics Glossary (KL spikes come before reward collapses).
    """
    kl = patient[UPDATE_KL]
    if len(kl) < MIN_POINTS or patient.health.early:
        return
    bound = update_limit(patient, limit)
    found = _spikes(kl.values, bound.value, times)
    if not len(found):
        return
    group = _closest(found)
    peak = int(found[np.argmax(kl.values[found])])
    alarm = _does_harm(patient, kl, found, group, huge=bool(kl.values[peak] > HUGE * bound.value))
    steps = kl.steps[group]
    near = group if peak in group else np.array([peak])
    rate = rate_at(patient, int(kl.steps[near[0]]), int(kl.steps[near[-1]]))
    where = f"at step {int(kl.steps[peak]):,}"
    yield Hit(
        series=kl.name,
        span=Span(int(steps[0]), int(steps[-1]), len(group))
        if len(group) >= MANY
        else kl.span(peak, peak),
        message=(
            f"policy KL jumps {how_often(len(found))} to at least {times:g} times its level, "
            f"up to {number(float(kl.values[peak]), 3)} {where}"
            f"{'' if rate is None else f'; {rate.words}'}{'' if alarm else so_far(patient)}"
        ),
        advice=_advice(patient, rate),
        severity="warning" if alarm else "notice",
        causes=_causes(rate),
        limit=bound,
        also=(rate.series,) if rate is not None and rate.suspect else (),
    )


def _does_harm(
    patient: Patient, kl: Series, found: np.ndarray, group: np.ndarray, *, huge: bool
) -> bool:
    health, outcome = patient.health, patient.outcome
    if health.falls and outcome is not None:
        fell_at = int(outcome.series.steps[min(outcome.course.begins, len(outcome.series) - 1)])
        if huge or int(kl.steps[found[0]]) <= fell_at:
            return True
    if health.bad and (len(found) >= SEVERAL or huge):
        return True
    return len(group) >= MANY and health.struggles


def _advice(patient: Patient, rate: Check | None) -> str:
    if rate is None:
        where = f"check the learning rate and the batch at that step{rate_hint(patient)}"
    elif rate.suspect:
        where = "check the learning rate schedule at that step"
    else:
        where = "the schedule is not to blame: check that batch and the number of epochs"
    return f"{where}; stop updates early with a target KL"


def _causes(rate: Check | None) -> tuple[str, ...]:
    """The learning rate first if it changed there or nobody knows; last if it did not."""
    jump = "a jump in the learning rate"
    others = ("too many epochs per batch", "an extreme advantage or an odd batch")
    if rate is None or rate.suspect:
        return (jump, *others)
    return (*others, "learning rate too high")


def _closest(found: np.ndarray) -> np.ndarray:
    """The most spikes that lie within `NEAR` points."""
    ends = np.searchsorted(found, found + NEAR)
    counts = ends - np.arange(len(found))
    first = int(np.argmax(counts))
    return found[first : first + int(counts[first])]


def _spikes(values: np.ndarray, limit: float, times: float) -> np.ndarray:
    """Where single updates stick out from those before, one point for each event."""
    high = np.flatnonzero(values > limit)
    high = np.sort(high[np.argsort(values[high])[-MAX_POINTS:]])
    found: list[int] = []
    for index in high.tolist():
        before = values[max(0, index - WINDOW) : index]
        if not _sticks_out(before, float(values[index]), times) or lasts(values, index):
            continue
        if found and index - found[-1] < APART:
            found[-1] = max(found[-1], index, key=lambda at: float(values[at]))
        else:
            found.append(index)
    return np.array(found, np.int64)


def _sticks_out(before: np.ndarray, value: float, times: float) -> bool:
    if len(before) < MIN_BEFORE:
        return False
    middle = float(np.median(before))
    return value > times * middle and value - middle > SPREADS * spread(before)
