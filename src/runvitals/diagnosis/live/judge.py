"""The live judge: a sink of the recorder that looks at the run every few seconds."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from runvitals.diagnosis.live import importing
from runvitals.diagnosis.live.announcer import CLOCK_AREAS, Announcer
from runvitals.diagnosis.live.notify import Notifier
from runvitals.diagnosis.live.pace import Pace, Rests
from runvitals.diagnosis.live.view import Prefix, RunView
from runvitals.diagnosis.open_findings import Moment
from runvitals.diagnosis.worker import WAITS, processor_time
from runvitals.model import Diagnosis, Event, RowBlock, Run, RunInfo

if TYPE_CHECKING:
    from runvitals.diagnosis.engine import Choice
    from runvitals.diagnosis.judge import Settings
    from runvitals.rules.registry import Rule

CLOSE_SECONDS = 10.0  # that the end of a run may wait for the last look
RULE_SECONDS = 10.0  # after which a rule is given up for the rest of the run
IDLE_SECONDS = 60.0  # a run that logs nothing is looked at so often
CLOCK_METRICS = ("time", "throughput", "system")  # subjects of the catalog


class _Superseded(Exception):  # noqa: N818
    """Another thread has taken over this look."""


class LiveJudge:
    """Judges the run from a thread of its own and says what changes.

    Changes go to `findings.jsonl`, to the run's listeners, to `announce` (a line for the console) and
    to the notify URLs. Whatever goes wrong is complained about once and never reaches the training.
    """

    def __init__(
        self, notify: Sequence[str] = (), announce: Callable[[str], None] | None = None
    ) -> None:
        self._notify_urls = list(notify)
        self._announce = announce
        self._bell = threading.Event()
        self._status: str | None = None  # how the run ended
        self._thread: threading.Thread | None = None
        self._at_work: _AtWork | None = None
        self._given_up: set[str] = set()
        self._looked_rows, self._looked_at = 0, -math.inf
        self._clock_looked_at = -math.inf
        self._prefix: Prefix | None = None  # that is being judged
        self._settings: Settings | None = None

    # the sink, in the recorder's thread

    def open(self, info: RunInfo) -> None:
        """Remember whom to judge; the work begins with the first rows."""
        self._info = info
        self._view = RunView(info)
        self._folder = _working_folder()  # of the user's settings; the script may go elsewhere

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """Take rows and samples in; see that the judge is at work."""
        self._view.add_samples(events)
        alarming = self._view.add(blocks) if blocks else False
        if self._thread is None and blocks:
            self._pace = Pace()
            self._start()
        if self._thread is not None and alarming:
            self._pace.hurry()
            self._bell.set()
        self._give_up_hanging_rule()

    def close(self, status: str) -> None:
        """Judge the run a last time and wait for the result, up to a limit."""
        self._status = status
        self._bell.set()
        thread = self._thread
        if thread is None:
            if self._view.rows:  # the interpreter ends and starts no threads any more
                self._thread = threading.current_thread()
                self._work()
        elif thread.ident != self._info.ended_by:  # unless a callback of ours ends the run
            self._wait_for(thread)

    def _wait_for(self, thread: threading.Thread) -> None:
        thread.join(CLOSE_SECONDS)
        if thread.is_alive():
            rule = self._at_work.rule.code if self._at_work else "a callback or notifier"
            self._info.complain(
                "live judge end", f"the last look of the live judge waits for {rule}"
            )

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="runvitals-judge", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:
            self._thread = None

    def _give_up_hanging_rule(self) -> None:
        at_work = self._at_work
        if at_work is not None and at_work.is_too_long():
            code = at_work.rule.code
            self._at_work = None
            self._given_up.add(code)
            self._info.complain(
                f"live rule {code}", f"{code} takes too long and is not asked again"
            )
            self._start()

    # the judge's own thread

    def _work(self) -> None:
        try:
            self._prepare()
        except Exception as error:  # noqa: BLE001  the judge is not part of the training
            self._info.complain("live judge", f"the live judge could not start: {_said(error)}")
            return
        while self._status is None and self._is_mine():
            self._bell.wait(self._pace.seconds_left())
            self._bell.clear()
            if self._status is None and not self._pace.seconds_left():
                self._contained(self._judge_rows if self._info.stops else self._judge_once)
        if self._is_mine():
            self._contained(self._judge_last)
            self._contained(self._notifier.close)

    def _is_mine(self) -> bool:
        return threading.current_thread() is self._thread

    def _contained(self, act: Callable[[], None]) -> None:
        try:
            act()
        except _Superseded:
            return
        except Exception as error:  # noqa: BLE001  the next look may work
            self._info.complain("live judge", f"the live judge failed: {_said(error)}")

    def _prepare(self) -> None:
        if self._settings is not None:
            return
        with importing.lock:
            from runvitals.diagnosis.live.prepare import prepare

            settings = prepare(self._info.complain, self._folder)
        urls = self._notify_urls or list(settings.notify)
        info, stops = self._info, self._info.stops
        self._notifier = Notifier(urls, f"runvitals: {info.name}", info.complain)
        self._announcer = Announcer(
            info,
            self._notifier,
            self._announce,
            about=lambda finding: not stops or finding.area not in CLOCK_AREAS,
        )
        self._clock_announcer = Announcer(
            info,
            self._notifier,
            self._announce,
            about=lambda finding: finding.area in CLOCK_AREAS,
            verdicts=False,
        )
        self._settings, self._view.options = settings, settings.reading

    def _judge_once(self) -> None:
        begun = time.thread_time()
        idle = time.monotonic() - self._looked_at
        if self._view.rows == self._looked_rows and idle < IDLE_SECONDS:
            self._pace.looked(0.0)
            return
        try:
            self._look(self._announcer)
        finally:
            self._pace.looked(time.thread_time() - begun)

    def _judge_rows(self) -> None:
        """The next look at a run that may be stopped.

        Its checkpoints are judged one by one, in order, each as the run was then: however late, and
        whatever came since. What depends on the clock is looked at now and then besides.
        """
        waiting = self._view.prefixes
        if self._prefix is None and waiting:  # else a rule has hung at it
            self._prefix = waiting.popleft()
        try:
            if self._prefix is not None:
                self._look(self._announcer, self._prefix)
            if time.monotonic() - self._clock_looked_at > IDLE_SECONDS:
                self._clock_looked_at = time.monotonic()
                self._look(self._clock_announcer)
        finally:
            if self._is_mine():
                self._prefix = None
                self._pace.looked(0.0, behind=bool(waiting))

    def _look(self, announcer: Announcer, prefix: Prefix | None = None) -> None:
        """Judge the run as it is now, or as it was, resting between rules; say what has changed."""
        rests = Rests()

        def before_each(rule: Rule) -> None:
            self._end_rule()
            rests.rest()
            if self._status is not None:
                raise _Superseded
            self._start_rule(rule)

        stops, by_clock = self._info.stops, announcer is self._clock_announcer
        choice = self._choice(lambda rule: not stops or (rule.area in CLOCK_AREAS) == by_clock)
        announcer.take_in(*self._judge_now("running", before_each, choice, prefix))

    def _judge_last(self) -> None:
        choice = self._choice(lambda _: True)
        found, moment, timed = self._judge_now(self._status or "finished", self._start_rule, choice)
        if self._info.stops:
            self._clock_announcer.take_in(by_clock(found, True), moment)
            found = by_clock(found, False)
        self._announcer.take_in(found, moment, timed)

    def _start_rule(self, rule: Rule) -> None:
        self._end_rule()
        self._at_work = _AtWork(rule)

    def _end_rule(self) -> None:
        if not self._is_mine():  # it took so long that another thread has gone on without it
            raise _Superseded
        self._at_work = None

    def _judge_now(
        self,
        status: str,
        before_each: Callable[[Rule], None],
        choice: Choice,
        prefix: Prefix | None = None,
    ) -> tuple[Diagnosis, Moment, set[str]]:
        from runvitals.diagnosis.judge import judge

        assert self._settings is not None
        if prefix is None:
            self._looked_rows, self._looked_at = self._view.rows, time.monotonic()
            run, rows = self._view.run(status), self._looked_rows
        else:
            run, rows = self._view.run_at(prefix), prefix.rows
        found = judge(
            run,
            replace(self._settings, choice=choice),
            live=status == "running",
            since_when=False,
            before_each=before_each,
        )
        self._end_rule()
        for problem in found.problems:
            which = " ".join(problem.split(" ")[:2])  # the rule or plugin
            self._info.complain(f"live {which}", f"live judge: {problem}")
        return found, moment_of(run, rows, last=status != "running"), timed_series(run)

    def _choice(self, fits: Callable[[Rule], bool]) -> Choice:
        """What the user wants of these rules, without those that were given up."""
        from runvitals.rules.registry import rules

        assert self._settings is not None
        choice = self._settings.choice
        left_out = {rule.code for rule in rules().values() if not fits(rule)} | self._given_up
        return replace(choice, ignore=(*choice.ignore, *sorted(left_out)))


class _AtWork:
    """A rule that is being asked, since when, and by whom."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._thread = threading.current_thread()
        self._used, self._began = processor_time(self._thread), time.monotonic()

    def is_too_long(self) -> bool:
        """By the processor time it took: a busy machine makes no rule hang. One that waits does."""
        if time.monotonic() - self._began > WAITS * RULE_SECONDS:
            return True
        return processor_time(self._thread) - self._used > RULE_SECONDS


def by_clock(found: Diagnosis, wanted: bool) -> Diagnosis:
    """Only the findings that depend on how fast the machine was, or only the others."""
    kept = (one for one in found.findings if (one.area in CLOCK_AREAS) == wanted)
    return replace(found, findings=tuple(kept))


def moment_of(run: Run, rows: int, *, last: bool = False) -> Moment:
    """How far a run had come when it was judged."""
    from runvitals.rules.patient import Patient

    return Moment(run.last_step or 0, rows, time.time(), last, Patient(run).progress)


def timed_series(run: Run) -> set[str]:
    """The series that depend on how fast the machine was."""
    return {
        name
        for name, bound in run.bindings.items()
        if bound.metric.partition("/")[0] in CLOCK_METRICS
    }


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None  # it was removed


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
