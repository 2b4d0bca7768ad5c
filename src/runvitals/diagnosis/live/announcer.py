"""Says what a look has changed: to the journal, the console, the callbacks and the notifier."""

from collections.abc import Callable, Collection, Sequence

from runvitals.diagnosis.live.journal import Journal, read_changes, still_open
from runvitals.diagnosis.live.notify import Notifier
from runvitals.diagnosis.live.standing import Standing
from runvitals.diagnosis.open_findings import (
    GROWTH,
    Key,
    Moment,
    OpenFindings,
    Streak,
    flattened,
    key_of,
)
from runvitals.model import Diagnosis, Finding, FindingChange, RunInfo, Verdict

# Areas of findings that depend on how fast the machine was: they stop no run.
CLOCK_AREAS = ("efficiency", "system")
UNSURE = ("cannot tell", "too early to tell")
PROMPT = (*UNSURE, "diverged")  # words that are told at once: they claim little, or a fact
BAD = ("stalled", "not learning", "overfitting", "collapsed", "diverged")
TURNS = 0.6  # of its rows, by which a run grows before another claim is made (judgement)


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
        before = still_open(read_changes(info.folder)) if info.segment > 1 else []
        before = [change for change in before if about(change.finding)]
        self._findings = OpenFindings(before)
        self._standing = Standing()
        self._word: str | None = None  # of the verdict that was told last
        self._claim: str | None = None  # the last word that was told and is not unsure
        self._next_word: tuple[str, Streak] | None = None  # that may take its place
        self._told: set[Key] = {key_of(change.finding) for change in before if _is_news(change)}

    def take_in(self, found: Diagnosis, moment: Moment, timed: Collection[str] = ()) -> None:
        """What a look has found; `timed` are the series that depend on how fast the machine was."""
        self._findings.by_rows = self._info.stops and self._verdicts
        changes = self._findings.update(found.findings, moment)
        try:
            if self._journal is not None:
                self._journal.add(changes)
        except OSError as error:
            text = f"findings.jsonl could not be written: {error.strerror or error}"
            self._info.complain("findings.jsonl", text)
        # first: `should_stop` is set before a callback of the user can fail or be slow
        for finding in self._standing.lasting(found.findings, moment):
            if finding.area not in CLOCK_AREAS and finding.series not in timed:
                change = FindingChange("opened", finding, moment.step, moment.time)
                for listener in self._info.stop_listeners:
                    listener(change)
        for change in changes:
            self._tell(change)
        for finding, cause in self._explained(found.findings):
            self._told.discard(key_of(finding))
            self._say(f"{finding.code} follows from {cause}: {finding.message}")
        for finding in self._left_alone(found.findings):
            self._tell(FindingChange("opened", finding, moment.step, moment.time))
        if not self._verdicts:
            return
        self._tell_verdict(found.verdict, moment)
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
        for listener in list(self._info.listeners):
            try:
                listener(change)
            except Exception as error:  # noqa: BLE001  it is the user's code
                text = f"an on_finding callback failed: {type(error).__name__}: {error}"
                self._info.complain("on_finding", text)

    def _tell_verdict(self, said: Verdict, moment: Moment) -> None:
        """Another word is told once it has held for two looks between which the run has grown.

        For one that takes back the last claim, or is the first and bad, it has to grow by much:
        findings are prompt, and the word is what they come to.
        """
        if not moment.last:
            if said.word == self._word:
                self._next_word = None
                return
            if self._next_word is None or self._next_word[0] != said.word:
                self._next_word = said.word, Streak(moment)
            streak = self._next_word[1]
            streak.looks += 1
            turns = said.word not in (*PROMPT, self._claim)
            turns &= said.word in BAD or self._claim is not None
            growth = TURNS if turns else GROWTH
            first = self._word is None and not turns
            if not first and not streak.convinces(moment, self._findings.seconds, growth):
                return
        self._word, self._next_word = said.word, None
        self._claim = self._claim if said.word in UNSURE else said.word
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
