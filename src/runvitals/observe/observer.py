"""Watches over a command while it runs: records, judges live, and says how it ended."""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from runvitals import api
from runvitals.diagnosis.judge import Settings, judge
from runvitals.diagnosis.live.announcer import Announcer
from runvitals.diagnosis.live.judge import by_clock, moment_of, timed_series
from runvitals.diagnosis.live.notify import Notifier
from runvitals.diagnosis.live.pace import Pace, Rests
from runvitals.diagnosis.live.view import VITAL, RunView
from runvitals.model import Diagnosis, Run
from runvitals.model.ending import EndKind, kind_of_ending
from runvitals.observe.child_processes import ChildProcesses
from runvitals.observe.command import Command, CommandEnd, environment_for, memory_kills
from runvitals.observe.sources import ConsoleCapture, LogFiles, Sources, StepRows
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.recorder.child_run import Observed
from runvitals.recorder.live_judge import StopOn

TICK_SECONDS = 2.0
IDLE_SECONDS = 60.0  # a run that logs nothing is judged so often
GRACE_SECONDS = 30.0  # between SIGINT and SIGTERM, for a checkpoint
NICE = 10  # the judge gives way to the training
MEMORY = "out of memory: the kernel ended a process of it"


@dataclass(frozen=True)
class ObserverSettings:
    """What the user asked for."""

    words: Sequence[str]
    project: str | None = None
    name: str | None = None
    dir: Path | None = None
    quiet: bool = False
    stop_on: StopOn | None = None
    skip: Sequence[str] = ()


@dataclass(frozen=True)
class ObservedEnd:
    """What came of it."""

    ended: CommandEnd
    kind: EndKind | None  # of the end
    ended_with: str
    run: Run
    diagnosis: Diagnosis
    source: str | None
    lives: int  # processes that trained one after the other
    folder: Path


class Observer:
    """One command under observation, from its start to its end."""

    def __init__(self, wish: ObserverSettings, settings: Settings) -> None:
        self._wish, self._settings = wish, settings
        reading = settings.reading
        self._live = api.init(
            wish.project or Path.cwd().name,
            wish.name or name_of(wish.words),
            dir=wish.dir,
            console=False,
            tensorboard=False,
            system=False,
            judge=False,
            handle_signals=False,
            config=numbers_named(wish.words),
            framework=reading.framework,
            algorithm=reading.algorithm,
        )
        info = self._live.info
        self._live.learn(command=list(wish.words))
        if wish.stop_on is not None:
            self._live.stop_on(wish.stop_on)
        observed = Observed(info.folder, info.segment, info.life)
        self._console = ConsoleCapture()
        self._guests = ChildProcesses(self._live)
        home = info.folder.parent.parent
        self._sources = Sources(self._live, self._console, LogFiles(Path.cwd(), reading, own=home))
        environment = environment_for(observed, wish.skip)
        self._command = Command(wish.words, environment, self._console.hear)
        urls = os.environ.get("RUNVITALS_NOTIFY", "").split() or list(settings.notify)
        self._notifier = Notifier(urls, f"runvitals: {info.name}", info.complain)
        announce = None if wish.quiet else self._announce
        self._announcer = Announcer(info, self._notifier, announce)
        self._clock_announcer = Announcer(info, self._notifier, announce, verdicts=False)
        self._rows, self._view = StepRows(), RunView(info)
        self._view.options = reading
        self._recorded = opened(Found(info.folder), reading)[0]
        self._over = threading.Event()
        self._pace = Pace()
        self._judged_at, self._judged_points = -math.inf, 0
        self._problem = ""
        self._stopping_since: float | None = None
        self._kills = memory_kills()

    @property
    def folder(self) -> Path:
        """Where it is recorded."""
        return self._live.folder

    def run(self) -> ObservedEnd:
        """Run the command to its end."""
        watcher = threading.Thread(target=self._watch, name="runvitals-observer", daemon=True)
        watcher.start()
        try:
            ended = self._command.run()
        except BaseException:
            self._over.set()
            watcher.join()
            self._live.finish("crashed")
            raise
        self._over.set()
        watcher.join()
        return self._finish(ended)

    # the observer's own thread

    def _watch(self) -> None:
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while not self._over.wait(TICK_SECONDS):
            try:
                self._tick()
            except Exception as error:  # noqa: BLE001 - the command is more important than we are
                self._say_once(f"observing failed: {type(error).__name__}: {error}")

    def _tick(self) -> None:
        self._guests.take_over()
        if (python := self._guests.without_runvitals()) is not None:
            self._say(f"{python} has no runvitals: log files and the console are read instead")
        before = self._recorded.points.count
        self._recorded.refresh()
        self._sources.advance(self._recorded)
        if self._recorded.points.count > before and self._is_alarming():
            self._pace.hurry()
        if self._wish.stop_on is not None:
            self._judge_rows()
        if not self._pace.seconds_left():
            self._judge_once()
        self._stop_if_asked()

    def _is_alarming(self) -> bool:
        """Whether a loss, return or gradient is not a number."""
        for name in self._recorded.names():
            if any(word in name.lower() for word in VITAL):
                values = self._recorded.points.column(name)[2]
                if len(values) and not math.isfinite(values[-1]):
                    return True
        return False

    def _judge_rows(self) -> None:
        """Judge a command that may be stopped at each checkpoint it has passed, as it was then."""
        self._view.add(self._rows.take(self._recorded.points))
        while self._view.prefixes and not self._live.should_stop:
            prefix = self._view.prefixes.popleft()
            run = self._view.run_at(prefix)
            found = by_clock(self._look_at(run), False)
            self._announcer.take_in(found, moment_of(run, prefix.rows), timed_series(run))

    def _judge_once(self) -> None:
        points = self._recorded.points.count
        idle = time.monotonic() - self._judged_at
        if not points or (points == self._judged_points and idle < IDLE_SECONDS):
            self._pace.looked(0.0)
            return
        begun = time.thread_time()
        self._judged_at, self._judged_points = time.monotonic(), points
        self._take_in(self._look_at(self._recorded), last=False)
        self._pace.looked(time.thread_time() - begun)

    def _look_at(self, run: Run) -> Diagnosis:
        rests = Rests()
        return judge(
            run, self._settings, live=True, since_when=False, before_each=lambda _: rests.rest()
        )

    def _take_in(self, found: Diagnosis, *, last: bool) -> None:
        """What a look at all that is there has found. It stops nothing: when it came is chance."""
        run = self._recorded
        moment = moment_of(run, run.points.count, last=last)
        if self._wish.stop_on is None:
            self._announcer.take_in(found, moment)
            return
        self._clock_announcer.take_in(by_clock(found, True), moment)
        if last:
            self._announcer.take_in(by_clock(found, False), moment)

    def _stop_if_asked(self) -> None:
        if self._wish.stop_on is None or not self._live.should_stop:
            return
        now = time.monotonic()
        if self._stopping_since is None:
            self._stopping_since = now
            self._say(f"stopping the command (SIGINT): {self._live.stop_reason}")
            self._command.send(signal.SIGINT)
        elif now - self._stopping_since > GRACE_SECONDS:
            self._stopping_since = math.inf
            self._say(f"it goes on after {GRACE_SECONDS:.0f} seconds: SIGTERM")
            self._command.send(signal.SIGTERM)

    def _announce(self, text: str) -> None:
        if not text.startswith("verdict: "):  # the report at the end has it
            self._say(text)

    def _say(self, text: str) -> None:
        self._command.say(f"runvitals: {text}")

    def _say_once(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._say(problem)

    # the end

    def _finish(self, ended: CommandEnd) -> ObservedEnd:
        self._guests.take_over()
        self._recorded.refresh()
        self._sources.advance(self._recorded, last=True)
        said = self._ended_with(ended)
        kind = None if not ended.code else kind_of_ending(said, ended.signal)
        if ended.code and kind is None:
            said, kind = f"exit code {ended.exit_code}", "error"
        self._live.learn(
            ended_with=said,
            ending={
                "kind": kind,
                "exit_code": ended.exit_code,
                "signal": ended.signal,
                "traceback": self._console.traceback if ended.code else [],
                "last_lines": self._console.last_lines,
            },
        )
        for problem in self._guests.compact():
            self._live.complain(problem, problem)
        status = self._status(ended, kind)
        self._live.flush()
        self._recorded.refresh()
        self._recorded.status, self._recorded.exit_code = status, ended.exit_code
        if self._stopping_since is not None:
            self._recorded.stopped_by = self._live.stop_reason
        found = judge(self._recorded, self._settings)
        self._take_in(found, last=True)
        self._notifier.close()
        self._live.finish(status, exit_code=ended.exit_code)
        self._command.speak(now=True)
        chosen = self._sources.chosen
        folder, lives = self._live.folder, self._guests.lives
        return ObservedEnd(ended, kind, said, self._recorded, found, chosen, lives, folder)

    def _ended_with(self, ended: CommandEnd) -> str:
        """Why it ended, in its own words where it has any; empty if it ended well."""
        if not ended.code:
            return ""
        said = self._console.ended_with
        kills = memory_kills()
        if self._kills is not None and kills is not None and kills > self._kills:
            return f"{MEMORY} ({said})" if said else MEMORY
        if said:
            return said
        return f"ended by {ended.signal}" if ended.signal else ""

    def _status(self, ended: CommandEnd, kind: EndKind | None) -> str:
        if not ended.code:
            return "finished"
        if self._stopping_since is not None or kind == "keyboard":
            return "stopped"
        if kind in ("killed", "time limit"):
            return "killed"
        ended_itself = kind == "error" and not ended.signal and not self._console.traceback
        return "failed" if ended_itself else "crashed"


def name_of(words: Sequence[str]) -> str:
    """What to call the run: the script, the module, or the command itself.

    >>> name_of(["torchrun", "--nproc-per-node", "2", "src/train.py"]), name_of(["python", "-m", "a.b"])
    ('train', 'a.b')
    """
    script = next((Path(word).stem for word in words if word.endswith((".py", ".sh"))), None)
    if script is not None:
        return script
    if "-m" in words[:-1]:
        return words[words.index("-m") + 1]
    return Path(words[0]).name


# the settings that a command line names: `--lr 0.5`, `--lr=0.5`, `optim.lr=0.5`

_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_NAMED = re.compile(r"(--|\+{0,2})([A-Za-z][\w.-]*)=(.+)")
_OPTION = re.compile(r"--([A-Za-z][\w.-]*)")


def numbers_named(words: Sequence[str]) -> dict[str, float]:
    """Options of the script that are numbers, those of what launches it left out.

    >>> numbers_named(["torchrun", "--nproc-per-node", "2", "train.py", "--lr", "0.5", "eps=1e-8"])
    {'lr': 0.5, 'eps': 1e-08}
    """
    own = list(words[_script(words) + 1 :])
    found: dict[str, float] = {}
    for word, following in zip(own, [*own, ""][1:], strict=True):
        if named := _NAMED.fullmatch(word):
            name, value = named[2], named[3]
        elif option := _OPTION.fullmatch(word):
            name, value = option[1], following
        else:
            continue
        if _NUMBER.fullmatch(value):
            number = float(value)
            key = name.replace("-", "_")
            found[key] = int(number) if value.lstrip("+-").isdigit() else number
    return found


def _script(words: Sequence[str]) -> int:
    """Where the program stands whose options they are: a script, a module, else the first word."""
    before = ["", *words]
    scripts = [
        i
        for i, word in enumerate(words)
        if word.endswith(".py") and not before[i].startswith("--") and "=" not in word
    ]
    modules = [i for i, last in enumerate(before[:-1]) if last == "-m"]
    return next(iter([*scripts, *modules]), 0)
