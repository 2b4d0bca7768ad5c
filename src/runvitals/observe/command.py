"""Runs a command as if nobody were between it and the terminal, and lets others listen to its output.

Where our output is a terminal, the command gets one too: a pseudo-terminal, so that progress bars and
colours live, keys and window sizes arrive, and Ctrl-C goes to it. Elsewhere it gets pipes, standard
output and standard error apart, and behaves as it would there. Bytes are passed on as they are.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import tty
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from runvitals.integrations import hooks
from runvitals.model import ConfigError
from runvitals.recorder.child_run import Observed

PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT")
DRAIN_SECONDS = 1.0  # of silence after the command has ended, if a child of it holds the line
MAX_DRAIN_SECONDS = 20.0  # for what such a child says
QUIET_SECONDS = 1.0  # without output before we speak in the middle of a line
TICK_SECONDS = 0.5
_CHUNK = 2**16
_ERASE_LINE = "\r\x1b[K"
_SIZE = struct.Struct("HHHH")


@dataclass(frozen=True)
class CommandEnd:
    """How a process ended: by its exit code, or by a signal."""

    exit_code: int | None = None
    signal: str | None = None

    @property
    def code(self) -> int:
        """What a shell calls it."""
        if self.signal is not None:
            return 128 + signal.Signals[self.signal].value
        return self.exit_code or 0


@dataclass
class Command:
    """A command to run once. `listen` hears every byte of its output, in our thread."""

    words: Sequence[str]
    environment: Mapping[str, str]
    listen: Callable[[bytes], None]
    pid: int = 0
    _sayings: deque[str] = field(default_factory=deque)
    _signals: deque[int] = field(default_factory=deque)
    _at_line_start: bool = True
    _redrawn: bool = False  # the line is a progress bar: it comes again from its first column
    _last_output: float = 0.0
    _raw: bool = False

    # from any thread

    def say(self, text: str) -> None:
        """Print lines of our own on standard error, between the command's lines."""
        self._sayings.append(text)

    def send(self, number: int) -> None:
        """Send a signal to the command and its children."""
        if not self.pid:
            return
        with suppress(ProcessLookupError, PermissionError):
            if self._own_group:
                os.killpg(self.pid, number)
            else:
                os.kill(self.pid, number)

    # in the main thread

    def run(self) -> CommandEnd:
        """Start the command, pass everything on until it has ended, and say how it ended."""
        assert threading.current_thread() is threading.main_thread()
        out_is_terminal = _is_terminal(1)
        in_is_terminal = _is_terminal(0)
        self._own_group = out_is_terminal or not in_is_terminal
        outputs: dict[int, int] = {}  # what we read, and where it goes
        master = -1
        try:
            with _hearing_interrupts() if self._own_group else nullcontext():
                if out_is_terminal:
                    process, master, outputs = self._start_in_terminal(in_is_terminal)
                else:
                    process, outputs = self._start_in_pipes()
        except OSError as error:
            raise ConfigError(
                f"cannot start {self.words[0]!r}: {error.strerror or error}",
                hint="the command comes after --, as in: runvitals run -- python train.py",
            ) from error
        self.pid = process.pid
        before = self._take_signals()
        saved = _make_raw(0) if master >= 0 and in_is_terminal and _in_foreground(0) else None
        self._raw = saved is not None
        try:
            return self._pass_on(process, master, outputs, keys=self._raw)
        finally:
            if saved is not None:
                termios.tcsetattr(0, termios.TCSAFLUSH, saved)
            self._raw = False
            for number, handler in before.items():
                signal.signal(number, handler)
            for file in outputs:
                with suppress(OSError):
                    os.close(file)
            process.returncode = 0  # it was waited for here
            self.speak(now=True)

    def _start_in_terminal(self, keys: bool) -> tuple[subprocess.Popen[bytes], int, dict[int, int]]:
        master, slave = pty.openpty()
        _copy_size(1, master)
        modes = termios.tcgetattr(1)
        if not (keys and _in_foreground(0)):
            modes[1] &= ~termios.OPOST  # our own terminal does it
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        errors_apart = not _is_terminal(2)

        def take_terminal() -> None:
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(
            list(self.words),
            env=dict(self.environment),
            stdin=slave if keys else None,
            stdout=slave,
            stderr=subprocess.PIPE if errors_apart else slave,
            start_new_session=True,
            preexec_fn=take_terminal,
            pass_fds=(slave,),
        )
        os.close(slave)
        outputs = {master: 1}
        if process.stderr is not None:
            outputs[os.dup(process.stderr.fileno())] = 2
            process.stderr.close()
        return process, master, outputs

    def _start_in_pipes(self) -> tuple[subprocess.Popen[bytes], dict[int, int]]:
        process = subprocess.Popen(
            list(self.words),
            env=dict(self.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0 if self._own_group else None,
        )
        outputs = {}
        for pipe, to in ((process.stdout, 1), (process.stderr, 2)):
            assert pipe is not None
            outputs[os.dup(pipe.fileno())] = to
            pipe.close()
        return process, outputs

    def _take_signals(self) -> dict[int, Callable[[int, FrameType | None], object] | int | None]:
        before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
        for name in (*PASSED_ON, "SIGWINCH"):
            number = getattr(signal, name)
            handler = signal.getsignal(number)
            if handler is not signal.SIG_IGN:  # nohup
                before[number] = handler
                signal.signal(number, self._note_signal)
        return before

    def _note_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._signals.append(number)

    def _pass_on(
        self, process: subprocess.Popen[bytes], master: int, outputs: dict[int, int], *, keys: bool
    ) -> CommandEnd:
        ended: CommandEnd | None = None
        since = 0.0  # when it had ended
        with selectors.DefaultSelector() as ready:
            for file in outputs:
                ready.register(file, selectors.EVENT_READ)
            if keys:
                ready.register(0, selectors.EVENT_READ)
            self._last_output = time.monotonic()
            while ended is None or any(key.fd in outputs for key in ready.get_map().values()):
                wait = TICK_SECONDS if ended is None else DRAIN_SECONDS
                events = ready.select(wait if not self._signals else 0.0)
                for key, _ in events:
                    if key.fd == 0:
                        self._pass_keys(ready, master)
                    elif not self._pass_output(key.fd, outputs[key.fd]):
                        ready.unregister(key.fd)
                self._handle_signals(master)
                self.speak()
                if ended is None:
                    ended = _status_of(process.pid)
                    since = time.monotonic()
                elif not events or time.monotonic() - since > MAX_DRAIN_SECONDS:
                    break  # a daemon holds the line, and may talk for ever
        return ended if ended is not None else CommandEnd(0)

    def _pass_output(self, source: int, to: int) -> bool:
        """Pass on what came; False at its end."""
        try:
            data = os.read(source, _CHUNK)
        except OSError as error:
            if error.errno != errno.EIO:  # the terminal has nobody left on its other side
                raise
            data = b""
        if not data:
            return False
        self.listen(data)
        try:
            _write_all(to, data)
        except BrokenPipeError:
            return False  # nobody reads us: nor do we read on, and the command learns it as usual
        self._at_line_start = data.endswith(b"\n")
        line = data.rpartition(b"\n")[2]
        self._redrawn = b"\r" in line or (self._redrawn and b"\n" not in data)
        self._last_output = time.monotonic()
        return True

    def _pass_keys(self, ready: selectors.BaseSelector, master: int) -> None:
        data = os.read(0, _CHUNK)
        if not data:
            ready.unregister(0)
            return
        with suppress(OSError):
            _write_all(master, data)

    def _handle_signals(self, master: int) -> None:
        while self._signals:
            number = self._signals.popleft()
            if number == signal.SIGWINCH:
                if master >= 0:
                    _copy_size(1, master)
            elif self._own_group or number not in (signal.SIGINT, signal.SIGQUIT):
                self.send(number)  # else the terminal has sent it to all of us

    def speak(self, *, now: bool = False) -> None:
        """Print what waits to be said, unless that would cut a line of the command in two.

        A progress bar gives way to it, and draws itself again below.
        """
        if not self._sayings:
            return
        shares_terminal = _is_terminal(2)
        quiet = time.monotonic() - self._last_output > QUIET_SECONDS
        if shares_terminal and not (self._at_line_start or self._redrawn or quiet or now):
            return
        end = "\r\n" if self._raw else "\n"
        text = "" if self._at_line_start or not shares_terminal else end
        if shares_terminal and self._redrawn and not (self._at_line_start or now):
            text = _ERASE_LINE
        while self._sayings:
            text += self._sayings.popleft().replace("\n", end) + end
        with suppress(OSError):  # nobody listens
            _write_all(2, text.encode("utf-8", "replace"))
        if shares_terminal:
            self._at_line_start = True


@contextmanager
def _hearing_interrupts() -> Iterator[None]:
    """Let a command that starts now hear SIGINT, with which it is ended gracefully.

    Shells without job control start what runs in the background with SIGINT ignored, and children
    inherit that. No Ctrl-C of a terminal reaches a group of its own, so this changes nothing else.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _status_of(pid: int) -> CommandEnd | None:
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return CommandEnd(0)
    if found == 0:
        return None
    if os.WIFSIGNALED(status):
        return CommandEnd(signal=signal.Signals(os.WTERMSIG(status)).name)
    return CommandEnd(os.WEXITSTATUS(status))


def _write_all(file: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(file, left) :]
        except BlockingIOError:
            time.sleep(0.01)


def _is_terminal(file: int) -> bool:
    try:
        return os.isatty(file)
    except OSError:
        return False


def _in_foreground(file: int) -> bool:
    try:
        return os.tcgetpgrp(file) == os.getpgrp()
    except OSError:
        return False


def _make_raw(file: int) -> list[Any] | None:
    try:
        modes = termios.tcgetattr(file)
        tty.setraw(file)
    except termios.error:
        return None
    return list(modes)


def _copy_size(terminal: int, to: int) -> None:
    try:
        size = fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(_SIZE.size))
    except OSError:
        columns, lines = shutil.get_terminal_size()
        size = _SIZE.pack(lines, columns, 0, 0)
    with suppress(OSError):
        fcntl.ioctl(to, termios.TIOCSWINSZ, size)


def die_like(ended: CommandEnd) -> int:
    """End as the command did: a shell that waits for us cannot tell the difference.

    Ctrl-C ends us by the signal itself, so that a loop in a shell script ends too.
    """
    if ended.signal == "SIGINT":
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    return ended.code


SITE = Path(__file__).parent / "site"
# packages whose import brings the hooks in; read by site/sitecustomize.py
HOOKED = "RUNVITALS_HOOKED"


def environment_for(observed: Observed, skip: Sequence[str] = ()) -> dict[str, str]:
    """The environment of the command; what the user set is kept."""
    environment = os.environ
    made = {**environment, **observed.environment()}
    if skip:
        already = [name for name in environment.get(hooks.SKIPPED, "").split(",") if name]
        made[hooks.SKIPPED] = ",".join([*already, *skip])
    made[HOOKED] = ",".join(hooks.packages())
    paths = [str(SITE), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    made["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return made


def memory_kills() -> int | None:
    """How many processes this machine, or this container, has lost to a lack of memory so far."""
    counts = [
        count
        for path in (Path("/proc/vmstat"), *_group_files())
        if (count := _count(path)) is not None
    ]
    return sum(counts) if counts else None


def _group_files() -> list[Path]:
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    places = [line.split(":", 2)[2].lstrip("/") for line in lines if line.startswith("0::")]
    return [Path("/sys/fs/cgroup") / place / "memory.events" for place in places]


def _count(path: Path) -> int | None:
    try:
        for line in path.read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
    except (OSError, ValueError):
        return None
    return None
