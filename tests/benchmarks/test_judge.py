"""A scoreboard of two runs, made and judged for real."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from benchmarks.judging.labels import (
    half_of,
    half_of_repository,
    lab_runs,
    labelled_runs,
    made_runs,
    public_runs,
    sb3_runs,
)
from benchmarks.judging.report import write_numbers, write_page
from benchmarks.judging.runs import Judgement, judge
from benchmarks.judging.tables import fault_table

from runvitals.lab.running import Case, run_case

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    runs = []
    for fault in (None, "lr-zero"):
        case = Case("sft", "sorting", fault=fault)
        made = run_case(case, folder, id=case.name, console=False, tensorboard=False, system=False)
        runs.append(
            {
                "folder": str(made.folder.relative_to(folder)),
                "trainer": "sft",
                "task": "sorting",
                "program": case.name.removesuffix("-seed0"),
                "fault": fault,
                "variant": None,
                "code": fault and "S01",
                "label": "sick" if fault else "healthy",
                "expect": ["OLD001"] if fault else [],
                "accept": [],
                "onset_step": made.onset_step,
            }
        )
    runs.append({**runs[-1], "label": "untested"})
    runs.append({**runs[-2], "fault": "forgotten", "folder": "nowhere"})
    (folder / "index.json").write_bytes(orjson.dumps({"runs": runs}))
    return folder


@pytest.fixture(scope="module")
def judged(board: Path) -> list[Judgement]:
    found = [judge(run) for run in lab_runs(board)[:2]]
    return [one for one in found if isinstance(one, Judgement)]


def test_what_to_call_a_fault_is_read_from_the_lab_of_today(board: Path) -> None:
    healthy, sick, forgotten = lab_runs(board)

    assert healthy.right == frozenset()
    assert "POL002" in sick.expect
    assert forgotten.expect == ("OLD001",)


def test_a_run_that_failed_without_a_fault_is_no_healthy_one(board: Path, tmp_path: Path) -> None:
    healthy = orjson.loads((board / "index.json").read_bytes())["runs"][0]
    runs = [
        {**healthy, "learned": True},
        {**healthy, "learned": False},
        {**healthy, "learned": False, "variant": "short-run"},
    ]
    (tmp_path / "index.json").write_bytes(orjson.dumps({"runs": runs}))

    assert len(lab_runs(tmp_path)) == 2


def test_a_healthy_and_a_sick_run_are_told_apart(judged: list[Judgement]) -> None:
    healthy, sick = judged

    assert not healthy.alarmed
    assert sick.named, sick.codes
    assert sick.delay is not None
    assert "outcome flat or falling" in sick.baselines
    assert "outcome flat or falling" not in healthy.baselines


def test_a_run_that_cannot_be_read_is_said_so(board: Path) -> None:
    *_, forgotten = lab_runs(board)

    found = judge(forgotten)

    assert isinstance(found, str)
    assert "nowhere" in found


def test_page_and_numbers_are_written(judged: list[Judgement], tmp_path: Path) -> None:
    page, numbers = tmp_path / "page.md", tmp_path / "results" / "numbers.json"

    write_page([fault_table(judged)], judged, not_judged=0, minutes=1.0, path=page)
    write_numbers(judged, [], numbers)

    assert "## Faults that do harm" in page.read_text()
    totals = orjson.loads(numbers.read_bytes())["figures"]
    assert {(entry["source"], entry["half"]) for entry in totals} >= {("all", "both")}


def test_a_source_that_is_not_there_has_no_runs(tmp_path: Path) -> None:
    assert lab_runs(tmp_path) == sb3_runs(tmp_path) == public_runs(tmp_path) == []
    assert made_runs(tmp_path) == labelled_runs(tmp_path, tmp_path) == []


def test_logs_of_one_repository_are_in_one_half(tmp_path: Path) -> None:
    entries = [
        {"dir": f"log-{k}", "source_repo": f"someone/repo-{k // 2}", "label": "healthy"}
        for k in range(40)
    ]
    for name in ("public", "public2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.json").write_bytes(orjson.dumps(entries))

    found = public_runs(tmp_path, "public2")

    assert {run.half for run in found} == {"tune", "held out"}
    assert all(run.half == half_of_repository(run.repository) for run in found)
    assert {run.half for run in public_runs(tmp_path)} == {"tune"}


def test_made_runs_keep_their_part_and_get_the_names_of_today(tmp_path: Path) -> None:
    program = "hf-lm-markov-lr-zero"
    entry = {"program": program, "trainer": "hf lm", "expected": ["OLD001"], "part": "look"}
    entry |= {"outcome": {"onset": None}}
    runs = [
        {**entry, "dir": "look/a", "label": "sick"},
        {**entry, "dir": "look/b", "label": "unclear"},
        {**entry, "dir": "hold/c", "label": "sick", "part": "hold", "program": "gone"},
        {**entry, "dir": "hold/d", "label": "harmless", "part": "hold"},
    ]
    (tmp_path / "index.json").write_bytes(orjson.dumps(runs))

    known, gone, harmless = made_runs(tmp_path)

    assert "SFT001" in known.expect
    assert gone.expect == ("OLD001",)
    assert [one.half for one in (known, gone, harmless)] == ["tune", "held out", "held out"]
    assert (harmless.label, harmless.right) == ("benign", frozenset())


def test_both_halves_get_their_share_and_keep_it() -> None:
    names = [f"task-{k}/P{k:02}" for k in range(200)]
    tuned = sum(half_of(name) == "tune" for name in names)

    assert 70 <= tuned <= 130
    assert half_of("cartpole/P01") == half_of("cartpole/P01")


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.judging.judge", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_prints_the_tables(board: Path) -> None:
    done = call("--dir", str(board), "--only", "lab", "--fast", "--workers", "1")

    assert done.returncode == 0, done.stderr
    assert "Faults that do harm" in done.stdout
    assert "never alarms" in done.stdout
    assert "How runs were called" in done.stdout


def test_the_command_says_what_is_not_there(tmp_path: Path) -> None:
    done = call("--dir", str(tmp_path), "--only", "lab", "made", "--fast")

    assert done.returncode == 0, done.stderr
    assert "no labelled runs" in done.stdout
    assert "make scoreboard-made" in done.stdout
    assert "absent" in done.stdout


@pytest.mark.parametrize(
    "words", [["--fast"], ["--only", "lab"], ["--programs", "ppo"], ["--leave-held-out"]]
)
def test_a_part_of_the_scoreboard_does_not_replace_the_page(words: list[Any]) -> None:
    done = call("--write", *words)

    assert done.returncode == 2
    assert "whole scoreboard" in done.stderr
