"""The list of runs: a row each."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Scalar, Words
from runvitals.view.schemas.judgement import LevelsCard, VerdictWord


class Alarms(BaseModel):
    """How many findings a run has, by severity; those about its log count apart.

    `codes` are theirs, the worst first, then those of what follows from them.
    """

    critical: int = 0
    warning: int = 0
    notice: int = 0
    about_log: int = 0
    codes: list[str] = []


class OutcomeSpark(BaseModel):
    """The outcome that the verdict rests on, as a few values for a sparkline.

    `levels` are the verdict's own figures; `last` is the newest value as it was logged.
    """

    name: Words
    metric: Words | None = None
    values: list[float | None]
    levels: LevelsCard | None = None
    last: float | None


class RunRow(BaseModel):
    """A run in the list. Until it was read, only its place and what its identity file says is known.

    `verdict` is null while it was not judged; `problem` says why it cannot be read. It is `partial` if
    points are known to be missing.
    """

    id: str
    name: Words
    project: Words = ""
    path: Words
    root: Words
    status: Words = "unknown"
    exit_code: int | None = None
    format: Words = ""
    framework: Words | None = None
    algorithm: Words | None = None
    verdict: VerdictWord | None = None
    alarms: Alarms = Alarms()
    outcome: OutcomeSpark | None = None
    outcomes: list[str] = []  # metrics that say whether it learns, the most trustworthy first
    last_step: int | None = None
    planned_steps: int | None = None
    steps_per_second: float | None = None
    started: float | None = None
    ended: float | None = None
    updated: float | None = None
    age_seconds: float | None = None
    points: int = 0
    series: int = 0
    tags: list[Words] = []
    config: dict[Words, Scalar] = {}
    problem: Words | None = None
    partial: bool = False


class RunList(BaseModel):
    """All runs found so far. `group_keys` are settings in which the runs differ.

    `version` is what to ask with as `since` the next time. If the answer is not `whole`, it has only
    the runs that are new or have changed since then, and the ids of those that are `gone`. `missing`
    names folders that are not there, `problems` what could not be read.
    """

    runs: list[RunRow]
    version: str
    whole: bool
    gone: list[str] = []
    scanning: bool
    judging: int = 0
    group_keys: list[Words] = []
    missing: list[Words] = []
    problems: list[Words] = []


class MetricColumn(BaseModel):
    """One metric as a column of the list. `asked` is what the request called it.

    `runs` has of each run with it: the last value, the level at the end, the lowest and the highest.
    The level of an outcome is that of the verdict, of all else the mean of the last tenth.
    """

    asked: Words
    metric: Words | None = None
    title: Words
    unit: str = ""
    direction: Literal["higher", "lower", "target", "neutral"] = "neutral"
    runs: dict[str, list[float | None]] = {}


class RunColumns(BaseModel):
    """Metrics as columns of the list, and curves of one of them, by run.

    `version` and `whole` as in the list: ask with `since` for the runs that have changed.
    """

    version: str = ""
    whole: bool = True
    columns: list[MetricColumn]
    curves: dict[str, list[float | None]] = {}


class MetricInRuns(BaseModel):
    """A metric, or a name that means none, and how many runs have it."""

    metric: Words
    title: Words
    names: list[Words]
    runs: int
    curve: bool  # whether curves of it are kept


class ListedMetrics(BaseModel):
    """What columns there can be: what most runs have comes first."""

    runs: int
    metrics: list[MetricInRuns]
