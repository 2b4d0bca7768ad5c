"""`runvitals watch`, on runs that another process writes meanwhile."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

TRAINING = """
import os
import time
import numpy as np
import runvitals as rv

rng = np.random.default_rng(0)
with rv.init(project="live", id="one", dir="runs", console=False, tensorboard=False, system=False,
             algorithm="PPO", config={"target_kl": 0.02, "total_steps": 90_000}) as run:
    for i in range(1, 91):
        while i == 20 and os.path.exists("hold"):
            time.sleep(0.05)
        sick = i > 40
        run.log({
            "outcome/return_mean": (20.0 if sick else 10.0 * i) + rng.normal(),
            "policy/approx_kl": (0.5 if sick else 0.008) + 0.0005 * rng.normal(),
            "policy/entropy": 0.6 + 0.01 * rng.normal(),
        }, step=1000 * i)
        time.sleep(0.1)
"""


@pytest.fixture
def training(tmp_path):
    """A process that trains, and whose run goes bad in the middle."""
    (tmp_path / "train.py").write_text(TRAINING)
    child = subprocess.Popen([sys.executable, "train.py"], cwd=tmp_path)
    yield child
    child.kill()
    child.wait()


def test_a_run_is_followed_to_its_end_and_findings_open_on_the_way(training, tmp_path):
    (tmp_path / "runs").mkdir(exist_ok=True)
    hold = tmp_path / "hold"  # until the watcher has seen the run, however slow its start is
    hold.touch()

    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "runs", "--every", "0.5"]
    lines: list[str] = []
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as watcher:
        for line in watcher.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("step "):
                hold.unlink(missing_ok=True)

    assert training.wait(timeout=600) == 0
    assert watcher.returncode == 1
    opened = next(i for i, line in enumerate(lines) if line.startswith("KL001 "))
    assert "since step " in lines[opened]
    assert any(line.startswith("step ") for line in lines[:opened])  # it was well before
    assert lines[-1].startswith("one finished: ")


def test_one_frame_shows_verdict_vitals_and_findings(training, runvitals, tmp_path):
    assert training.wait(timeout=600) == 0

    done = runvitals("watch", "runs", "--once")

    assert done.returncode == 1
    assert "live / one" in done.stdout
    assert "step 90,000 of 90,000" in done.stdout
    assert "return_mean" in done.stdout
    assert "<= 0.02" in done.stdout  # the healthy band of the KL, from the run's own setting
    assert "KL001 critical since step" in done.stdout


def test_in_a_terminal_the_frame_is_redrawn_until_the_run_ends(training, tmp_path):
    (tmp_path / "runs").mkdir(exist_ok=True)
    words = [sys.executable, "-m", "runvitals.cli.main", "watch", "runs", "--every", "0.5"]

    code, screen = in_terminal(words, tmp_path, until=None)

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


def in_terminal(words, folder, until):
    """Run in a pseudo terminal; with `until`, Ctrl-C is pressed once that text is on the screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(words[0], words, {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"})
    screen, pressed, deadline = b"", False, time.monotonic() + 90
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
