"""Runs side by side, and sweeps."""

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.judgement import Scalar, Severity, VerdictWord, Words


class ComparedRun(BaseModel):
    """A run in a comparison."""

    id: str
    name: Words
    project: Words = ""
    group: Words
    status: Words
    verdict: VerdictWord | None
    last_step: int | None
    steps_per_second: float | None
    points: int
    updated: float | None


class ConfigDifference(BaseModel):
    """A setting that is not the same in all runs; one value per run, null where it is not set."""

    key: Words
    values: list[Scalar]


class FinalValues(BaseModel):
    """One metric: the level at the end of each run, null if not logged.

    Of an outcome it is what the verdict says, of all else the mean of the last tenth.
    """

    name: Words
    metric: str | None
    title: Words
    direction: Literal["higher", "lower", "target", "neutral"]
    unit: str
    values: list[float | None]
    last: list[float | None]


class SharedFinding(BaseModel):
    """A rule that fired in some of the runs: at which step in each, null where it did not."""

    code: str
    name: str
    severity: Severity
    message: Words
    first_steps: list[int | None]


class Group(BaseModel):
    """Runs that belong together, such as seeds of one setting."""

    label: Words
    runs: list[str]


class ComparisonPage(BaseModel):
    """What differs between runs, side by side in the order of `runs`."""

    runs: list[ComparedRun]
    group_by: list[Words]
    groups: list[Group]
    config: list[ConfigDifference]
    table: list[FinalValues]
    findings: list[SharedFinding]
    metrics: list[Words]  # that all of the runs have, the most telling first


class GroupCurve(BaseModel):
    """The centre of a group over common x, with a band over its runs.

    Around a mean it is a 95% bootstrap interval, around a median 10 to 90% of the runs. It is only
    where all runs of the group are, so that it does not jump where one ends.
    """

    label: Words
    runs: list[str]
    center: list[float | None]
    low: list[float | None]
    high: list[float | None]
    count: list[int]  # runs that reach each x


class GroupCurves(BaseModel):
    """Groups of seeds as one curve each."""

    metric: Words
    title: Words
    unit: str
    x: list[float]
    groups: list[GroupCurve]


class Sibling(BaseModel):
    """A run like another one. `value` is what it has of the setting that differs."""

    id: str
    name: Words
    verdict: VerdictWord | None
    value: Scalar = None


class RunSiblings(BaseModel):
    """Runs like one run: seeds of its settings, or runs that differ from it in one setting.

    `/api/compare/series` with their ids and `group_by=*` gives the band behind a chart.
    """

    differs: Words | None  # the setting that differs; null if only seeds do
    own: Scalar = None  # the run's own value of it
    alike: bool  # whether the siblings have all settings but seeds in common with each other
    runs: list[Sibling]


class SweepRun(BaseModel):
    """A run of a sweep. `rules` are the codes of its alarms, `outcome` is where it ended."""

    id: str
    name: Words
    verdict: Words
    failed: bool
    outcome: float | None
    rules: list[str]


class SweepSetting(BaseModel):
    """A setting with several values: the value of each run, and each value once in order."""

    key: Words
    numeric: bool
    log: bool  # whether its numbers are better seen on a logarithmic axis
    choices: list[Scalar]
    values: list[Scalar]


class SweepBound(BaseModel):
    """A part of a setting: from `low` to `high`, both included and null without an end, or words."""

    key: Words
    low: float | None = None
    high: float | None = None
    words: list[Scalar] = []


class TypicalFinding(BaseModel):
    """A rule that raised an alarm in most runs of a region, and in few others."""

    code: str
    name: str
    count: int


class SweepRegion(BaseModel):
    """Runs within some bounds; `half` is half of the 95% interval of the mean outcome."""

    condition: Words
    bounds: list[SweepBound]
    runs: list[str]
    mean: float | None
    half: float | None
    failed: int
    typical: list[TypicalFinding]
    clearly_best: bool


class SweepAnswer(BaseModel):
    """Which settings of the runs differ, and where among them they fail, surest failures first."""

    project: Words
    metric: Words
    title: Words
    unit: str
    direction: Literal["higher", "lower", "target", "neutral"]
    sentence: Words
    outcomes: list[Words]  # that the runs can be compared by, what most of them have first
    runs: list[SweepRun]
    settings: list[SweepSetting]
    regions: list[SweepRegion]


class SettingImportance(BaseModel):
    """The share of the outcome's variance that is lost when a setting is shuffled, ± 95%."""

    key: Words
    mean: float
    half: float
    clear: bool  # whether it is more than what noise reaches


class SweepImportance(BaseModel):
    """How much each setting matters, or the `problem` that keeps us from saying so."""

    settings: list[SettingImportance]
    floor: float
    explained: float | None
    problem: str | None
