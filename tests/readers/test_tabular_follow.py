"""Files that grow, are rewritten, cut short or replaced while they are followed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from runvitals.readers.log import Log
from runvitals.readers.tabular import csv_log, json_lines


def follow(log: Log) -> int:
    assert log.read_new is not None
    blocks = log.read_new()
    log.add(blocks)
    return sum(len(block) for _, block in blocks)


def series(log: Log, name: str = "loss") -> list[tuple[int, float]]:
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def append(path: Path, text: str) -> None:
    with open(path, "a") as file:
        file.write(text)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "progress.csv"
    path.write_text("step,loss\n1,10\n2,20\n")
    return path


def test_new_rows_come_once(table):
    [log] = csv_log.read(table)

    assert follow(log) == 0
    append(table, "3,30\n4,40\n")
    assert follow(log) == 2
    assert follow(log) == 0
    assert series(log) == [(1, 10), (2, 20), (3, 30), (4, 40)]


def test_half_a_line_waits_for_its_end(table):
    [log] = csv_log.read(table)

    append(table, "3,3")
    assert follow(log) == 0
    append(table, "0\n4")
    assert follow(log) == 1
    append(table, ",40\n")
    assert follow(log) == 1
    assert series(log)[2:] == [(3, 30), (4, 40)]


def test_a_last_line_that_looked_whole_is_put_right(table):
    append(table, "3,3")
    [log] = csv_log.read(table)
    assert series(log)[-1] == (3, 3)

    append(table, "0\n4,40\n")
    follow(log)

    assert series(log) == [(1, 10), (2, 20), (3, 30), (4, 40)]


def test_a_last_line_that_was_whole_is_not_read_again(table):
    append(table, "3,30")
    [log] = csv_log.read(table)

    assert follow(log) == 0
    append(table, "\n4,40\n")
    assert follow(log) == 1
    assert series(log)[2:] == [(3, 30), (4, 40)]


def test_a_file_cut_to_nothing_starts_a_segment(table):
    append(table, "3,30\n4,40\n")
    [log] = csv_log.read(table)

    table.write_text("step,loss\n3,31\n")
    follow(log)
    append(table, "4,41\n")
    follow(log)

    assert series(log) == [(1, 10), (2, 20), (3, 31), (4, 41)]


def test_another_file_in_its_place_starts_a_segment(table):
    [log] = csv_log.read(table)

    os.rename(table, table.with_suffix(".old"))
    assert follow(log) == 0
    table.write_text("step,loss\n1,11\n2,21\n3,31\n")
    assert follow(log) == 3
    assert series(log) == [(1, 11), (2, 21), (3, 31)]


def test_a_header_rewritten_with_new_columns_repeats_no_row(table):
    """Stable-Baselines3 and Lightning write the file anew when a new metric appears."""
    [log] = csv_log.read(table)

    with open(table, "r+") as file:
        file.write("step,loss,kl\n1,10,\n2,20,\n3,30,0.5\n")
    assert follow(log) == 1
    append(table, "4,40,0.6\n")
    follow(log)

    assert series(log) == [(1, 10), (2, 20), (3, 30), (4, 40)]
    assert series(log, "kl") == [(3, 0.5), (4, 0.6)]


def test_a_resume_in_a_followed_file_replaces_the_tail(table):
    append(table, "3,30\n4,40\n")
    [log] = csv_log.read(table)

    append(table, "3,31\n4,41\n")
    follow(log)

    assert series(log) == [(1, 10), (2, 20), (3, 31), (4, 41)]


def test_rows_without_steps_go_on_counting(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"loss": 1}\n{"loss": 2}\n')
    [log] = json_lines.read(path)

    append(path, '{"loss": 3}\n')
    follow(log)

    assert series(log) == [(0, 1), (1, 2), (2, 3)]


def test_json_lines_grow(tmp_path):
    path = tmp_path / "exp.jsonl"
    rows = [json.dumps({"step": i, "data": {"loss": i * 10}}) + "\n" for i in range(1, 6)]
    path.write_text(rows[0] + rows[1][:9])
    [log] = json_lines.read(path)
    assert series(log) == [(1, 10)]

    append(path, rows[1][9:] + rows[2] + rows[3][:-1])
    assert follow(log) == 2
    append(path, "\nnot json\n" + rows[4])
    assert follow(log) == 2
    assert series(log) == [(i, i * 10) for i in range(1, 6)]


def test_a_missing_file_is_waited_for(table):
    [log] = csv_log.read(table)

    table.unlink()

    assert follow(log) == 0


def test_only_what_is_new_is_read(table, monkeypatch):
    append(table, "".join(f"{i},{i}\n" for i in range(3, 50_000)))
    [log] = csv_log.read(table)
    append(table, "50000,1\n")
    fed: list[int] = []
    feed = csv_log.CsvParser.feed
    monkeypatch.setattr(
        csv_log.CsvParser,
        "feed",
        lambda self, block: (fed.append(len(block)), feed(self, block))[1],
    )

    assert follow(log) == 1
    assert fed == [len("50000,1\n")]


def test_a_counter_that_starts_over_is_counted_on_while_it_is_followed(tmp_path):
    path = tmp_path / "progress.csv"
    rows = [(i % 40, i, -i) for i in range(120)]
    path.write_text("step,loss,reward\n" + "".join(f"{s},{a},{b}\n" for s, a, b in rows))
    [log] = csv_log.read(path)

    append(path, "".join(f"{i % 40},{i},{-i}\n" for i in range(120, 170)))
    follow(log)
    append(path, "".join(f"{i % 40},{i},{-i}\n" for i in range(170, 210)))
    follow(log)

    assert series(log) == [(i, i) for i in range(210)]


def test_rows_of_two_counters_are_followed_on_both(tmp_path):
    path = tmp_path / "metrics.jsonl"

    def rows(start: int, end: int) -> str:
        lines = []
        for i in range(start, end):
            lines.append({"episode": i, "reward": i})
            lines += [{"step": 20 * i + k, "loss": 20 * i + k} for k in range(3)]
        return "".join(json.dumps(line) + "\n" for line in lines)

    path.write_text(rows(0, 10))
    [log] = json_lines.read(path)
    append(path, rows(10, 14))
    follow(log)

    assert series(log, "reward") == [(i, i) for i in range(14)]
    assert series(log, "loss") == [(20 * i + k, 20 * i + k) for i in range(14) for k in range(3)]
    assert "rows count in `episode`, `step`" in log.warnings[0]
