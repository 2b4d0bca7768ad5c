"""Says what a look has changed: to the journal, the console, the callbacks and the notifier."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from runvitals.diagnosis.live.journal import Journal, read_changes, still_open
from runvitals.diagnosis.live.notify import Notifier
from runvitals.diagnosis.open_findings import Key, Moment, OpenFindings, flattened, key_of
from runvitals.model import Diagnosis, Finding, FindingChange, RunInfo, Verdict

# Areas of findings that depend on how fast the machine was: they stop no run.
CLOCK_AREAS = ("efficiency", "system")
UNSURE = ("cannot tell", "too early to tell")


class Announcer:
    """Knows what is open and who has heard of it; after a resume, what an earlier process opened.

    Everything goes into the journal. People are called for alarms that nothing else explains. `about`
    says which findings are its own, where there are several announcers.
    """

    def __init__(
        self,
        info: RunInfo,
        notifier: Notifier,
        announce: Callable[[str], None] | None,
        *,
        about: Callable[[Finding], bool] = lambda _: True,
        verdicts: bool = True,
    ) -> None:
        self._info = info
        self._announce = announce
        self._journal = (
            None if info.guest else Journal(info.folder)
        )  # that of a guest is its owner's
        self._notifier = notifier
        self._verdicts = verdicts
        self._timed: Collection[str] = ()
        before = still_open(read_changes(info.folder)) if info.segment > 1 else []
        before = [change for change in before if about(change.finding)]
        self._findings = OpenFindings(before)
        self._word: str | None = None  # of the verdict that was told last
        self._told: set[Key] = {key_of(change.finding) for change in before if _is_news(change)}

    def take_in(self, found: Diagnosis, moment: Moment, timed: Collection[str] = ()) -> None:
        """What a look has found; `timed` are the series that depend on how fast the machine was."""
        self._timed = timed
        self._findings.by_rows = self._info.stops and self._verdicts
        changes = self._findings.update(found.findings, moment)
        try:
            if self._journal is not None:
                self._journal.add(changes)
        except OSError as error:
            text = f"findings.jsonl could not be written: {error.strerror or error}"
            self._info.complain("findings.jsonl", text)
        for change in changes:
            self._tell(change)
        for finding, cause in self._explained(found.findings):
            self._told.discard(key_of(finding))
            self._say(f"{finding.code} follows from {cause}: {finding.message}")
        for finding in self._left_alone(found.findings):
            self._tell(FindingChange("opened", finding, moment.step, moment.time))
        if not self._verdicts:
            return
        self._tell_verdict(found.verdict, last=moment.last)
        if moment.last and found.verdict.word not in UNSURE:
            self._say(f"verdict: {found.verdict.headline}, {found.verdict.reason}")

    def _explained(self, stories: Sequence[Finding]) -> list[tuple[Finding, str]]:
        """Findings that people were called for, and that another one explains since then."""
        return [
            (finding, part_of)
            for story in stories
            if self._findings.is_open(story)
            for finding, part_of in flattened([story])
            if part_of is not None and key_of(finding) in self._told
        ]

    def _left_alone(self, stories: Sequence[Finding]) -> list[Finding]:
        """Consequences that nobody was called for, and whose cause is over."""
        return [
            finding
            for finding in stories
            if finding.is_alarm
            and self._findings.is_open(finding)
            and key_of(finding) not in self._told
        ]

    def _tell(self, change: FindingChange) -> None:
        key = key_of(change.finding)
        if change.event == "closed":
            if key not in self._told:
                return
            self._told.discard(key)
        elif _is_news(change):
            self._told.add(key)
        else:
            return
        text = line_of(change)
        self._say(text)
        self._notifier.tell((*map(str, key), change.event, change.finding.severity), text)
        finding = change.finding
        stops = finding.area not in CLOCK_AREAS and finding.series not in self._timed
        # first: `should_stop` is set before a callback of the user can fail or be slow
        for listener in [*(self._info.stop_listeners if stops else ()), *self._info.listeners]:
            try:
                listener(change)
            except Exception as error:  # noqa: BLE001  it is the user's code
                text = f"an on_finding callback failed: {type(error).__name__}: {error}"
                self._info.complain("on_finding", text)

    def _tell_verdict(self, said: Verdict, *, last: bool) -> None:
        if said.word == self._word and not last:
            return
        self._word = said.word
        for listener in list(self._info.verdict_listeners):
            try:
                listener(said)
            except Exception as error:  # noqa: BLE001  it is the user's code
                text = f"an on_verdict callback failed: {type(error).__name__}: {error}"
                self._info.complain("on_verdict", text)

    def _say(self, text: str) -> None:
        if self._announce is not None:
            self._announce(text)


def line_of(change: FindingChange) -> str:
    """One line for the console and for messages."""
    finding = change.finding
    if change.event == "closed":
        return f"{finding.code} over at step {change.step:,}: {finding.message}"
    advice = f"; {finding.advice}" if finding.advice else ""
    return f"{finding.code} {finding.severity} at step {change.step:,}: {finding.message}{advice}"


def _is_news(change: FindingChange) -> bool:
    return change.finding.is_alarm and change.part_of is None
