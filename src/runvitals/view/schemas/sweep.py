"""Many runs that differ in some settings."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Scalar, Words


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
