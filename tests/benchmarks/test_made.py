"""What is kept about labelled runs of real frameworks, without any framework."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.made.keeping import fresh_folder, is_made, keep, missing, name_of, write_index
from benchmarks.made.loops import FORMATS, write_log
from benchmarks.made.programs import Outcome, Program, World, label_of
from benchmarks.made.registry import all_programs

import runvitals as rv
from runvitals.rules.registry import rules

LAKE = World("lake", "look", poor=0.0, good=1.0)
SEA = World("sea", "hold", poor=3.0, good=1.0)  # a loss: less is better
WELL = Program("loops", "q", LAKE, "healthy", seeds=(3, 4))
ILL = Program("hf", "lm", SEA, "lr-zero", fault=True, expected=("SFT001",), settings={"lr": 0.0})


def made(folder: Path, program: Program, seed: int, outcome: Outcome) -> None:
    (fresh_folder(folder, program, seed) / "log.csv").write_text("step,loss\n1,2\n")
    keep(folder, program, seed, outcome, seconds=2.0)


@pytest.mark.parametrize(
    ("program", "outcome", "label"),
    [
        (WELL, Outcome("", 0.95), "healthy"),
        (WELL, Outcome("", 0.7), "unclear"),
        (WELL, Outcome("", float("nan")), "unclear"),
        (replace(WELL, enough=0.2), Outcome("", 0.3), "healthy"),
        (ILL, Outcome("", 2.9), "sick"),
        (ILL, Outcome("", 1.0), "harmless"),
        (ILL, Outcome("", 1.5), "unclear"),
        (ILL, Outcome("", float("nan")), "sick"),
        (ILL, Outcome("", 1.6, best=1.0), "sick"),
        (ILL, Outcome("", 1.0, harmed=True, why="the log says otherwise"), "sick"),
        (ILL, Outcome("", 2.9, harmed=False), "harmless"),
    ],
)
def test_the_label_follows_from_what_came_of_the_run(
    program: Program, outcome: Outcome, label: str
) -> None:
    assert label_of(program, outcome) == label


def test_what_is_made_is_not_made_again(tmp_path: Path) -> None:
    programs = [WELL, ILL]
    assert len(missing(tmp_path, programs)) == 3

    made(tmp_path, WELL, 3, Outcome("return", 1.0))

    assert is_made(tmp_path, WELL, 3)
    left = [name_of(*run) for run in missing(tmp_path, programs)]
    assert sorted(left) == [name_of(ILL, 0), name_of(WELL, 4)]
    assert not is_made(tmp_path, replace(WELL, settings={"other": 1}), 3)


def test_a_run_without_a_log_is_not_made(tmp_path: Path) -> None:
    fresh_folder(tmp_path, WELL, 3)
    keep(tmp_path, WELL, 3, Outcome("return", 1.0), seconds=2.0)

    assert not is_made(tmp_path, WELL, 3)


def test_what_is_made_first_is_of_use_by_itself(tmp_path: Path) -> None:
    order = missing(tmp_path, all_programs())
    first = [program for program, _ in order[:20]]

    assert {program.maker for program in first} == {program.maker for program in all_programs()}
    assert 8 <= sum(program.fault for program in first) <= 12
    assert all(seed == program.seeds[0] for program, seed in order[:20])


def test_the_index_lists_all_runs_and_each_part_its_own(tmp_path: Path) -> None:
    made(tmp_path, WELL, 3, Outcome("return", 1.0))
    made(tmp_path, ILL, 0, Outcome("loss", 3.0))

    write_index(tmp_path, [WELL, ILL])

    everything = json.loads((tmp_path / "index.json").read_text())
    assert [(one["dir"], one["label"]) for one in everything] == [
        ("hold/hf-lm-sea-lr-zero-s0", "sick"),
        ("look/loops-q-lake-healthy-s3", "healthy"),
    ]
    assert everything[0]["expected"] == ["SFT001"]
    assert everything[0]["outcome"]["end"] == 3.0
    [held] = json.loads((tmp_path / "hold" / "index.json").read_text())
    assert held["dir"] == name_of(ILL, 0)


def test_a_run_is_made_into_an_empty_folder(tmp_path: Path) -> None:
    (fresh_folder(tmp_path, WELL, 3) / "old.csv").write_text("step,loss\n")

    assert list(fresh_folder(tmp_path, WELL, 3).iterdir()) == []


def test_programs_have_different_names_and_expect_rules_that_exist() -> None:
    programs = all_programs()
    names = [program.name for program in programs]
    codes = set(rules())

    assert len(names) == len(set(names))
    assert {code for program in programs for code in program.expected} <= codes
    assert all(program.expected for program in programs if program.fault)


def test_a_world_belongs_to_one_part_whoever_trains_in_it() -> None:
    parts: dict[str, set[str]] = {}
    for program in all_programs():
        parts.setdefault(program.world.name, set()).add(program.world.part)

    assert all(len(of) == 1 for of in parts.values())
    for maker in {program.maker for program in all_programs()}:
        mine = [program for program in all_programs() if program.maker == maker]
        held = sum(len(program.seeds) for program in mine if program.world.part == "hold")
        assert 0.3 < held / sum(len(program.seeds) for program in mine) < 0.7


@pytest.mark.parametrize("form", FORMATS)
def test_logs_of_own_loops_can_be_read(form: str, tmp_path: Path) -> None:
    rows = [{"epoch": k + 1, "train_loss": 1.0 / (k + 1), "lr": 1e-3} for k in range(12)]
    rows[4]["val_loss"] = 0.7

    write_log(form, rows, tmp_path)

    [run] = rv.open_runs(tmp_path)
    assert any(name.endswith("train_loss") for name in run.names())
