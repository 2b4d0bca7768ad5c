"""How a script ends: `sys.exit(3)` is a failure, whichever way the run gets to know."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.readers.open import open_run

HEAD = """
import sys, runvitals as rv
QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}
def train(run):
    for i in range(30):
        run.log({"train/loss": 1.0 / (i + 1)}, step=i)
"""
WITH = """
with rv.init("p", id="r", dir="runs", **QUIET) as run:
    train(run)
    END
"""
WITHOUT = """
run = rv.init("p", id="r", dir="runs", **QUIET)
train(run)
END
"""
CAUGHT = """
try:
    END
except SystemExit as error:
    assert error.code == 3
"""
ENDS = [
    ("sys.exit(3)", 3, "failed"),
    ("sys.exit('no data')", 1, "failed"),
    ("sys.exit(-1)", 255, "failed"),
    ("sys.exit(0)", 0, "finished"),
    ("sys.exit()", 0, "finished"),
    ("sys.exit(None)", 0, "finished"),
]


def run_script(folder, text, end, *before):
    script = folder / "train.py"
    script.write_text(HEAD + text.replace("END", end))
    words = [*before, sys.executable, str(script)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("text", [WITH, WITHOUT], ids=["with", "at exit"])
@pytest.mark.parametrize(("end", "code", "status"), ENDS)
def test_the_exit_code_says_how_a_run_ended(tmp_path, text, end, code, status):
    done = run_script(tmp_path, text, end)

    run = open_run(tmp_path / "runs" / "p" / "r")
    assert done.returncode == code, done.stderr
    assert (run.status, run.exit_code) == (status, code)
    assert len(run["train/loss"]) == 30
    assert "Traceback" not in done.stderr
    assert ("no data" in done.stderr) == ("no data" in end)


def test_an_exit_that_was_caught_is_none(tmp_path):
    done = run_script(tmp_path, WITHOUT + CAUGHT.replace("END", "sys.exit(3)"), "pass")

    run = open_run(tmp_path / "runs" / "p" / "r")
    assert done.returncode == 0, done.stderr
    assert (run.status, run.exit_code) == ("finished", None)


def test_a_raised_exit_is_seen_where_there_is_a_block(tmp_path):
    done = run_script(tmp_path, WITH, "raise SystemExit(3)")

    run = open_run(tmp_path / "runs" / "p" / "r")
    assert done.returncode == 3
    assert (run.status, run.exit_code) == ("failed", 3)


@pytest.mark.parametrize("in_function", [True, False])
def test_a_raised_exit_without_a_block_is_told(tmp_path, in_function):
    end = "raise SystemExit(3)"
    if in_function:
        end = f"def main():\n    {end}\nmain()"

    done = run_script(tmp_path, WITHOUT, end)

    run = open_run(tmp_path / "runs" / "p" / "r")
    assert (done.returncode, run.exit_code) == (3, None)
    assert "exit code is not known" in done.stderr
    assert any("exit code is not known" in warning for warning in run.warnings)


@pytest.mark.parametrize(
    "end", ["pass", "sys.exit(3)", "1 / 0", "run.finish(); raise SystemExit(3)"]
)
def test_nothing_is_told_where_the_end_is_known(tmp_path, end):
    done = run_script(tmp_path, WITHOUT, end)

    assert "exit code is not known" not in done.stderr


def test_a_module_that_returns_has_finished(tmp_path):
    (tmp_path / "job.py").write_text(HEAD + WITHOUT.replace("END", "pass"))

    done = subprocess.run(
        [sys.executable, "-m", "job"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("end", "code", "status"), ENDS[:2] + ENDS[3:4])
def test_an_observed_command_that_gives_up_has_failed(tmp_path, end, code, status):
    observe = [sys.executable, "-m", "runvitals.cli.main", "run", "--dir", "seen", "--"]
    done = run_script(tmp_path, WITHOUT, end, *observe)

    [path] = (tmp_path / "seen").rglob("run.json")
    run = open_run(path.parent)
    assert done.returncode == code, done.stderr
    assert (run.status, run.exit_code) == (status, code)


def test_the_code_is_shown_and_judged(tmp_path):
    run_script(tmp_path, WITH, "sys.exit(3)")

    listed = CliRunner().invoke(app, ["runs", str(tmp_path)], env={"COLUMNS": "160"})
    judged = CliRunner().invoke(app, ["check", str(tmp_path), "--format", "concise"])

    assert "failed, exit code 3" in listed.stdout
    assert "END005" in judged.stdout
    assert "exit code 3" in judged.stdout


def test_a_resumed_run_forgets_how_the_process_before_it_ended(tmp_path):
    run_script(tmp_path, WITH, "sys.exit(3)")

    run_script(tmp_path, WITH.replace('id="r"', 'id="r", resume=True'), "pass")

    run = open_run(tmp_path / "runs" / "p" / "r")
    assert (run.status, run.exit_code) == ("finished", None)


def test_sys_exit_still_ends_a_thread_quietly(tmp_path):
    thread = (
        "import threading; t = threading.Thread(target=sys.exit, args=[3]); t.start(); t.join()"
    )

    done = run_script(tmp_path, WITHOUT, thread)

    assert (done.returncode, done.stderr) == (0, "")
    assert open_run(tmp_path / "runs" / "p" / "r").status == "finished"
