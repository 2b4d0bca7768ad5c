"""Rules about values that are not numbers, or cannot be right."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from runvitals.model import Hit, IntArray, Series, Severity
from runvitals.rules.detectors import stretch
from runvitals.rules.patient import Patient

CERTAIN = 3  # points at the end of one series (judgement)
MAX_NAMES = 2000  # looked at: more is a histogram in disguise
MIN_CERTAIN = 20  # judgement: below, a number that is measured now and then may not have come yet
MIN_TAIL = 10  # at the end, also of a gradient norm alone: a loss scaler skips single updates
OF_OUTCOME = 0.3  # of its points: fewer are episodes or evaluations that have not ended (judgement)
MIN_TAIL_SHARE = 0.05  # of the series; judgement: less is the last evaluation that was not made
NEARBY = 2  # points: what begins so near to where another ends may be the next phase


def never_or_no_longer(
    patient: Patient, names: Iterable[str], losses: frozenset[str], outcomes: frozenset[str]
) -> Iterator[Hit]:
    """One hit for all of these series that are not numbers; `losses` are names that mention one."""
    found = [
        (series, since)
        for name in names
        if (series := patient.raw(name)) is not None
        and (since := _ill_since(series, CERTAIN - (name in losses))) is not None
    ]
    if not found:
        return
    begins = _beginnings(patient, patient.run.names()[:MAX_NAMES])
    graded = [
        (_severity(patient, series, since, losses, outcomes, begins), series, since)
        for series, since in found
    ]
    graded.sort(key=lambda one: (one[0] != "warning", one[1].name not in losses, -len(one[1])))
    severity, worst, since = graded[0]
    same = [series.name for _, series, at in graded[1:] if bool(at) == bool(since)]
    yield stretch(worst, since).hit(
        _message(worst, since, len(same)),
        advice="check what it is computed from: the mean of an empty list is NaN",
        severity=severity,
        causes=("a mean over an empty list", "a division by zero", "bad input or label"),
        also=tuple(same),
    )


def _ill_since(series: Series, least: int) -> int | None:
    """Return the index of the first of the last rows without a number, or None if that is harmless."""
    good = np.flatnonzero(np.isfinite(series.values))
    count = len(series)
    if not len(good):
        return 0 if count >= least else None
    tail = count - 1 - int(good[-1])
    if tail < max(MIN_TAIL, MIN_TAIL_SHARE * count):
        return None
    gap = int(np.diff(good, prepend=-1).max()) - 1
    return count - tail if tail > 2 * gap else None


def _severity(
    patient: Patient,
    series: Series,
    since: int,
    losses: frozenset[str],
    outcomes: frozenset[str],
    begins: IntArray,
) -> Severity:
    """A warning if nothing explains it; a metric that is known may be undefined, a phase may end."""
    if since == 0 and series.name in losses:
        return "warning"
    if len(series) < MIN_CERTAIN:
        return "notice"
    lasting = len(series) - since >= OF_OUTCOME * len(series)
    if series.name in patient.run.bindings and not (series.name in outcomes and lasting):
        return "notice"
    phase = since > 0 and (series.name in losses or _another_begins(series, since, begins))
    return "notice" if phase else "warning"


def _beginnings(patient: Patient, names: Sequence[str]) -> IntArray:
    """The step of the first number of each series that has any."""
    found = []
    for name in names:
        series = patient.raw(name)
        if series is not None and (good := np.isfinite(series.values)).any():
            found.append(int(series.steps[int(np.argmax(good))]))
    return np.array(found, np.int64)


def _another_begins(ended: Series, since: int, begins: IntArray) -> bool:
    """True if another series begins where this one ends."""
    low = max(int(ended.steps[0]) + 1, int(ended.steps[max(0, since - NEARBY)]))
    high = int(ended.steps[min(len(ended) - 1, since + NEARBY)])
    return bool(((begins >= low) & (begins <= high)).any())


def _message(worst: Series, since: int, more: int) -> str:
    if since == 0:
        said = f"{worst.name} is not a number at any of its {len(worst):,} points"
    else:
        at, left = int(worst.steps[since]), len(worst) - since
        said = f"{worst.name} is not a number from step {at:,} to the end ({left:,} points)"
    return said + (f"; the same goes for {more} other series" if more else "")
