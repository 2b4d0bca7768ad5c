"""A scoreboard of two runs, made and judged for real."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from benchmarks.judge_labels import half_of, lab_runs, public_runs, sb3_runs
from benchmarks.judge_report import write_numbers, write_page
from benchmarks.judge_runs import Judgement, judge
from benchmarks.judge_tables import fault_table

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


def test_both_halves_get_their_share_and_keep_it() -> None:
    names = [f"task-{k}/P{k:02}" for k in range(200)]
    tuned = sum(half_of(name) == "tune" for name in names)

    assert 70 <= tuned <= 130
    assert half_of("cartpole/P01") == half_of("cartpole/P01")


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.judge", *words], cwd=ROOT, capture_output=True, text=True
    )


def test_the_command_prints_the_tables(board: Path) -> None:
    done = call("--dir", str(board), "--only", "lab", "--fast", "--workers", "1")

    assert done.returncode == 0, done.stderr
    assert "Faults that do harm" in done.stdout
    assert "never alarms" in done.stdout


@pytest.mark.parametrize("words", [["--fast"], ["--only", "lab"], ["--programs", "ppo"]])
def test_a_part_of_the_scoreboard_does_not_replace_the_page(words: list[Any]) -> None:
    done = call("--write", *words)

    assert done.returncode == 2
    assert "whole scoreboard" in done.stderr
