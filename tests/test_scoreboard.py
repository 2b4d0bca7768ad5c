"""A small scoreboard, made for real: runs, labels, kill tests, cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from benchmarks.lab import scoreboard
from benchmarks.lab.kill_test import kill_test
from benchmarks.lab.scoreboard import programs, quick_programs, thinned
from rich.console import Console

ROOT = Path(__file__).parent.parent


def make(folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.lab.scoreboard", "--quick", "--dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    index: dict[str, Any] = orjson.loads((folder / "index.json").read_bytes())
    return index


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("scoreboard")
    return folder, make(folder)


def test_each_program_is_run_with_five_seeds_and_its_twin(board) -> None:
    _, index = board

    assert index["failed"] == []
    assert len(index["programs"]) == len(quick_programs())
    assert all(program["seeds"] == 5 for program in index["programs"])


@pytest.mark.parametrize(
    "fault", ["lr-zero", "memory-leak", "slow-steps", "frozen-metric", "hangs"]
)
def test_a_fault_that_does_harm_is_labelled_sick_by_measurement(board, fault: str) -> None:
    _, index = board
    [program] = [program for program in index["programs"] if program["fault"] == fault]

    assert program["kill_test"]["killed"], program["kill_test"]
    assert program["label"] == "sick"


def test_healthy_runs_learn_and_are_labelled_so(board) -> None:
    _, index = board
    [healthy] = [program for program in index["programs"] if program["fault"] is None]

    assert healthy["learned"] == healthy["seeds"]
    assert healthy["label"] == "healthy"


def test_every_run_in_the_index_can_be_opened_and_knows_its_onset(board) -> None:
    import runvitals as rv

    folder, index = board
    for run in index["runs"]:
        assert rv.open_run(folder / run["folder"]).names()
        if run["fault"] not in (None, "hangs"):
            assert run["onset_step"] is not None
            assert run["expect"]


def test_a_second_call_makes_nothing_again(board) -> None:
    folder, _ = board
    before = {note: note.stat().st_mtime_ns for note in (folder / "results").iterdir()}

    again = scoreboard.make(quick_programs(), 5, folder, workers=1, console=Console(quiet=True))

    assert again["not_made"] == 0
    assert {note: note.stat().st_mtime_ns for note in (folder / "results").iterdir()} == before


def test_the_plan_has_every_fault_and_every_task() -> None:
    from runvitals.lab.registry import trainers

    planned = programs()

    for of in trainers():
        mine = [program for program in planned if program.trainer == of.name]
        assert {fault.name for fault in of.faults} <= {program.fault for program in mine}
        assert {task.name for task in of.tasks} <= {program.task for program in mine}
        assert {variant.name for variant in of.variants} <= {program.variant for program in mine}


# the kill test


def runs_with(harm: str, **columns: list[float]) -> list[dict[str, Any]]:
    rows = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    return [{"harm": harm, **row} for row in rows]


HEALTHY = [0.90, 0.91, 0.92, 0.93, 0.94]


@pytest.mark.parametrize(
    ("scores", "killed"),
    [
        ([0.1, 0.2, 0.3, 0.4, 0.5], True),
        ([0.90, 0.91, 0.92, 0.93, 0.95], False),
        ([0.99, 0.99, 0.99, 0.99, 0.99], False),
        ([float("nan")] * 5, True),
    ],
    ids=["worse", "alike", "better", "not a number"],
)
def test_a_lower_score_kills(scores: list[float], killed: bool, tmp_path: Path) -> None:
    found = kill_test(
        runs_with("outcome", score=scores), runs_with("outcome", score=HEALTHY), tmp_path
    )

    assert found.killed is killed


@pytest.mark.parametrize(
    ("sick", "twin", "killed"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_one_seed_kills_only_if_it_missed_a_target_that_its_twin_reached(
    sick: bool, twin: bool, killed: bool, tmp_path: Path
) -> None:
    runs = [{"harm": "outcome", "score": 0.1, "learned": sick}]
    twins = [{"harm": "outcome", "score": 0.9, "learned": twin}]

    assert kill_test(runs, twins, tmp_path).killed is killed


def test_a_thinned_set_has_all_healthy_tasks_and_faults_of_every_trainer() -> None:
    wanted = programs(brief=True)

    few = thinned(wanted, 4)

    assert [p for p in few if p.fault is None] == [p for p in wanted if p.fault is None]
    assert {p.trainer for p in few if p.fault} == {p.trainer for p in wanted if p.fault}
    assert len(few) < len(wanted) / 2


@pytest.mark.parametrize(("seconds", "killed"), [(1.1, False), (1.5, True)])
def test_a_fifth_less_speed_kills(seconds: float, killed: bool, tmp_path: Path) -> None:
    runs = runs_with(
        "speed",
        steps=[100] * 5,
        seconds=[seconds] * 5,
        twin_steps=[100] * 5,
        twin_seconds=[1.0] * 5,
    )

    assert kill_test(runs, [], tmp_path).killed is killed


@pytest.mark.parametrize(("grown", "killed"), [(11.0, False), (25.0, False), (60.0, True)])
def test_memory_must_grow_clearly_to_kill(grown: float, killed: bool, tmp_path: Path) -> None:
    healthy = runs_with("memory", memory_mb=[10.0] * 5)

    assert kill_test(runs_with("memory", memory_mb=[grown] * 5), healthy, tmp_path).killed is killed
