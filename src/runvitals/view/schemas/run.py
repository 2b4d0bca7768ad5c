"""One run: its line in the list, its page, its events, and what people noted about it."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from runvitals.view.schemas.judgement import (
    Chart,
    Judgement,
    LevelsCard,
    Scalar,
    Severity,
    VerdictCard,
    VerdictWord,
    Words,
)

MAX_NOTES = 50_000  # characters


class Writing(BaseModel):
    """Whether this server writes, and the word that a page has to say then."""

    writable: bool
    token: str | None = None


class RunNotes(BaseModel):
    """What people noted about a run. It lies beside the runs; no log is ever changed."""

    star: bool = False
    archived: bool = False
    name: Words = Field(default="", max_length=200)
    tags: list[Words] = Field(default=[], max_length=50)
    notes: Words = Field(default="", max_length=MAX_NOTES)


class SavedView(BaseModel):
    """A way to look at the runs of a project: the part of the address that it stands for."""

    name: Words = Field(max_length=100)
    query: Words = Field(max_length=5_000)


class SharedViews(BaseModel):
    """The views of a project that lie beside its runs."""

    views: list[SavedView] = Field(default=[], max_length=200)
    writable: bool = False


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


class ProcessLife(BaseModel):
    """One process that wrote the run: the first, and one for each time it was resumed."""

    number: int
    first_step: int
    last_step: int
    began: float | None
    ended: float | None


class VitalSign(BaseModel):
    """A metric's level beside the range that holds for it here, and whose range that is.

    `range` is it in words; `low` and `high` are its ends, null where it is open. `place` is where the
    level lies: inside, above or below. `since` is the step from which on it is out of range. `alarm` is
    the code of a finding that alarms about it: the state of one that lies inside is then `alarm`.
    """

    name: Words
    metric: str
    level: float | None = None
    low: float | None = None
    high: float | None = None
    range: str
    source: Words
    why: Words = ""
    state: Literal["in range", "out of range", "borderline", "alarm", "too early"]
    place: str | None = None
    since: int | None = None
    all_along: bool = False
    alarm: str | None = None


class ChangedSetting(BaseModel):
    """A setting that differs from the framework's default."""

    key: Words
    value: Scalar
    default: Scalar


class FrameworkDefaults(BaseModel):
    """How a run's settings differ from the defaults of a version of its framework.

    `compared` is the number of settings that the run and the table of defaults share.
    """

    framework: str
    version: str
    algorithm: str
    compared: int
    changed: list[ChangedSetting]


class RunDetail(Judgement, RunRow):
    """All of a run but its points.

    `progress` is what the trainer noted about it; `lives` are the processes that wrote it, the latest
    of them if there were many. `eta_seconds` is how long a running run will still take at its pace,
    null unless the plan is known. `vitals` are all metrics that have a range. `not_understood` are
    names that mention a loss or an outcome and have no meaning in the catalog, the first of them if
    there were many. `settings_file` is the user's file that the rules went by, null if there is none.
    """

    verdict: VerdictCard | None = None
    noted: RunNotes = RunNotes()
    judging: bool = False
    notes: Words = ""
    full_config: dict[Words, Any] = {}
    settings: dict[Words, Scalar] = {}
    defaults: FrameworkDefaults | None = None
    provenance: dict[Words, Any] = {}
    progress: dict[Words, Any] = {}
    lives: list[ProcessLife] = []
    eta_seconds: float | None = None
    summary: dict[Words, Any] = {}
    warnings: list[Words] = []
    vitals: list[VitalSign] = []
    charts: list[Chart] = []
    has_samples: bool = False
    has_media: bool = False
    has_console: bool = False
    x_axes: list[Words] = ["step", "time", "relative"]


class Milestones(BaseModel):
    """Some steps of a run, in their order, and where they lie on another axis."""

    steps: list[int]
    x: list[float]


class Heatmap(BaseModel):
    """A histogram over time on common edges: `counts[i][j]` lie at `steps[i]` in bin j."""

    name: Words
    steps: list[int]
    edges: list[float]
    counts: list[list[float]]
    total: int


class SampleRow(BaseModel):
    """One logged sample. `id` is what the `samples` of findings call it, if it is a text."""

    index: int
    id: str = ""
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


class MediaItem(BaseModel):
    """An image, a sound, a video or a table of a run.

    `file` is its name for `/media/{file}`, `data` its content as a data URL where it is embedded.
    The `rows` of a table are texts, the first of them its columns.
    """

    name: Words
    step: int
    kind: Literal["image", "audio", "video", "table"]
    caption: Words = ""
    file: str | None = None
    data: str | None = None
    rows: list[list[Words]] = []


class RunMedia(BaseModel):
    """Images, sounds, videos and tables in the order of steps: the latest of each name."""

    items: list[MediaItem]


class Console(BaseModel):
    """The last lines of the console log."""

    source: Words | None
    lines: list[Words]
    truncated: bool


class RunEvent(BaseModel):
    """Something that happened.

    It began, was resumed or ended; a finding opened or closed, or was judged to hold from `step` to
    `last_step`; the learning rate changed; a checkpoint was written; a text was logged.
    """

    kind: Literal["start", "restart", "end", "finding", "rate", "checkpoint", "text"]
    step: int | None
    time: float | None
    name: Words
    text: Words
    severity: Severity | None = None
    change: Literal["opened", "worsened", "closed"] | None = None
    last_step: int | None = None


class RunEvents(BaseModel):
    """Events of a run in the order of time."""

    events: list[RunEvent]
