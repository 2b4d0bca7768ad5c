"""`runvitals check` from the command line: exit codes, bad input, rules that misbehave, `--watch`."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest


def write_log(path, *, sick=False, rows=60):
    """A log of another tool: a return that rises, a KL that is too high in the second half or not."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["step", "outcome/return_mean", "policy/approx_kl", "policy/entropy"])
        for i in range(rows):
            kl = 1.5 if sick and i > rows // 2 else 0.01
            reward = 10.0 if sick else 400.0 * i / rows
            noise = rng.normal(size=3)
            table.writerow(
                [1000 * i, reward + noise[0], kl + 0.001 * noise[1], 0.6 + 0.01 * noise[2]]
            )
    return path


MISBEHAVING = '''
from runvitals.rules.registry import rule

@rule("MY001", "raises", severity="warning")
def raises(patient):
    """Fails."""
    raise RuntimeError("boom")
    yield

@rule("MY002", "loops", severity="warning")
def loops(patient):
    """Never ends."""
    while True:
        pass
    yield
'''


def test_a_clean_run_exits_with_0_and_a_sick_one_with_1(runvitals_process, tmp_path):
    clean, sick = (
        runvitals_process("check", write_log(tmp_path / name, sick=sick), "--algorithm", "PPO")
        for name, sick in [("clean.csv", False), ("sick.csv", True)]
    )

    assert (clean.returncode, sick.returncode) == (0, 1), clean.stdout + sick.stdout
    assert "KL001" in sick.stdout
    assert clean.stdout.startswith("learn")


def test_many_runs_are_judged_in_processes_in_the_order_given(runvitals_process, tmp_path):
    logs = [write_log(tmp_path / f"{i}.csv", sick=i % 2 == 0) for i in range(6)]

    words = ["--algorithm", "PPO", "--format", "json", "--workers", "2"]
    done = runvitals_process("check", *logs, *words)

    runs = json.loads(done.stdout)["runs"]
    assert [run["path"] for run in runs] == list(map(str, logs))
    codes = [{finding["code"] for finding in run["findings"]} for run in runs]
    assert ["KL001" in found for found in codes] == [True, False] * 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--select", "KL001", "--ignore", "KL001"], "KL001 is both selected and ignored"),
        (["--select", "KL", "--ignore", "KL"], "KL is both selected and ignored"),
        (["--select", "KL999"], "no rule 'KL999'"),
        (["--ignore", "nonsense"], "no rule 'nonsense'"),
        (["--workers", "two"], "--workers"),
        (["--workers", "0"], "--workers"),
        (["--format", "pdf"], "--format"),
        (["--rules", "missing.py"], "no file missing.py"),
        (["--settings", "missing.toml"], "missing.toml"),
        (["--map", "odd"], "odd"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_on_the_command_line_is_named(runvitals, tmp_path, words, says):
    done = runvitals("check", write_log(tmp_path / "log.csv"), *words)

    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ('select = ["KL001"]\nignore = ["KL001"]', "both selected and ignored"),
        ('[rules.KL001]\nlimit = "high"', "`rules.KL001.limit` must be a number"),
        ("[rules.KL001]\nlmit = 1", "no option 'lmit'"),
        ('select = ["KL0', "not valid TOML"),
    ],
)
def test_a_mistake_in_the_settings_names_the_file(runvitals, tmp_path, settings, says):
    (tmp_path / "runvitals.toml").write_text(settings)

    done = runvitals("check", write_log(tmp_path / "log.csv"))

    assert done.returncode == 2
    assert says in done.stderr
    assert "runvitals.toml" in done.stderr


def test_rules_that_raise_or_loop_are_named_and_the_others_go_on(runvitals_process, tmp_path):
    (tmp_path / "mine.py").write_text(MISBEHAVING)
    log = write_log(tmp_path / "sick.csv", sick=True)

    done = runvitals_process("check", log, "--algorithm", "PPO", "--rules", "mine.py")

    assert done.returncode == 1
    assert "KL001" in done.stdout
    assert "MY001 failed: RuntimeError: boom" in done.stdout
    assert "MY002 failed: TimeoutError" in done.stdout


def test_a_rule_that_fails_on_a_clean_run_is_no_all_clear(runvitals_process, tmp_path):
    (tmp_path / "mine.py").write_text(MISBEHAVING.split('@rule("MY002')[0])

    done = runvitals_process("check", write_log(tmp_path / "log.csv"), "--rules", "mine.py")

    assert done.returncode == 2
    assert "MY001 failed: RuntimeError: boom" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "the file is empty"),
        ("step,outcome/return_mean\n", "no rows"),
        ("step,outcome/return_mean\n1,3\n", "nothing to judge: only 1 row was logged"),
        ("step,foo\n1,2\n2,3\n3,4\n4,5\n", "nothing to judge: none of its metrics is known (foo)"),
    ],
    ids=["empty", "a header", "one row", "unknown names"],
)
def test_a_log_with_nothing_to_judge_is_never_called_healthy(runvitals, tmp_path, content, says):
    (tmp_path / "log.csv").write_text(content)

    done = runvitals("check", "log.csv")

    assert done.returncode == 2
    assert says in done.stdout + done.stderr
    assert "nothing found" not in done.stdout


def test_rules_that_cannot_run_say_what_they_miss(runvitals, tmp_path):
    done = runvitals("check", write_log(tmp_path / "log.csv"), "--select", "GRAD")

    assert done.returncode == 2
    assert "nothing to judge: no rule could be run: " in done.stdout
    assert "not logged" in done.stdout


def test_watch_judges_again_when_the_log_grows_and_ends_with_the_last_code(tmp_path):
    log = write_log(tmp_path / "log.csv", rows=40)
    words = ["check", "log.csv", "--watch", "--algorithm", "PPO", "--format", "concise"]
    child = subprocess.Popen(
        [sys.executable, "-u", "-m", "runvitals.cli.main", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        said = lines_until("DATA001", child)  # a notice about every such log
        write_log(log, sick=True, rows=80)
        said += lines_until("KL001", child)
        write_log(log, sick=True, rows=81)
        said += lines_until("--- ", child)  # so the judgement before is over
        child.send_signal(signal.SIGINT)
        said += child.communicate(timeout=600)[0]
    finally:
        child.kill()

    assert child.returncode == 1, said
    assert "--- " in said  # a second judgement
    assert "Traceback" not in said


def lines_until(word, child):
    said = ""
    while word not in said:
        line = child.stdout.readline()
        assert line, said
        said += line
    return said


def test_standard_input_cannot_be_watched(runvitals):
    done = runvitals("check", "-", "--watch", input="")

    assert done.returncode == 2
    assert "cannot watch standard input" in done.stderr


def test_the_only_run_of_a_folder_is_named(runvitals, tmp_path):
    (tmp_path / "logs" / "hopper").mkdir(parents=True)
    path = write_log(tmp_path / "logs" / "hopper" / "progress.csv")

    assert runvitals("check", "logs").stdout.startswith("logs/hopper\n")
    assert runvitals("check", "logs/hopper").stdout.startswith("logs/hopper\n")
    assert not runvitals("check", path).stdout.startswith(str(path))


def test_a_folder_that_may_not_be_opened_is_an_error_and_no_finding(
    runvitals, tmp_path, monkeypatch
):
    (tmp_path / "locked").mkdir()
    write_log(tmp_path / "locked" / "progress.csv")
    really = os.scandir, os.stat

    def refused(path, *args, act, **options):
        inside = str(path).startswith(str(tmp_path / "locked")) and str(path) != str(
            tmp_path / "locked"
        )
        if inside or (act == 0 and str(path) == str(tmp_path / "locked")):
            raise PermissionError(13, "Permission denied", str(path))
        return really[act](path, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", lambda path=".": refused(path, act=0))
        patch.setattr(os, "stat", lambda path, **options: refused(path, act=1, **options))
        done = runvitals("check", tmp_path / "locked")

    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
