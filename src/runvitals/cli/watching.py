"""Follow runs: read on, judge again when something is new, and say what to show."""

import math
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from select import select

from rich.console import Console

from runvitals.diagnosis.judge import Settings, judge
from runvitals.diagnosis.open_findings import Moment, OpenFindings, TrackedFinding
from runvitals.model import Diagnosis, ReadError, Run
from runvitals.model.run import ENDED
from runvitals.readers.discovery.discover import discover, may_be_log
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.open import existing
from runvitals.readers.options import ReadOptions
from runvitals.render.judged import exit_code, judged
from runvitals.render.panel import panel
from runvitals.render.watching import WatchFrame
from runvitals.rules.patient import Patient
from runvitals.view.run.row import newest_rows
from runvitals.vitals import vitals_of

BREATHE = 4  # times as long as a judgement took pass before the next


def newest_run(top: Path, options: ReadOptions) -> Run | None:
    """Of the runs at or below a path the one that was written last; None if there is none yet."""
    problems: list[ReadError] = []
    for found in sorted(discover(existing(top)), key=_written, reverse=True):
        try:
            run = opened(found, options)[-1]
        except ReadError as error:
            problems.append(error)
            continue
        run.warnings += [f"a newer run was passed over: {problem}" for problem in problems]
        return run
    if problems:
        raise problems[0]
    return None


def _written(found: Found) -> float:
    files = [file.path for file in found.files] or list(found.path.rglob("*"))
    return max(map(_changed, files), default=0.0)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # replaced by its writer while we looked


@dataclass
class Watched:
    """A run that is being followed."""

    run: Run
    settings: Settings
    every: float  # seconds between two judgements, at least
    findings: OpenFindings = field(
        default_factory=lambda: OpenFindings(at_once=True, notices=False)
    )
    diagnosis: Diagnosis | None = None
    news: list[TrackedFinding] = field(default_factory=list)  # what opened and closed last
    _due: float = 0.0
    _unjudged: bool = False  # something came since the last judgement

    @property
    def ended(self) -> bool:
        """Whether the run says that it is over."""
        return self.run.status in ENDED

    @property
    def exit_code(self) -> int:
        """As that of `check`."""
        if self.diagnosis is None:
            return 2
        return exit_code([judged(self.run, self.diagnosis, "")])

    def look(self) -> bool:
        """Read what is new and judge it once it is time to; says whether there is news."""
        self.news = []
        status = self.run.status
        new = self.run.refresh() > 0 or self.diagnosis is None or self.run.status != status
        self._unjudged = self._unjudged or new
        if not self._unjudged or (time.monotonic() < self._due and not self.ended):
            return new
        self._unjudged = False
        self._judge()
        return True

    def _judge(self) -> None:
        began = time.monotonic()
        self._unjudged = False
        first = self.diagnosis is None  # then it may have been there for long
        self.diagnosis = judge(
            self.run, self.settings, live=not self.ended, since_when=first and len(self.run) > 0
        )
        moment = Moment(self.run.last_step or 0, self.run.points.count, time.time())
        self.findings.update(self.diagnosis.findings, moment)
        self.news = self.findings.news
        now = time.monotonic()
        self._due = now + max(self.every, BREATHE * (now - began))

    def view(self, rows: int | None = None) -> WatchFrame:
        """What to show now."""
        run = self.run
        last, pace = _last_rows(run)
        outcome = None if self.diagnosis is None else self.diagnosis.verdict.outcome
        return WatchFrame(
            title=f"{run.project} / {run.name}" if run.project else (run.name or run.id),
            status="status unknown" if run.status == "unknown" else run.status,
            algorithm=run.algorithm,
            step=run.last_step,
            total=Patient(run).planned_steps,
            steps_per_second=pace,
            age=time.time() - last,
            lines=panel(run, outcome, rows=rows),
            diagnosis=self.diagnosis,
            vitals=vitals_of(run, () if self.diagnosis is None else self.diagnosis.findings),
            open=self.findings.open,
            closed=self.findings.closed,
            warnings=tuple(run.warnings),
            stopped_by=run.stopped_by,
            exit_code=run.exit_code,
        )


def _last_rows(run: Run) -> tuple[float, float]:
    """When something was logged last, and the steps per second around that time; NaN if unknown."""
    newest, pace = newest_rows(run)
    if math.isnan(newest) and run.path is not None:
        newest = _changed(run.path)
    return newest, pace


EVERY = 2.0  # seconds between two looks

State = dict[Path, tuple[float, int]]


def rejudge(logs: Sequence[Path], judge: Callable[[], int], every: float = EVERY) -> int:
    """Judge now and after each change, until Ctrl-C; gives the last exit code.

    A terminal is cleared before each new report; elsewhere a line with the time stands between them.
    """
    console = Console()
    code = 2
    seen: State | None = None
    with interrupts() as interrupted:
        while True:
            now = state_of(logs)
            if now != seen:
                if seen is not None and not console.is_terminal:
                    print(f"--- {time.strftime('%H:%M:%S')}")
                console.clear()
                code, seen = judge(), now
                if console.is_terminal:
                    console.print("watching; Ctrl-C ends", style="dim")
            if interrupted(every):
                break
    return code


@contextmanager
def interrupts() -> Iterator[Callable[[float], bool]]:
    """Ends with Ctrl-C. What it gives waits for some seconds and says whether one came.

    A KeyboardInterrupt that is raised in a finaliser is printed and forgotten. The byte that each
    signal sends stays.
    """
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    wakes = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield lambda seconds: bool(select([ours], [], [], seconds)[0])
    except KeyboardInterrupt:
        pass
    finally:
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGINT, handler)
        ours.close()
        theirs.close()


def state_of(logs: Sequence[Path]) -> State:
    """When each file that may be a log was changed, and how long it is."""
    found: State = {}
    for log in logs:
        for path in sorted(log.rglob("*")) if log.is_dir() else [log]:
            if path != log and not may_be_log(path):
                continue
            try:
                is_file, stat = path.is_file(), path.stat()
            except OSError:
                continue  # it is being replaced, or not there yet
            if is_file:
                found[path] = (stat.st_mtime, stat.st_size)
    return found
