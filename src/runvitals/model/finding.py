"""What rules say about a run, and what the doctor makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, Self, TypeVar

from runvitals.display import html_of

Severity = Literal["critical", "warning", "notice"]
TELEMETRY = "telemetry"  # the area of rules that are about the log and not about the run
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "notice")  # worst first


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of steps, both ends included, with the number of points in it."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold, and where it comes from: an option, the run's config, the catalog, the run."""

    value: float
    source: str
    # the user or the run's config set it: then it holds whatever else is true
    from_run: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A text that shows a finding, in one line, and the id of the sample that it stands in."""

    sample: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One observation of a rule: which series, where, and what it says.

    `severity` overrides the rule's own; `causes` are the likeliest first; `also` names further series
    that show it, `rank` is the one rank that it speaks of. `beyond_excuse`: so far out that a good
    outcome does not make it a notice. `grave`: critical if the outcome struggles. `quotes` show it in
    what the model wrote.
    """

    series: str
    span: Span
    message: str
    advice: str = ""
    severity: Severity | None = None
    causes: tuple[str, ...] = ()
    limit: Limit | None = None
    also: tuple[str, ...] = ()
    rank: int | None = None
    beyond_excuse: bool = False
    grave: bool = False
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit with the rule it came from: what is shown to people.

    `first_seen` is the step at which the rule could first tell; `lead` how many steps that was before
    the outcome fell, if it did. `follows` holds findings that this one explains: they are part of the
    same story and count as no alarms of their own. `accepted` is why the user expects it, if so: then
    it is a notice. `area` is the line of the report card that it belongs to, `metric` what the name of
    its series means.
    """

    code: str
    name: str
    severity: Severity
    series: str
    span: Span
    message: str
    advice: str = ""
    causes: tuple[str, ...] = ()
    limit: Limit | None = None
    also: tuple[str, ...] = ()
    first_seen: int | None = None
    lead: int | None = None
    preview: bool = False
    follows: tuple[Finding, ...] = ()
    accepted: str = ""
    area: str = ""
    rank: int | None = None
    quotes: tuple[Quote, ...] = ()
    metric: str | None = None

    @property
    def samples(self) -> tuple[str, ...]:
        """The ids of the samples that its quotes stand in."""
        return tuple(quote.sample for quote in self.quotes)

    @property
    def is_alarm(self) -> bool:
        """True if a person should look: it is more than a notice, and not only about the log."""
        return self.severity != "notice" and not self.about_log

    @property
    def about_log(self) -> bool:
        """Whether it speaks of how the run was recorded, and not of how it went.

        Such a finding makes no run sick, unless it led to something that does.
        """
        return self.area == TELEMETRY and not any(effect.is_alarm for effect in self.follows)


class WithConsequences(Protocol):
    """Anything that holds the findings it explains: a `Finding`, or what a page shows of one."""

    @property
    def follows(self) -> Sequence[Self]:
        """What it explains."""


AnyFinding = TypeVar("AnyFinding", bound=WithConsequences)


def all_findings(findings: Iterable[AnyFinding]) -> Iterator[AnyFinding]:
    """Findings with those they explain, each before its consequences."""
    for finding in findings:
        yield finding
        yield from all_findings(finding.follows)


class NotChecked(NamedTuple):
    """A rule that could not be run, and why: that is not the same as a rule that found nothing."""

    code: str
    name: str
    reason: str


ChangeKind = Literal["opened", "worsened", "closed"]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """What the live judge saw begin, get worse or end, and when.

    `step` is the last one logged by then, `time` Unix seconds. `part_of` is the code of the finding
    that explains this one: such a consequence is kept, but nobody is called for it.
    """

    event: ChangeKind
    finding: Finding
    step: int
    time: float
    part_of: str | None = None


MAX_CHANCE = 0.99  # no log makes anything surer than that
VerdictWord = Literal[
    "learning",
    "learned",
    "not learning",
    "collapsed",
    "diverged",
    "stalled",
    "overfitting",
    "too early to tell",
    "cannot tell",
]
Mark = Literal["good", "watch", "bad", "not checked"]


@dataclass(frozen=True, slots=True)
class Grade:
    """One line of the report card: an area of the run, how it does, and why."""

    area: str
    mark: Mark
    reason: str


@dataclass(frozen=True, slots=True)
class OutcomeLevels:
    """Where an outcome began, its best, and where it is now: means, in the sign it was logged in.

    `best_step` is where it reached its best, `fell_step` where it lost that; None if it did not.
    """

    start: float
    best: float
    now: float
    best_step: int | None = None
    fell_step: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Is it learning? One word, the reason, and a report card by area."""

    word: VerdictWord
    reason: str
    outcome: str | None  # the series it rests on
    grades: tuple[Grade, ...] = ()
    levels: OutcomeLevels | None = None  # of that series: the figures that every page shows
    chance: float | None = None  # that the word is right; None where no chance can be given

    @property
    def headline(self) -> str:
        """The word with its chance, as pages show it: `learning (97%)`."""
        if self.chance is None:
            return self.word
        return f"{self.word} ({self.chance:.0%})"

    def _repr_html_(self) -> str | None:
        return html_of(self)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that is said about one run."""

    verdict: Verdict
    findings: tuple[Finding, ...]
    not_checked: tuple[NotChecked, ...]
    clear: tuple[str, ...]  # codes of rules that ran and found nothing
    problems: tuple[str, ...] = ()  # rules that failed
    settings_file: str | None = None  # the file whose settings the rules went by

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """Findings about the run that a person should look at: they make it sick."""
        return tuple(finding for finding in self.findings if finding.is_alarm)

    @property
    def notices(self) -> tuple[Finding, ...]:
        """Findings about the run that are only worth knowing."""
        return tuple(f for f in self.findings if not f.is_alarm and not f.about_log)

    @property
    def telemetry(self) -> tuple[Finding, ...]:
        """Findings about the log, of any severity: they are shown apart, and make no run sick."""
        return tuple(finding for finding in self.findings if finding.about_log)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings with those they explain, each before its consequences."""
        return tuple(all_findings(self.findings))

    def _repr_html_(self) -> str | None:
        return html_of(self)
