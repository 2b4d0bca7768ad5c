"""The catalog, the rule book, symptoms and words; and what the server says of itself."""

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.judgement import Scalar, Section, Severity, Words


class MetricLink(BaseModel):
    """A metric to look at."""

    id: str
    title: str


class RuleLink(BaseModel):
    """A rule to look up."""

    code: str
    title: str


class SymptomRow(BaseModel):
    """A sign, where to look first and next, what it often is, and the rules that look for it."""

    sign: str
    subject: str
    also: list[str]
    check_first: list[MetricLink]
    then_check: list[MetricLink]
    likely: str
    advice: str
    rules: list[str]
    source: str


class SymptomList(BaseModel):
    """The table of symptoms."""

    symptoms: list[SymptomRow]


class TermRow(BaseModel):
    """A word of the trade, and the metrics and rules that are called by it."""

    word: str
    definition: str
    also: list[str]
    metrics: list[MetricLink]
    rules: list[RuleLink]


class Glossary(BaseModel):
    """The words of the trade, in alphabetical order."""

    terms: list[TermRow]


class ReadingMetric(MetricLink):
    """A metric on a list, and what the list's document calls it."""

    names: list[str]


class ReadingGroup(BaseModel):
    """Metrics to read together."""

    title: str
    note: str
    metrics: list[ReadingMetric]


class ReadingList(BaseModel):
    """What to watch first, then: groups in the order in which they are read."""

    id: str
    title: str
    source: str
    groups: list[ReadingGroup]


class ReadingLists(BaseModel):
    """What to watch, for each kind of training."""

    lists: list[ReadingList]


class MetricRow(BaseModel):
    """A metric of the catalog. `aliases` are the names under which tools log it."""

    id: str
    title: str
    meaning: str
    unit: str
    direction: Literal["higher", "lower", "target", "neutral"]
    category: str
    section: Section
    aliases: list[str]


class MetricList(BaseModel):
    """The catalog."""

    metrics: list[MetricRow]


class CatalogBand(BaseModel):
    """A healthy range of the catalog."""

    low: float | None
    high: float | None
    why: str
    source: str
    context: str
    algorithms: list[str]
    config_key: str | None


class MetricName(BaseModel):
    """What a tool calls a metric."""

    framework: str
    title: str
    name: str
    note: str


class MetricDetail(MetricRow):
    """A metric in full."""

    healthy: list[CatalogBand]
    watch_for: str
    related: list[str]
    not_the_same_as: list[str]
    names: list[MetricName]
    rules: list[str]


class RuleRow(BaseModel):
    """A rule of the rule book."""

    code: str
    name: str
    severity: Severity
    title: str
    area: str
    needs: list[str]
    families: list[str]
    explains: list[str]
    preview: bool
    live_only: bool


class RuleList(BaseModel):
    """The rule book."""

    rules: list[RuleRow]


class RuleSection(BaseModel):
    """A part of a rule's page, in Markdown."""

    title: str
    text: str


class RuleDetail(RuleRow):
    """A rule in full."""

    sections: list[RuleSection]
    options: dict[str, Scalar]


class About(BaseModel):
    """This server."""

    name: str
    version: str
    roots: list[Words]
    runs: int
    started: float


class Problem(BaseModel):
    """Why a request was not answered."""

    detail: Words


class LiveEvent(BaseModel):
    """One server-sent event of `/api/events`.

    `runs`: the list changed (a run came, went, or its row is new). `points`: a run has new points.
    `findings`: a run was judged again. `looked`: the folders were looked through for new runs.
    """

    type: Literal["runs", "points", "findings", "looked"]
    run: str | None = None
    last_step: int | None = None
    points: int | None = None
    status: Words | None = None
    version: int = 0
