"""`runvitals run` on a terminal: a real pseudo-terminal plays the user's."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from fcntl import ioctl

import pytest

import runvitals as rv

from .conftest import RUNVITALS


class Terminal:
    """A user's terminal with a command in it."""

    def __init__(self, folder, script, size=(33, 101)):
        (folder / "train.py").write_text(script)
        self.master, slave = pty.openpty()
        self.resize(*size)
        words = [*RUNVITALS, "--", sys.executable, "-u", "train.py"]

        def take_terminal():
            ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=take_terminal,
            env={k: v for k, v in os.environ.items() if not k.startswith("RUNVITALS_")},
        )
        os.close(slave)
        self.shown = b""

    def resize(self, lines, columns):
        ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        """Take in what is shown; False at the end."""
        if select.select([self.master], [], [], 0.2)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return False
            self.shown += data
            return bool(data)
        return self.process.poll() is None

    def until(self, text):
        while text not in self.shown:
            assert self.read(), self.shown.decode()

    def to_the_end(self):
        while self.read():
            pass
        return self.process.wait()

    def type(self, keys):
        os.write(self.master, keys)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def open_terminal(script, **more):
        opened.append(Terminal(tmp_path, script, **more))
        return opened[-1]

    yield open_terminal
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
        os.close(one.master)


def test_the_command_has_a_terminal_of_the_same_size(terminal):
    shown = terminal("import os, sys; print(sys.stdout.isatty(), os.get_terminal_size())")

    assert shown.to_the_end() == 0
    assert b"True os.terminal_size(columns=101, lines=33)\r\n" in shown.shown


def test_progress_bars_are_shown_as_they_are(terminal):
    shown = terminal(
        "import sys, time\n"
        "for i in range(5):\n    sys.stdout.write(f'\\r{i}/5 it/s'); time.sleep(0.05)\nprint()"
    )

    shown.to_the_end()
    assert b"\r0/5 it/s\r1/5 it/s\r2/5 it/s\r3/5 it/s\r4/5 it/s\r\n" in shown.shown


def test_a_finding_takes_the_line_of_a_progress_bar_that_never_rests(terminal, tmp_path):
    shown = terminal(
        "import itertools, logging, pathlib, sys, time\n"
        "logging.disable()  # of tensorboardX, about NaN\n"
        "from tensorboardX import SummaryWriter\n"
        "writer = SummaryWriter('logs')\n"
        "for i in itertools.count():\n"
        "    writer.add_scalar('losses/policy_loss', 0.5 if i < 30 else float('nan'), i)\n"
        "    sys.stdout.write(f'\\r{i} it/s'); sys.stdout.flush(); time.sleep(0.02)\n"
        "    if pathlib.Path('seen').exists(): break\n"
        "print()"
    )

    shown.until(b"runvitals: NUM001")
    (tmp_path / "seen").touch()

    assert shown.to_the_end() == 0
    assert b"\r\x1b[Krunvitals: NUM001" in shown.shown


def test_keys_reach_the_command(terminal):
    shown = terminal("print('name?', flush=True); print('hello ' + input())")
    shown.until(b"name?")
    shown.type(b"ada\r")

    assert shown.to_the_end() == 0
    assert b"hello ada" in shown.shown


def test_a_new_window_size_reaches_the_command(terminal):
    shown = terminal(
        "import os, signal, time\n"
        "signal.signal(signal.SIGWINCH, lambda *_: (print(os.get_terminal_size()), os._exit(0)))\n"
        "print('ready', flush=True); time.sleep(600)"
    )
    shown.until(b"ready")
    shown.resize(40, 120)

    shown.to_the_end()
    assert b"columns=120, lines=40" in shown.shown


def test_control_c_interrupts_the_command_and_ends_us_as_it_ends_it(terminal, tmp_path):
    shown = terminal(
        "import time\nfor i in range(3): print(f'step {i} loss 0.{9 - i} kl 0.1', flush=True)\n"
        "print('ready', flush=True); time.sleep(600)"
    )
    shown.until(b"ready")
    shown.type(b"\x03")

    assert shown.to_the_end() == -signal.SIGINT
    assert b"KeyboardInterrupt" in shown.shown
    [run] = rv.open_runs(tmp_path / "runs")
    assert (run.status, run.provenance["ending"]["kind"]) == ("stopped", "keyboard")


def test_sigterm_is_passed_on(terminal):
    shown = terminal(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('saved', flush=True), sys.exit(4)))\n"
        "print('ready', flush=True)\nwhile True: time.sleep(0.1)"
    )
    shown.until(b"ready")
    shown.process.send_signal(signal.SIGTERM)

    assert shown.to_the_end() == 4
    assert b"saved" in shown.shown
