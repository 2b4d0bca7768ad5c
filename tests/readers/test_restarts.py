"""Steps that fall back: what is a resume, another run, a start that was given up, or another writer."""

from __future__ import annotations

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import PointTable
from runvitals.readers.rows.columns import Column, Table
from runvitals.readers.rows.table import TableRun, runs_in


def table(steps: list[int], **more: list[float]) -> Table:
    everywhere = np.arange(len(steps))
    columns = {"step": np.array(steps, np.float64)}
    columns |= {name: np.array(values, np.float64) for name, values in more.items()}
    if not more:  # nothing that goes on from one stretch to the next
        columns["loss"] = (7.0 * everywhere) % 11
    return Table(len(steps), {name: Column(values, everywhere) for name, values in columns.items()})


def points(part: TableRun) -> PointTable:
    found = PointTable()
    for segment, block in part.blocks:
        found.add(block, segment)
    return found


def lengths(parts: list[TableRun]) -> list[int]:
    return [len(points(part).column("loss")[0]) for part in parts]


def test_a_run_appended_to_the_end_of_another_loses_no_row():
    parts = runs_in(table([*range(5000, 5493), *range(88)]))

    assert lengths(parts) == [493, 88]
    assert [points(part).column("loss")[0][0] for part in parts] == [5000, 0]
    assert "run 1 of 2" in parts[0].warnings[0]


def test_a_run_that_logs_less_often_starts_at_its_own_first_step():
    parts = runs_in(table([*range(1000), *range(10, 1000, 10)]))

    assert lengths(parts) == [1000, 99]


def test_the_same_checkpoint_again_is_the_same_run_if_it_gets_further():
    [part] = runs_in(table([*range(251, 280), *range(251, 400)]))

    assert lengths([part]) == [149]
    assert part.warnings == [
        "the run was resumed once; 29 of 178 rows were logged again, and the later ones count"
    ]


def test_the_same_checkpoint_again_is_another_run_if_it_does_not():
    assert lengths(runs_in(table([*range(251, 400), *range(251, 280)]))) == [149, 29]


def test_a_resume_says_how_many_rows_it_replaces():
    [part] = runs_in(table([*range(100), *range(80, 200), *range(150, 300)]))

    assert lengths([part]) == [300]
    assert len(points(part).abandoned("loss")[0]) == 70
    assert part.warnings == [
        "the run was resumed 2 times; 70 of 370 rows were logged again, and the later ones count"
    ]


def test_a_stretch_that_would_replace_most_of_a_run_and_not_reach_its_end_is_another_run():
    assert lengths(runs_in(table([*range(1000), *range(100, 400)]))) == [1000, 300]


def test_two_processes_that_wrote_at_once_are_two_runs():
    rng = np.random.default_rng(0)
    steps: list[int] = []
    one, two = 0, 0
    while len(steps) < 400:
        steps += range(one, one := one + int(rng.integers(3, 9)))
        steps += range(two, two := two + int(rng.integers(3, 9)))

    parts = runs_in(table(steps, loss=rng.normal(size=len(steps)).tolist()))

    assert sorted(lengths(parts)) == sorted([one, two])
    assert all("2 processes" in part.warnings[0] for part in parts)


def test_two_processes_that_wrote_the_same_are_one_run():
    steps = [s for i in range(0, 200, 5) for s in [*range(i, i + 5)] * 2]

    [part] = runs_in(table(steps, loss=[1.0 / (s + 1) for s in steps]))

    assert lengths([part]) == [400]
    assert part.warnings == ["2 processes wrote the same run; rows were sorted by step"]


def test_rows_in_no_order_are_of_no_writers():
    steps = np.random.default_rng(0).permutation(300).tolist()

    [part] = runs_in(table(steps))

    assert part.disordered


def test_a_second_table_of_other_names_is_the_same_run():
    first = {"step": Column(np.arange(60.0) % 30, np.arange(60))}
    first["train_loss"] = Column(np.arange(30.0), np.arange(30))
    first["test_acc"] = Column(np.arange(30.0), np.arange(30, 60))

    [part] = runs_in(Table(60, first, breaks=(30,)))

    assert points(part).column("train_loss")[0].tolist() == list(range(30))
    assert points(part).column("test_acc")[0].tolist() == list(range(30))
    assert part.warnings == []


def test_rows_that_nothing_counts_start_over_with_their_header():
    columns = {"loss": Column(np.arange(70.0), np.arange(70))}

    parts = runs_in(Table(70, columns, breaks=(30,)))

    assert lengths(parts) == [30, 40]


@pytest.mark.parametrize("again", [range(30), range(10, 60)])
def test_no_row_vanishes_without_a_word(again):
    steps = [*range(50), *again]
    parts = runs_in(table(steps))

    kept = sum(lengths(parts))
    told = sum(1 for part in parts for warning in part.warnings if "rows" in warning)
    assert kept == len(steps) or told


def test_a_few_rows_behind_a_long_run_are_no_run_of_their_own():
    [part] = runs_in(table([*range(60), *range(3), *range(2)]))

    assert lengths([part]) == [60]
    assert part.warnings == [
        "5 rows behind the run start over, too few for another run; they were left out"
    ]


def test_a_run_behind_another_that_is_no_stub_is_kept():
    assert lengths(runs_in(table([*range(60), *range(13)]))) == [60, 13]
    assert lengths(runs_in(table([*range(300), *range(25)]))) == [300, 25]


def test_a_counter_that_starts_over_while_the_training_goes_on_is_counted_on():
    reward = [float(np.tanh(i / 80)) for i in range(400)]
    falls = [-value for value in reward]

    [part] = runs_in(table([*range(40)] * 10, loss=falls, reward=reward))

    steps, _, values = points(part).column("reward")
    assert steps.tolist() == list(range(400))
    assert values.tolist() == reward
    assert part.warnings == ["`step` starts over 9 times while the training goes on: counted on"]


def test_runs_that_each_begin_anew_are_not_counted_on():
    reward = [float(np.tanh(i / 20)) for i in range(40)] * 10
    falls = [-value for value in reward]

    parts = runs_in(table([*range(40)] * 10, loss=falls, reward=reward))

    assert lengths(parts) == [40] * 10


def test_a_counter_that_starts_over_again_and_again_is_named(tmp_path):
    rows = "".join(f"{i % 30},{i / 3000}\n" for i in range(3000))
    (tmp_path / "progress.csv").write_text(f"step,reward\n{rows}")

    run = rv.open_run(tmp_path)

    assert run["reward"].values.tolist() == [i / 3000 for i in range(3000)]
    assert run.warnings == ["progress.csv: `step` starts over 99 times; rows are counted from 0"]
