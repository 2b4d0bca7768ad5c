"""What a run's page is made of: texts from logs, what the doctor says, charts and series."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar, overload

from pydantic import BaseModel, BeforeValidator

from runvitals.view.json_safe import visible

Severity = Literal["critical", "warning", "notice"]
Section = Literal["outcome", "validation", "policy", "value", "data", "speed", "system", "other"]
ChartKind = Literal["line", "stacked", "heatmap", "spread"]
Scalar = str | int | float | bool | None


def _visible(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_visible)]  # text that comes from logs
Quoted = Annotated[Words, BeforeValidator(lambda quote: getattr(quote, "text", quote))]
Card = TypeVar("Card", bound=BaseModel)


@overload
def seen(card: type[Card], record: None) -> None: ...
@overload
def seen(card: type[Card], record: object) -> Card: ...
def seen(card: type[Card], record: object | None) -> Card | None:
    """A record of the model as a page shows it, made from the attributes that both have."""
    return None if record is None else card.model_validate(record, from_attributes=True)


class VerdictWord(BaseModel):
    """Is it learning? In one word, and why."""

    word: Words
    reason: Words
    chance: float | None = None  # that the word is right


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
    quotes: list[Quoted] = []
    samples: list[str] = []
    limit: Threshold | None = None
    also: list[Words] = []
    rank: int | None = None
    preview: bool = False
    accepted: Annotated[Words | None, BeforeValidator(lambda why: why or None)] = None
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


class SeriesName(BaseModel):
    """One series of a chart. `key` is what to ask `/series` for: its name, unless ranks differ.

    `of_ranks` says that it is the lowest, median or highest value over all ranks at each step; `told`
    that a finding points at this rank.
    """

    key: Words
    name: Words
    metric: str | None = None
    labels: dict[Words, Words] = {}
    rank: int | None = None
    of_ranks: Literal["lowest", "median", "highest"] | None = None
    told: bool = False
    points: int
    nonfinite: int = 0
    first_step: int | None = None
    last_step: int | None = None
    last: float | None = None


class HealthyBand(BaseModel):
    """A healthy range, or a limit beyond which something is wrong, and whose. Open ends are null."""

    low: float | None
    high: float | None
    source: Words


class Chart(BaseModel):
    """One chart, in the place where a practitioner reads it. `findings` are indices of the run's.

    `ranks` is how many ranks logged different values; of many, `names` has the range over all of them
    and the few that findings name or that lie outermost.
    """

    key: Words
    section: Section
    title: Words
    names: list[SeriesName]
    ranks: int = 0
    kind: ChartKind = "line"
    metric: str | None = None
    meaning: str = ""
    unit: str = ""
    direction: Literal["higher", "lower", "target", "neutral"] = "neutral"
    band: HealthyBand | None = None
    limit: HealthyBand | None = None
    essential: bool = False
    findings: list[int] = []


class SeriesArray(BaseModel):
    """Where one array of a series lies behind the header: `offset` in bytes, `length` in numbers."""

    key: Literal["x", "value", "low", "high", "mean", "first", "last"]
    dtype: Literal["float64", "float32"]
    offset: int
    length: int


class SeriesHeader(BaseModel):
    """One series in a binary answer. `count` points lie in the range that was asked for.

    `raw` has the points themselves as x and value; else each bucket has low, high, mean, first, last.
    `nonfinite` are the x of values that are NaN or infinite, up to 200.
    """

    name: Words
    count: int
    raw: bool
    x_min: float | None
    x_max: float | None
    nonfinite: list[float]
    arrays: list[SeriesArray]


class SeriesAnswer(BaseModel):
    """The JSON header of a binary answer: `RVS1`, uint32 length of this, this, then the arrays.

    The arrays are little-endian and begin right behind the header, which ends in spaces so that this is
    a multiple of 8; offsets count from there and are multiples of 8 too.
    """

    series: list[SeriesHeader]
