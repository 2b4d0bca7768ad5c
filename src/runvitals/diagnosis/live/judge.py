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
from runvitals.diagnosis.live.announcer import Announcer
from runvitals.diagnosis.live.pace import Pace, Rests
from runvitals.diagnosis.live.view import RunView
from runvitals.diagnosis.open_findings import Moment
from runvitals.model import Diagnosis, Event, RowBlock, RunInfo

if TYPE_CHECKING:
    from runvitals.diagnosis.judge import Settings
    from runvitals.rules.registry import Rule

CLOSE_SECONDS = 10.0  # that the end of a run may wait for the last look
RULE_SECONDS = 10.0  # after which a rule is given up for the rest of the run
IDLE_SECONDS = 60.0  # a run that logs nothing is looked at so often


class _Superseded(Exception):  # noqa: N818
    """This look is no longer wanted."""


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
        self._at_work: tuple[Rule, float] | None = None
        self._given_up: set[str] = set()
        self._looked_rows, self._looked_at = 0, -math.inf
        self._settings: Settings | None = None

    # the sink, in the recorder's thread

    def open(self, info: RunInfo) -> None:
        """Remember whom to judge; the work begins with the first rows."""
        self._info = info
        self._view = RunView(info)
        self._folder = _working_folder()  # of the user's settings; the script may go elsewhere

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:  # noqa: ARG002
        """Take rows in; see that the judge is at work."""
        alarming = self._view.add(blocks) if blocks else False
        if self._thread is None and blocks:
            self._pace = Pace()
            self._start()
        if self._thread is not None and alarming:
            self._pace.hurry()
            self._bell.set()
        self._give_up_hanging_rule()

    def close(self, status: str) -> None:
        """Look for the last time, and wait for that, though not for ever."""
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
            rule = self._at_work[0].code if self._at_work else "a callback or notifier"
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
        if at_work is not None and time.monotonic() - at_work[1] > RULE_SECONDS:
            code = at_work[0].code
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
                self._contained(self._judge_once)
        if self._is_mine():
            self._contained(self._judge_last)
            self._contained(self._announcer.close)

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
        self._announcer = Announcer(self._info, urls, self._announce)
        self._settings, self._view.options = settings, settings.reading

    def _judge_once(self) -> None:
        begun = time.thread_time()
        idle = time.monotonic() - self._looked_at
        if self._view.rows == self._looked_rows and idle < IDLE_SECONDS:
            self._pace.looked(0.0)
            return
        rests = Rests()

        def before_each(rule: Rule) -> None:
            self._end_rule()
            rests.rest()
            if self._status is not None:
                raise _Superseded
            self._start_rule(rule)

        try:
            self._announcer.take_in(*self._judge_now("running", before_each))
        finally:
            self._pace.looked(time.thread_time() - begun)

    def _judge_last(self) -> None:
        self._announcer.take_in(*self._judge_now(self._status or "finished", self._start_rule))

    def _start_rule(self, rule: Rule) -> None:
        self._end_rule()
        self._at_work = rule, time.monotonic()

    def _end_rule(self) -> None:
        if not self._is_mine():  # it took so long that another thread has gone on without it
            raise _Superseded
        self._at_work = None

    def _judge_now(
        self, status: str, before_each: Callable[[Rule], None]
    ) -> tuple[Diagnosis, Moment]:
        from runvitals.diagnosis.judge import judge

        assert self._settings is not None
        self._looked_rows, self._looked_at = self._view.rows, time.monotonic()
        run = self._view.run(status)
        moment = Moment(run.last_step or 0, self._looked_rows, time.time(), status != "running")
        choice = self._settings.choice
        choice = replace(choice, ignore=(*choice.ignore, *sorted(self._given_up)))
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
        return found, moment


def _working_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None  # it was removed


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
