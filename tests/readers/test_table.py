"""Steps, restarts, repeats and gaps, treated alike for every row-like format."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from runvitals.model import PointTable
from runvitals.readers.raw.numbers import parse_duration, parse_time
from runvitals.readers.rows.collector import RowCollector
from runvitals.readers.rows.table import Table, TableRun, choose_step, choose_time, runs_in


def collect(rows: list[dict[str, Any]]) -> Table:
    rows_in = RowCollector()
    rows_in.add_all(rows)
    return rows_in.table()


def counted(steps: list[float], **more: list[float]) -> Table:
    loss = [float(i) for i in range(len(steps))]
    columns = {"step": steps, "loss": loss, **more}
    return collect(
        [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    )


def points(part: TableRun) -> PointTable:
    table = PointTable()
    for segment, block in part.blocks:
        table.add(block, segment)
    return table


def test_rows_one_by_one_and_in_bulk_make_the_same_table():
    rows: list[dict[str, Any]] = [
        {"step": 1, "a": 1.5, "n": {"x": 1, "y": {"z": 2}}},
        {"step": 2, "a": None, "n": {"x": "3"}, "text": "hi"},
        {"step": 3, "b": True, "list": [1, 2]},
        {"step": 4, "a": "nan", "n": 7},
        {"step": 10**400, "a": "1:00:00"},
    ]
    single = RowCollector()
    for row in rows:
        single.add(row)

    one, many = single.table(), collect(rows)

    assert set(one.columns) == set(many.columns) == {"step", "a", "b", "n", "n/x", "n/y/z"}
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column.values, many.columns[name].values)
        np.testing.assert_array_equal(column.places, many.columns[name].places)
    assert one.columns["a"].values.tolist()[-1] == 3600.0
    assert math.isinf(one.columns["step"].values[-1])


def test_rows_of_a_thousand_shapes_take_memory_by_their_numbers_alone():
    rows = RowCollector()
    rows.add_all([{"step": i, f"only_{i}": 1.0} for i in range(5000)])

    table = rows.table()

    assert len(table.columns) == 5001
    assert sum(len(column.values) for column in table.columns.values()) == 10_000
    assert len(runs_in(table)[0].blocks) >= 5000


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ({"episode": range(9), "steps": [50, 50, 6, 50, 26, 50, 50, 50, 9]}, "episode"),
        ({"epoch": [0, 0, 0, 1, 1, 1], "global_step": range(6)}, "global_step"),
        ({"update": [0, 0, 0, 1, 1, 1], "episode": range(6)}, "episode"),
        ({"total timesteps": range(0, 600, 100), "loss": range(6)}, "total timesteps"),
        ({"t/total_timesteps": range(6), "timers/training_iteration": range(6)}, "t/total_timesteps"),
        ({"step": [5, 3, 8, 1, 9, 2], "loss": range(6)}, "step"),
        ({"step": [1] * 6, "loss": range(6)}, None),
        ({"loss": range(6), "acc": range(6)}, None),
    ],
    ids=["lengths are not steps", "finest by name", "finest of two", "spaces", "nesting", "shuffled",
         "a step that stands still", "nothing counts"],
)  # fmt: skip
def test_chooses_the_column_that_counts(columns, wanted):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    assert choose_step(collect(rows)) == wanted


def test_two_writers_at_nearly_the_same_step_still_count():
    steps = [s for i in range(100) for s in (10 * i + 10, 10 * i)]

    assert choose_step(counted(steps)) == "step"


def test_a_resume_replaces_what_it_logs_anew():
    [part] = runs_in(counted([10, 20, 30, 40, 25, 35, 45]))

    steps, _, values = points(part).column("loss")
    assert steps.tolist() == [10, 20, 25, 35, 45]
    assert values.tolist() == [0, 1, 4, 5, 6]
    assert points(part).abandoned("loss")[0].tolist() == [30, 40]
    told = "the run was resumed once; 2 of 7 rows were logged again, and the later ones count"
    assert part.warnings == [told]


def test_runs_that_were_appended_come_apart():
    parts = runs_in(counted([*range(30), *range(25), *range(40)]))

    assert [len(points(part).column("loss")[0]) for part in parts] == [30, 25, 40]
    assert "run 2 of 3" in parts[1].warnings[0]


def test_starts_that_were_given_up_belong_to_the_run_that_followed():
    [part] = runs_in(counted([0, 0, 1, 2, 0, 1, *range(45)]))

    assert len(points(part).column("loss")[0]) == 45
    assert part.warnings == ["6 rows of given-up starts lie before the run"]


def test_a_file_that_begins_with_a_resumed_run_is_one_run():
    [part] = runs_in(counted([*range(251, 280), *range(251, 400)]))

    assert len(points(part).column("loss")[0]) == 149


def test_a_few_rows_that_come_late_cut_nothing_off():
    [part] = runs_in(counted([*range(100), 50, *range(100, 120)]))

    assert len(points(part).column("loss")[0]) == 121


def test_rows_in_no_order_are_sorted():
    steps = np.random.default_rng(0).permutation(50).tolist()

    [part] = runs_in(counted(steps))

    assert points(part).column("loss")[0].tolist() == list(range(50))
    assert part.disordered


def test_rows_written_twice_count_once():
    table = collect(
        [{"step": i // 2, "loss": i // 2, "elapsed_time": f"0:00:{i:02}"} for i in range(20)]
    )

    [part] = runs_in(table)

    assert len(points(part).column("loss")[0]) == 10
    assert part.warnings == ["10 rows repeat the row before them and were dropped"]


def test_rows_at_one_step_that_say_different_things_are_all_kept():
    rows = [{"step": i // 2, **({"loss": i} if i % 2 else {"eval": i})} for i in range(20)]

    [part] = runs_in(collect(rows))

    assert len(points(part).column("loss")[0]) == len(points(part).column("eval")[0]) == 10
    assert "step" not in points(part).names()


def test_rows_without_a_step_belong_to_the_one_before():
    rows: list[dict[str, Any]] = [{"step": i, "loss": i} for i in range(20)]
    rows.insert(5, {"eval": 1.0})

    [part] = runs_in(collect(rows))

    assert points(part).column("eval")[0].tolist() == [4]


def test_fractional_epochs_count_in_thousandths():
    [part] = runs_in(collect([{"epoch": i / 4, "loss": i} for i in range(8)]))

    assert points(part).column("loss")[0].tolist() == [250 * i for i in range(8)]
    assert points(part).column("epoch")[2].tolist() == [i / 4 for i in range(8)]


@pytest.mark.parametrize("scale", [1, 1e3, 1e6, 1e9])
def test_unix_times_in_any_unit(scale):
    stamps = [1.7e9 + i for i in range(4)]
    table = counted([0, 1, 2, 3], timestamp=[t * scale for t in stamps])

    [part] = runs_in(table)

    assert choose_time(table) == "timestamp"
    np.testing.assert_allclose(points(part).column("loss")[1], stamps, rtol=0, atol=1e-3)
    assert "timestamp" not in points(part).names()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2024-05-01T12:00:00Z", 1714564800.0), ("2024-05-01 12:00:00,250", 1714564800.25),
     ("2024-05-01T14:00:00+02:00", 1714564800.0), ("2024-05-01_12-00-00", 1714564800.0),
     ("noon", None), ("2024-13-01 00:00:00", None), ("1" * 5000, None)],
)  # fmt: skip
def test_dates(text, seconds):
    assert parse_time(text) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1 day, 23:10:58", 169858.0), ("2 days, 0:00:01", 172801.0), ("0:04:43.5", 283.5),
     ("12:30", None), ("a:b:c", None)],
)  # fmt: skip
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


def test_more_columns_than_anyone_logs_are_left_out():
    rows = RowCollector()
    rows.add({f"metric_{i}": 1.0 for i in range(20_100)})

    assert len(rows.table().columns) == 20_000
    assert rows.too_many == 100


def test_nothing_comes_of_nothing():
    assert runs_in(Table(0)) == []
    assert runs_in(collect([{}, {}])) == []


@pytest.mark.parametrize(
    "odd", ["", "nan", "1e999", "1_000", "91.5%", "True", "two", "\x0c1.5", " 7 ", "9" * 70]
)
def test_cells_are_taken_in_as_rows_are(odd):
    names = ("step", "loss", "seed")
    for cells in (["0", odd, "3"], ["1", "0.5", "3"], ["2", "2.5e-1"]):
        rows = [["8", "-0.25", "3"], cells]
        one_by_one, together = RowCollector(), RowCollector()
        for row in rows:
            one_by_one.add(dict(zip(names, row, strict=False)))

        together.add_cells(names, rows)

        assert _told(together) == _told(one_by_one)


def _told(rows: RowCollector) -> object:
    columns = rows.table().columns
    numbers = {name: (one.values.tolist(), one.places.tolist()) for name, one in columns.items()}
    return repr((numbers, rows.rows, rows.texts, rows.varying))
