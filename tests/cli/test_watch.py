"""`runvitals watch`, on runs that another process writes meanwhile."""

from __future__ import annotations

import math
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from runvitals.cli.watching import Watched
from runvitals.diagnosis.judge import Settings
from runvitals.readers.open import open_run

TRAINING = """
import os
import time
import numpy as np
import runvitals as rv

rng = np.random.default_rng(0)
with rv.init(project="live", id="one", dir="runs", console=False, tensorboard=False, system=False,
             algorithm="PPO", config={"target_kl": 0.02, "total_steps": 90_000}) as run:
    for i in range(1, 91):
        while i in (20, 60) and os.path.exists(f"hold-{i}"):
            time.sleep(0.05)
        sick = i > 40
        run.log({
            "outcome/return_mean": (20.0 if sick else 10.0 * i) + rng.normal(),
            "policy/approx_kl": (0.5 if sick else 0.008) + 0.0005 * rng.normal(),
            "policy/entropy": 0.6 + 0.01 * rng.normal(),
        }, step=1000 * i)
"""


@pytest.fixture
def train(tmp_path):
    """A process that trains, and whose run goes bad in the middle; it waits at files that are there."""
    children = []

    def start(*holds):
        for hold in holds:
            hold.touch()
        (tmp_path / "runs").mkdir()
        (tmp_path / "train.py").write_text(TRAINING)
        children.append(subprocess.Popen([sys.executable, "train.py"], cwd=tmp_path))
        return children[-1]

    yield start
    for child in children:
        child.kill()
        child.wait()


def test_a_run_is_followed_to_its_end_and_findings_open_on_the_way(train, tmp_path):
    healthy = tmp_path / "hold-20"  # until the watcher has seen the run, however slow its start is
    sick = tmp_path / "hold-60"  # until it has seen the finding
    training = train(healthy, sick)

    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "runs", "--every", "0.5"]
    lines: list[str] = []
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as watcher:
        for line in watcher.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("step "):
                healthy.unlink(missing_ok=True)
            if line.startswith("KL001 "):
                sick.unlink(missing_ok=True)

    assert training.wait(timeout=600) == 0
    assert watcher.returncode == 1
    opened = next(i for i, line in enumerate(lines) if line.startswith("KL001 "))
    assert "since step " in lines[opened]
    assert any(line.startswith("step ") for line in lines[:opened])  # it was well before
    assert lines[-1].startswith("one finished: ")


def test_one_frame_shows_verdict_vitals_and_findings(train, runvitals):
    assert train().wait(timeout=600) == 0

    done = runvitals("watch", "runs", "--once")

    assert done.returncode == 1
    assert "live / one" in done.stdout
    assert "step 90,000 of 90,000" in done.stdout
    assert "return_mean" in done.stdout
    assert "<= 0.02" in done.stdout  # the healthy band of the KL, from the run's own setting
    assert "KL001 critical since step" in done.stdout


def test_in_a_terminal_the_frame_is_redrawn_until_the_run_ends(train, tmp_path):
    hold = tmp_path / "hold-60"  # until the frame has been drawn twice
    train(hold)
    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "runs", "--every", "0.5"]

    def look(screen):
        if screen.count(b"live / one") > 1:
            hold.unlink(missing_ok=True)

    code, screen = in_terminal(words, tmp_path, look=look)

    assert code == 1
    assert screen.count("live / one") > 1
    assert "\x1b[" in screen
    assert screen.rstrip().endswith("\x1b[?25h")  # the cursor is back
    assert "finished" in screen.rpartition("live / one")[2]


def test_ctrl_c_ends_with_the_code_of_what_was_seen(tmp_path):
    rows = "\n".join(f"{1000 * i},{10 * i},0.008" for i in range(1, 50))
    (tmp_path / "log.csv").write_text(f"step,outcome/return_mean,policy/approx_kl\n{rows}\n")
    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "log.csv", "--algorithm", "PPO"]

    code, screen = in_terminal(words, tmp_path, until="rules ran")

    assert code == 0, screen
    assert "Traceback" not in screen
    assert "status unknown" in screen


def in_terminal(words, folder, until=None, look=None):
    """Run in a pseudo terminal; with `until`, Ctrl-C is pressed once that text is on the screen.

    `look` is called with what was on the screen so far whenever that grows.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(words[0], words, {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"})
    screen, pressed, deadline = b"", False, time.monotonic() + 600
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            piece = os.read(terminal, 65_536)
        except OSError:
            break
        if not piece:
            break
        screen += piece
        if look is not None:
            look(screen)
        if until is not None and not pressed and until.encode() in screen:
            os.kill(pid, signal.SIGINT)
            pressed = True
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), screen.decode(errors="replace")


def test_a_folder_without_runs_is_said_at_once_with_once(runvitals, tmp_path):
    (tmp_path / "empty").mkdir()

    done = runvitals("watch", "empty", "--once")

    assert done.returncode == 2
    assert "no runs found in this folder" in done.stderr


def test_a_run_with_nothing_to_judge_is_not_called_well(runvitals, tmp_path):
    (tmp_path / "log.csv").write_text("step,foo\n1,2\n2,3\n3,4\n")

    done = runvitals("watch", "log.csv", "--once")

    assert done.returncode == 2


def test_points_that_came_too_soon_to_be_judged_are_judged_later(start):
    run = start(judge=False)
    run.log({"train/loss": 1.0}, step=0)
    run.flush()
    watched = Watched(open_run(run.folder), Settings(), every=0.0)
    watched.look()
    first = watched.diagnosis
    run.log({"train/loss": 1.0}, step=1)
    run.flush()

    watched._due = math.inf
    assert watched.look()
    assert watched.diagnosis is first
    watched._due = 0.0

    assert watched.look()
    assert watched.diagnosis is not first
    assert not watched.look()


def test_a_log_with_only_a_header_is_waited_for(tmp_path):
    (tmp_path / "log.csv").write_text("step,reward\n")
    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "log.csv", "--every", "0.1"]
    rows = "\n".join(f"{i},{10 * i}" for i in range(1, 50))

    def log_rows(screen):
        if b"waiting" in screen:
            (tmp_path / "log.csv").write_text(f"step,reward\n{rows}\n")

    code, screen = in_terminal(words, tmp_path, until="rules ran", look=log_rows)

    assert "no rows in log.csv yet; waiting" in screen
    assert code == 0, screen


def test_a_log_with_only_a_header_is_said_at_once_with_once(runvitals, tmp_path):
    (tmp_path / "log.csv").write_text("step,reward\n")

    done = runvitals("watch", "log.csv", "--once")

    assert done.returncode == 2
    assert "it holds no rows" in done.stderr
