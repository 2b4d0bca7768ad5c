"""Which findings are open while a run is followed, since when, and which have closed.

A judge inside a training run believes what holds for some time: what comes and goes between two looks
is not called out. Somebody who watches the terminal sees each judgement as it is.
"""

import math
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from runvitals.model import SEVERITIES, Finding, FindingChange
from runvitals.model.expectation import YOURS

PATIENCE = 2  # looks in a row after which a warning is believed, or believed to be over,
GROWTH = 0.05  # if the run has grown by so much since the first of them,
SECONDS = 600.0  # or so much time has passed
MAX_CLOSED = 50

Key = tuple[str, str, bool, float | None]  # code, series, whether an alarm, the user's bound


def key_of(finding: Finding) -> Key:
    """What makes a finding the same one at the next look.

    An alarm of which a notice is left is over; each of the user's expectations is a matter of its own.
    """
    limit = finding.limit
    bound = limit.value if limit is not None and limit.source == YOURS else None
    return finding.code, finding.series, finding.is_alarm, bound


@dataclass(frozen=True)
class Moment:
    """When it was: the last step, the number of rows so far, Unix seconds, whether it is the last.

    `done` is the share of the plan; None if there is none.
    """

    step: int
    rows: int
    time: float
    last: bool = False
    done: float | None = None


@dataclass(frozen=True)
class TrackedFinding:
    """A finding with the step at which it was first and, if it is over, last true."""

    finding: Finding
    opened: int
    closed: int | None = None


@dataclass
class Streak:
    """Consecutive looks that agree."""

    begin: Moment
    looks: int = 0

    def convinces(self, now: Moment, seconds: float, growth: float = GROWTH) -> bool:
        """True if there are enough of them, over enough rows or time."""
        grown = now.rows - self.begin.rows >= growth * self.begin.rows
        return self.looks >= PATIENCE and (grown or now.time - self.begin.time >= seconds)


class OpenFindings:
    """Compares each look at one run with the ones before.

    What is critical opens at once. The rest opens after two looks in a row, between which the run has
    grown: looks that follow each other closely see the same passing thing. So it is with what is gone.
    The last look of a run is taken at its word; with `at_once`, each one is. Without `notices`, only
    alarms are kept. Where `by_rows` is set, only rows count, whatever time has passed.
    """

    def __init__(
        self, already: Iterable[FindingChange] = (), *, at_once: bool = False, notices: bool = True
    ) -> None:
        self._open = {key_of(change.finding): change for change in already}
        self._since = {key: change.step for key, change in self._open.items()}
        self._closed: list[TrackedFinding] = []
        self.news: list[TrackedFinding] = []  # what the latest look opened, then what it closed
        self._streaks: dict[tuple[Key, bool], Streak] = {}  # True: to open, False: to close
        self._at_once = at_once
        self._notices = notices
        self.by_rows = False

    @property
    def seconds(self) -> float:
        """After which what was said by two looks is believed, whatever the rows."""
        return math.inf if self.by_rows else SECONDS

    def is_open(self, finding: Finding) -> bool:
        """Whether it was opened and not closed."""
        return key_of(finding) in self._open

    def update(self, stories: Sequence[Finding], moment: Moment) -> list[FindingChange]:
        """What the findings of a new look change."""
        present = {
            key_of(finding): FindingChange("opened", finding, moment.step, moment.time, part_of)
            for finding, part_of in flattened(stories)
            if finding.is_alarm or self._notices
        }
        certain = moment.last or self._at_once
        seconds = self.seconds
        self._count({(key, key in present) for key in present.keys() ^ self._open.keys()}, moment)
        changes: list[FindingChange] = []
        self.news = []
        for key, now in present.items():
            before = self._open.get(key)
            if before is None:
                at_once = certain or now.finding.severity == "critical"
                if not at_once and not self._streaks[key, True].convinces(moment, seconds):
                    continue
                changes.append(now)
                first_seen = now.finding.first_seen
                self._since[key] = moment.step if first_seen is None else first_seen
                self.news.append(TrackedFinding(now.finding, self._since[key]))
            elif _rank(now.finding) < _rank(before.finding):
                changes.append(replace(now, event="worsened"))
            self._open[key] = now
        for key in [key for key in self._open if key not in present]:
            if certain or self._streaks[key, False].convinces(moment, seconds):
                gone = self._open.pop(key)
                changes.append(replace(gone, event="closed", step=moment.step, time=moment.time))
                over = TrackedFinding(gone.finding, self._since.pop(key), moment.step)
                self.news.append(over)
                self._closed = [*self._closed, over][-MAX_CLOSED:]
        return changes

    @property
    def open(self) -> list[TrackedFinding]:
        """What is true now, the worst first, then the oldest."""
        entries = [
            TrackedFinding(self._open[key].finding, since) for key, since in self._since.items()
        ]
        return sorted(entries, key=lambda e: (_rank(e.finding), e.opened, e.finding.code))

    @property
    def closed(self) -> list[TrackedFinding]:
        """What was true once, the newest first."""
        return self._closed[::-1]

    def _count(self, differ: Set[tuple[Key, bool]], moment: Moment) -> None:
        """Go on with the streaks of what differs from what is open; the others are broken."""
        self._streaks = {key: self._streaks.get(key) or Streak(moment) for key in differ}
        for streak in self._streaks.values():
            streak.looks += 1


def flattened(
    stories: Iterable[Finding], part_of: str | None = None
) -> Iterator[tuple[Finding, str | None]]:
    """Findings with their consequences, each with the code of what explains it."""
    for finding in stories:
        yield finding, part_of
        yield from flattened(finding.follows, finding.code)


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
