"""One line of the list of runs."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runvitals.model import Diagnosis, Finding, ReadError, Run
from runvitals.render.judged import fields, means
from runvitals.rules.patient import Patient
from runvitals.view.json_safe import number, scalars, visible
from runvitals.view.places import Place, Stamp
from runvitals.view.run.figures import outcomes_of
from runvitals.view.schemas.judgement import FindingCard, LevelsCard, Scalar, VerdictWord, seen
from runvitals.view.schemas.run import Alarms, OutcomeSpark, RunRow

MAX_OUTCOMES = 12  # of a run in the list
MAX_CODES = 12  # of the findings of a run in the list
SEVERITIES = ("critical", "warning", "notice")
MAX_SETTINGS = 120  # of a run in the list


def provisional_row(place: Place, identity: Run | None, stamp: Stamp) -> RunRow:
    """What can be said before the points were read."""
    known = {} if identity is None else _identity(identity)
    formats = dict.fromkeys(file.reader.title for file in place.found.files)
    return RunRow(
        **{
            "id": place.id,
            "name": place.path.name,
            "project": place.path.absolute().parent.name,
            "path": place.shown,
            "root": str(place.root),
            "format": " + ".join(formats) or "runvitals",
            "updated": stamp[2] / 1e9 or None,
            **known,
        }
    )


def failed_row(place: Place, error: ReadError, stamp: Stamp) -> RunRow:
    """A place that cannot be read, and why."""
    row = provisional_row(place, None, stamp)
    row.problem, row.status = error.problem, "unreadable"
    return row


def located(row: RunRow, place: Place, index: int, stamp: Stamp) -> RunRow:
    """The same row, with where its run lies and when that was last written."""
    row.id, row.path, row.root = place.run_id(index), visible(place.shown), visible(str(place.root))
    # the log's own time if it has one: files that are copied or checked out are all new
    row.updated = row.updated or stamp[2] / 1e9 or None
    return row


def row_of(run: Run, outcome: str | None = None, levels: LevelsCard | None = None) -> RunRow:
    """All that the list shows of a run but where it lies and its verdict.

    `outcome` names the series that it rests on, `levels` are the verdict's figures of it.
    """
    newest = newest_rows(run)
    return RunRow(
        **{
            "id": "",
            "path": "",
            "root": "",
            "format": run.format,
            **_identity(run),
            "outcome": spark(run, outcome, levels),
            "outcomes": outcomes_of(run)[:MAX_OUTCOMES],
            "last_step": run.last_step,
            "planned_steps": Patient(run).planned_steps,
            "steps_per_second": number(newest.steps_per_second),
            "updated": number(newest.time) or None,
            "points": run.points.count,
            "series": len(run),
            "partial": bool(run.missing),
        }
    )


def judged_row(run: Run, found: Diagnosis) -> RunRow:
    """The same of a run that was judged."""
    verdict = found.verdict
    row = row_of(run, verdict.outcome, seen(LevelsCard, verdict.levels))
    row.verdict = seen(VerdictWord, verdict)
    row.alarms = alarms_of(found.findings)
    return row


def _identity(run: Run) -> dict[str, Any]:
    return {
        "name": run.name or run.id,
        **fields(run, "project status exit_code framework algorithm"),
        "started": number(run.started),
        "ended": number(run.ended),
        "tags": [str(tag) for tag in run.tags],
        "config": settings_of(run),
    }


def settings_of(run: Run) -> dict[str, Scalar]:
    """Settings under the catalog's keys, then all others under their own."""
    config = run.config if isinstance(run.config, dict) else dict(run.config)
    mine = scalars(run.settings) | scalars(config, MAX_SETTINGS)
    return dict(list(mine.items())[:MAX_SETTINGS])


def spark(run: Run, outcome: str | None, levels: LevelsCard | None = None) -> OutcomeSpark | None:
    """A series as a few means, for a line as high as a letter."""
    series = None if outcome is None else run.get(outcome)
    finite = None if series is None else series.finite()
    if series is None or finite is None or not len(series):
        return None
    return OutcomeSpark(
        name=series.name,
        metric=series.metric,
        values=means(finite),
        levels=levels,
        last=number(series.last),
    )


def alarms_of(findings: Sequence[Finding | FindingCard]) -> Alarms:
    """How many stories there are of each severity; what follows from another is part of it.

    What is about the log is not a matter of the run.
    """
    counts = Alarms()
    own = [finding for finding in findings if not finding.about_log]
    counts.about_log = len(findings) - len(own)
    for finding in own:
        setattr(counts, finding.severity, getattr(counts, finding.severity) + 1)
    own.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    told = [*own, *(effect for finding in own for effect in finding.follows)]
    counts.codes = list(dict.fromkeys(finding.code for finding in told))[:MAX_CODES]
    return counts


PACE_POINTS = (
    30  # rows: enough to even out single slow ones, few enough to be the present (judgement)
)


class NewestRows(NamedTuple):
    """When something was logged last (Unix seconds), and the pace around that time; NaN if unknown."""

    time: float = math.nan
    steps_per_second: float = math.nan


def newest_rows(run: Run) -> NewestRows:
    """By the series that training itself logged last: the host is sampled even while it hangs."""
    found = NewestRows()
    for name in run.names():
        if name.lower().startswith("system/"):
            continue
        steps, times = run.points.clock(name)
        if not len(times) or not np.isfinite(times[-1]) or times[-1] <= found.time:
            continue
        begin = max(0, len(times) - PACE_POINTS)
        newest = float(times[-1])
        taken = newest - float(times[begin])
        rate = float(steps[-1] - steps[begin]) / taken if taken > 0 else math.nan
        found = NewestRows(newest, rate)
    return found
