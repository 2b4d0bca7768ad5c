"""Tables whose columns are set apart by blanks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.readers.discovery.discover import discover
from runvitals.readers.raw.source import head
from runvitals.readers.registry import reader_for
from runvitals.readers.tabular import spaced_table

ROWS = [(epoch, 2.0 / (epoch + 1), 1 - 0.9 / (epoch + 1)) for epoch in range(12)]


def written(path: Path, header: str, row: str) -> Path:
    path.write_text(header + "".join(row.format(*values) + "\n" for values in ROWS))
    return path


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("epoch train_loss val_acc\n", "{} {:.6f} {:.6f}"),
        ("# epoch train_loss val_acc\n", "{:.18e} {:.18e} {:.18e}"),
        ("# lr 0.01, batch 32\n# epoch train_loss val_acc\n", "{} {:.6f} {:.6f}"),
        ("epoch\ttrain_loss  val_acc\n", "  {}\t\t{:.6f} {:.6f}"),
        (f"{'epoch':>8}{'train_loss':>14}{'val_acc':>12}\n", "{:8d}{:14.6f}{:12.6f}"),
        ("  epoch    train_loss    val_acc\n-------  ---------  ------\n", "{:5d}  {:.6f}  {:.6f}"),
        ("Training of Monday\n\nepoch train_loss val_acc\n", "{} {:.6f} {:.6f}"),
        ("    epoch  train_loss   val_acc\n", "0  {:5d}  {:.6f}  {:.6f}"),
    ],
    ids=["plain", "savetxt", "comments", "mixed", "right-aligned", "ruled", "titled", "pandas"],
)
def test_names_over_columns_of_numbers_are_read(tmp_path, header, row):
    path = written(tmp_path / "losses.txt", header, row)

    [log] = spaced_table.read(path)

    assert reader_for(path) is spaced_table.READER
    steps, _, losses = log.points.column("train_loss")
    assert steps.tolist() == [row[0] for row in ROWS]
    np.testing.assert_allclose(losses, [row[1] for row in ROWS], atol=1e-6)
    np.testing.assert_allclose(log.points.column("val_acc")[2], [row[2] for row in ROWS], atol=1e-6)


def test_names_of_two_words_are_kept_where_two_blanks_set_columns_apart(tmp_path):
    path = written(tmp_path / "a.txt", "Epoch   Train Loss   Val Acc\n", "{:<8}{:<13.6f}{:<8.6f}")

    [log] = spaced_table.read(path)

    assert set(log.points.names()) == {"Epoch", "Train Loss", "Val Acc"}


def test_rows_that_are_appended_are_read_as_they_come(tmp_path):
    path = written(tmp_path / "a.txt", "epoch train_loss val_acc\n", "{} {:.6f} {:.6f}")
    [log] = spaced_table.read(path)
    assert log.read_new is not None
    with path.open("a") as file:
        file.write("12   0.1  0.95\n13   0.1")

    log.add(log.read_new())

    steps, _, values = log.points.column("train_loss")
    assert (len(steps), steps[-1], values[-1]) == (13, 12, 0.1)


def test_a_second_run_below_its_own_header_is_a_run_of_its_own(tmp_path):
    path = written(tmp_path / "a.txt", "epoch train_loss val_acc\n", "{} {:.6f} {:.6f}")
    path.write_text(path.read_text() * 2)

    logs = spaced_table.read(path)

    assert [len(log.points.column("train_loss")[0]) for log in logs] == [12, 12]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("points.txt", "x y z\n" + "0.1 0.2 0.3\n" * 20),
        ("weather.dat", "year month rain\n" + "".join(f"{1900 + i} 1 3.5\n" for i in range(20))),
        ("labels.txt", "image score\n" + "".join(f"{i}.png 0.5\n" for i in range(20))),
        ("grid.txt", "lr batch_size val_loss\n" + "0.1 16 0.5\n0.01 32 0.4\n0.1 32 0.3\n" * 5),
        ("requirements.txt", "numpy 1.26\ntorch 2.1\n" * 5),
        ("train.py", "epoch loss\n" + "".join(f"{i} 0.5\n" for i in range(20))),
        ("README.md", "epoch loss\n" + "".join(f"{i} 0.5\n" for i in range(20))),
        ("numbers.txt", "".join(f"{i} 0.5 0.7\n" for i in range(20))),
        ("prose.txt", "epoch loss\n0 0.5\n" + "and so it went on\n" * 9),
    ],
)
def test_other_tables_and_texts_are_no_runs(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)

    assert spaced_table.sniff(path, head(path)) == 0
    assert list(discover(path)) == []


def test_columns_without_names_are_named_by_their_file(tmp_path):
    rows = [f"{i:3d} {i * 10_000:8d} {100.0 + i:.2f}" for i in range(20)]
    path = tmp_path / "rewards.txt"
    path.write_text("\n".join(rows) + "\n")

    run = rv.open_runs(path)[0]

    assert run["rewards"].steps[-1] == 190_000
    assert run["rewards"].values[-1] == 119.0


def test_two_columns_of_fitness_are_not_taken_for_a_counter(tmp_path):
    rows = [f"{1.8 + 0.01 * i:.3f} {1.6 + 0.01 * i:.4f}" for i in range(20)]
    path = tmp_path / "fitness_history.csv"
    path.write_text("\r\n".join(rows) + "\r\n")

    assert rv.open_runs(path)[0]["fitness"].values[0] == 1.8


def test_numbers_in_a_file_that_says_nothing_of_training_are_no_log(tmp_path):
    path = tmp_path / "coordinates.txt"
    path.write_text("\n".join(f"{i} {i * 2}" for i in range(20)) + "\n")

    assert spaced_table.sniff(path, head(path)) == 0
