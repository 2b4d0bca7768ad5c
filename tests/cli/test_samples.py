"""`runvitals samples`: texts are found, filtered, grouped and compared."""

from __future__ import annotations

import json

import pytest
from tests.rollouts import writing


@pytest.fixture
def rollouts(tmp_path):
    """A veRL folder in which one prompt is sampled again and again, and texts turn into loops."""
    folder = tmp_path / "rollouts"
    folder.mkdir()
    for step in range(1, 21):
        write = writing.loop if step > 10 else writing.sound
        lines = [
            {"input": "How many apples?", "output": write(""), "score": step / 20, "step": step}
            for _ in range(3)
        ]
        (folder / f"{step}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return folder


def test_the_newest_texts_are_shown_with_their_faults(runvitals, rollouts):
    done = runvitals("samples", str(rollouts), "--most", "2")

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("step 20, reward 1: ") and "[loop" in line for line in lines)


def test_filters_narrow_them_down(runvitals, rollouts):
    done = runvitals(
        "samples", str(rollouts), "--step", "9:12", "--fault", "loop", "--format", "json"
    )

    told = json.loads(done.stdout)["samples"]

    assert {one["step"] for one in told} == {11, 12}
    assert all("loop" in one["faults"] for one in told)


def test_the_same_prompt_at_two_steps_is_compared(runvitals, rollouts):
    done = runvitals("samples", str(rollouts), "--diff", "1", "20")

    assert done.returncode == 0, done.stderr
    assert "How many apples?" in done.stdout
    assert "step 1, reward 0.05 -> step 20, reward 1" in done.stdout
    assert "{+" in done.stdout


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--fault", "lop"], "did you mean loop?"),
        (["--step", "soon"], "--step must be a number or a range"),
        (["--search", "("], "--search is not a regular expression"),
        (["--reward", "7:"], "no sample matches"),
        (["--diff", "1", "99"], "no prompt was sampled at both"),
    ],
)
def test_wrong_options_are_told_plainly(runvitals, rollouts, options, problem):
    done = runvitals("samples", str(rollouts), *options)

    assert done.returncode == 2
    assert problem in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_without_samples_says_how_to_record_them(runvitals, tmp_path):
    (tmp_path / "progress.csv").write_text(
        "step,reward\n" + "".join(f"{i},{i}\n" for i in range(30))
    )

    done = runvitals("samples", str(tmp_path / "progress.csv"))

    assert done.returncode == 2
    assert "run.log_samples" in done.stderr
