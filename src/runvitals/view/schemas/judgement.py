"""What the doctor says of a run: verdict, report card, findings."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Severity, Words


class VerdictWord(BaseModel):
    """Is it learning? In one word, and why."""

    word: Words
    reason: Words


class LevelsCard(BaseModel):
    """Where an outcome began, its best, and where it is now: means, not single values.

    `best_step` is where it reached its best, `fell_step` where it lost that, if it did.
    """

    start: float | None
    best: float | None
    now: float | None
    best_step: int | None = None
    fell_step: int | None = None


class GradeLine(BaseModel):
    """One line of the report card."""

    area: str
    mark: Literal["good", "watch", "bad", "not checked"]
    reason: Words


class VerdictCard(VerdictWord):
    """The verdict with the series it rests on, the levels of that series, and the report card."""

    chance: float | None = None  # that the word is right
    outcome: Words | None = None
    levels: LevelsCard | None = None
    grades: list[GradeLine] = []


class StepSpan(BaseModel):
    """Steps, both ends included, and the number of points there."""

    first: int
    last: int
    count: int


class Threshold(BaseModel):
    """A limit, and where it comes from."""

    value: float | None
    source: Words


class FindingCard(BaseModel):
    """What a rule found, as `check --format json` says it. `about_log`: it is not about the run."""

    code: str
    name: str
    severity: Severity
    message: Words
    series: Words
    metric: Words | None = None
    span: StepSpan
    first_seen: int | None = None
    lead: int | None = None
    causes: list[Words] = []
    advice: Words = ""
    quotes: list[Words] = []
    samples: list[str] = []
    limit: Threshold | None = None
    also: list[Words] = []
    rank: int | None = None
    preview: bool = False
    accepted: Words | None = None
    area: str = ""
    about_log: bool = False
    follows: list[FindingCard] = []


class SkippedRule(BaseModel):
    """A rule that could not be run, and why."""

    code: str
    name: str
    reason: Words


class Judgement(BaseModel):
    """What the doctor says about one run; without a verdict nothing was said yet."""

    verdict: VerdictCard | None = None
    findings: list[FindingCard] = []
    not_checked: list[SkippedRule] = []
    clear: list[str] = []
    problems: list[Words] = []
    nothing_to_judge: Words | None = None
    not_understood: list[Words] = []
    settings_file: Words | None = None
