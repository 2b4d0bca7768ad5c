"""What the API answers. These models are the contract with `web/`, which makes its types from them.

Numbers that are NaN or infinite arrive as null. Steps are whole numbers, times are Unix seconds.
Characters in names and texts that nobody would see are written as codes (`visible.py`); a request may
name a thing by what it was told.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from runvitals.view.visible import visible

Severity = Literal["critical", "warning", "notice"]
Section = Literal[
    "outcome",
    "validation",
    "policy",
    "value",
    "data",
    "speed",
    "system",
    "other",
]
ChartKind = Literal["line", "stacked", "heatmap", "spread"]
Scalar = str | int | float | bool | None


def _visible(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_visible)]  # text that comes from logs


# runs


class VerdictWord(BaseModel):
    """Is it learning? In one word, and why."""

    word: Words
    reason: Words


class Alarms(BaseModel):
    """How many findings a run has, by severity; those about its log count apart."""

    critical: int = 0
    warning: int = 0
    notice: int = 0
    about_log: int = 0


class OutcomeLevels(BaseModel):
    """Where an outcome began, its best, and where it is now: means, not single values."""

    start: float | None
    best: float | None
    now: float | None


class OutcomeSpark(BaseModel):
    """The outcome that the verdict rests on, as a few values for a sparkline.

    `levels` are the verdict's own figures; `last` is the newest value as it was logged.
    """

    name: Words
    metric: Words | None = None
    values: list[float | None]
    levels: OutcomeLevels | None = None
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
    format: Words = ""
    framework: Words | None = None
    algorithm: Words | None = None
    verdict: VerdictWord | None = None
    alarms: Alarms = Alarms()
    outcome: OutcomeSpark | None = None
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
    the runs that are new or have changed since then, and the ids of those that are `gone`.
    """

    runs: list[RunRow]
    version: str
    whole: bool
    gone: list[str] = []
    scanning: bool
    judging: int = 0
    group_keys: list[Words] = []
    problems: list[Words] = []


# one run


class GradeLine(BaseModel):
    """One line of the report card."""

    area: str
    mark: Literal["good", "watch", "bad", "not checked"]
    reason: Words


class Verdict(VerdictWord):
    """The verdict with the series it rests on, the levels of that series, and the report card."""

    outcome: Words | None = None
    levels: OutcomeLevels | None = None
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


class Finding(BaseModel):
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
    limit: Threshold | None = None
    also: list[Words] = []
    rank: int | None = None
    preview: bool = False
    accepted: Words | None = None
    area: str = ""
    about_log: bool = False
    follows: list[Finding] = []


class NotChecked(BaseModel):
    """A rule that could not be run, and why."""

    code: str
    name: str
    reason: Words


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


class Life(BaseModel):
    """One process that wrote the run: the first, and one for each time it was resumed."""

    number: int
    first_step: int
    last_step: int
    began: float | None
    ended: float | None


class VitalSign(BaseModel):
    """A metric's level beside the range that holds for it here, and whose range that is.

    `range` is it in words; `low` and `high` are its ends, null where it is open. `place` is where the
    level lies: inside, above or below. `since` is the step from which on it is out of range.
    """

    name: Words
    metric: str
    level: float | None = None
    low: float | None = None
    high: float | None = None
    range: str
    source: Words
    why: Words = ""
    state: Literal["in range", "out of range", "too early"]
    place: str | None = None
    since: int | None = None
    all_along: bool = False


class RunDetail(RunRow):
    """All of a run but its points.

    `progress` is what the trainer noted about it; `lives` are the processes that wrote it, the latest
    of them if there were many. `eta_seconds` is how long a running run will still take at its pace,
    null unless the plan is known. `vitals` are all metrics that have a range. `not_understood` are
    names that mention a loss or an outcome and have no meaning in the catalog, the first of them if
    there were many. `settings_file` is the user's file that the rules went by, null if there is none.
    """

    verdict: Verdict | None = None
    judging: bool = False
    nothing_to_judge: Words | None = None
    notes: Words = ""
    full_config: dict[Words, Any] = {}
    settings: dict[Words, Scalar] = {}
    provenance: dict[Words, Any] = {}
    progress: dict[Words, Any] = {}
    lives: list[Life] = []
    eta_seconds: float | None = None
    summary: dict[Words, Any] = {}
    warnings: list[Words] = []
    findings: list[Finding] = []
    not_checked: list[NotChecked] = []
    clear: list[str] = []
    problems: list[Words] = []
    vitals: list[VitalSign] = []
    not_understood: list[Words] = []
    settings_file: Words | None = None
    charts: list[Chart] = []
    has_samples: bool = False
    has_console: bool = False
    x_axes: list[Words] = ["step", "time", "relative"]


class Milestones(BaseModel):
    """Some steps of a run, in their order, and where they lie on another axis."""

    steps: list[int]
    x: list[float]


# what is not a number


class Heatmap(BaseModel):
    """A histogram over time on common edges: `counts[i][j]` lie at `steps[i]` in bin j."""

    name: Words
    steps: list[int]
    edges: list[float]
    counts: list[list[float]]
    total: int


class SampleRow(BaseModel):
    """One logged sample."""

    index: int
    step: int
    time: float | None
    fields: dict[Words, Any]


class Samples(BaseModel):
    """A page of samples. `total` counts all that match; `fields` and `steps` are of all samples."""

    total: int
    offset: int
    fields: list[Words]
    steps: list[int]
    samples: list[SampleRow]


class Console(BaseModel):
    """The last lines of the console log."""

    source: Words | None
    lines: list[Words]
    truncated: bool


class RunEvent(BaseModel):
    """Something that happened: it began, was resumed, ended; a finding opened or closed; a text."""

    kind: Literal["start", "restart", "end", "finding", "text"]
    step: int | None
    time: float | None
    name: Words
    text: Words
    severity: Severity | None = None
    change: Literal["opened", "worsened", "closed"] | None = None


class RunEvents(BaseModel):
    """Events of a run in the order of time."""

    events: list[RunEvent]


# compare


class ComparedRun(BaseModel):
    """A run in a comparison."""

    id: str
    name: Words
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


class Comparison(BaseModel):
    """What differs between runs, side by side in the order of `runs`."""

    runs: list[ComparedRun]
    group_by: list[Words]
    groups: list[Group]
    config: list[ConfigDifference]
    table: list[FinalValues]
    findings: list[SharedFinding]
    metrics: list[Words]  # that all of the runs have, the most telling first


class GroupCurve(BaseModel):
    """The centre of a group over common x, with a 95 % bootstrap band over its runs."""

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


# knowledge


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


# series


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


class LiveEvent(BaseModel):
    """One server-sent event of `/api/events`.

    `runs`: the list changed (a run came, went, or its row is new). `points`: a run has new points.
    `findings`: a run was judged again.
    """

    type: Literal["runs", "points", "findings"]
    run: str | None = None
    last_step: int | None = None
    points: int | None = None
    status: Words | None = None
    version: int = 0
