"""What is a training log where nothing counts its rows, and what is another kind of table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runvitals.readers.log import Log
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import csv_log, json_lines

NUMBERS = np.random.default_rng(0).random(40).tolist()


def save(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def table(header: str, row: str) -> str:
    """Forty rows; `{i}` counts, `{x}` is measured."""
    return "".join([f"{header}\n", *(row.format(i=i, x=x) + "\n" for i, x in enumerate(NUMBERS))])


def steps(log: Log, name: str) -> list[int]:
    return log.points.column(name)[0].tolist()


@pytest.mark.parametrize(
    ("header", "row", "measured"),
    [
        ("ep,score", "{i},{x}", "score"),
        ("n_episodes,avg reward", "{i},{x}", "avg reward"),
        ("Episode Number,Total Reward", "{i},{x}", "Total Reward"),
        ("round,accuracy", "{i},{x}", "accuracy"),
        ("batch,loss", "{i},{x}", "loss"),
        ("update,policy_loss", "{i},{x}", "policy_loss"),
        ("Generation,Top Fitness", "{i},{x}", "Top Fitness"),
        ("game,epsilon", "{i},{x}", "epsilon"),
        ("reward,length", "{x},{i}7", "reward"),
        (",reward", "{i},{x}", "reward"),
        ("val_acc,train_acc", "{x},{x}", "val_acc"),
        ("reward", "{x}", "reward"),
    ],
)
def test_a_log_by_its_columns(tmp_path, header, row, measured):
    path = save(tmp_path / "m.csv", table(header, row))

    assert csv_log.sniff(path, head(path)) > 0
    [log] = csv_log.read(path)
    assert steps(log, measured) == list(range(40))


@pytest.mark.parametrize("name", ["rewards.csv", "loss.txt", "episode_rewards.csv"])
@pytest.mark.parametrize("first", ["", "\n", "0\n"], ids=["at once", "a blank line", "pandas"])
def test_a_column_without_a_name_is_what_its_file_is_called(tmp_path, name, first):
    path = save(tmp_path / name, first + "".join(f"{x}\n" for x in NUMBERS))

    assert csv_log.sniff(path, head(path)) > 0
    [log] = csv_log.read(path)
    assert log.points.column(path.stem)[2].tolist() == NUMBERS


def test_columns_without_names_count_by_the_first(tmp_path):
    text = "".join(f"{10 * i},{x},{-x}\n" for i, x in enumerate(NUMBERS))
    path = save(tmp_path / "train_log.csv", text)

    [log] = csv_log.read(path)

    assert csv_log.sniff(path, head(path)) > 0
    assert steps(log, "column 2") == [10 * i for i in range(40)]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("lr,batch_size,loss", "{x},{x},{x}"),
        ("graph,stress,reward", "g{i},{x},{x}"),
        ("model,accuracy,loss", "m{i},{x},{x}"),
        ("open,high,low,close,return", "{x},{x},{x},{x},{x}"),
        ("servo,angle,torque", "{x},{x},{x}"),
        ("accuracy,f1", "{x},{x}"),
        ("step,reward", "7,{x}"),
        ("name", "n{i}"),
        ("agent,episodes,average_score", "a{i},100,{x}"),
    ],
    ids=["a search", "graphs", "models", "prices", "telemetry", "results", "one step", "names",
         "a comparison"],
)  # fmt: skip
def test_another_kind_of_table_is_refused(tmp_path, header, row):
    path = save(tmp_path / "m.csv", table(header, row))

    assert csv_log.sniff(path, head(path)) == 0


def test_lines_that_count_episodes_by_another_name(tmp_path):
    text = "".join(f'{{"episode_num": {i}, "score": {x}}}\n' for i, x in enumerate(NUMBERS))
    path = save(tmp_path / "m.jsonl", text)

    [log] = json_lines.read(path)

    assert json_lines.sniff(path, head(path)) > 40
    assert steps(log, "score") == list(range(40))


def test_lines_that_nothing_counts(tmp_path):
    text = "".join(f'{{"loss": {x}, "acc": "{x}"}}\n' for x in NUMBERS)
    path = save(tmp_path / "m.jsonl", text)

    [log] = json_lines.read(path)

    assert json_lines.sniff(path, head(path)) > 0
    assert log.points.column("acc")[2].tolist() == NUMBERS


def test_lines_about_cases_are_refused(tmp_path):
    text = "".join(f'{{"prompt": "p{i}", "reward": {x}}}\n' for i, x in enumerate(NUMBERS))
    path = save(tmp_path / "m.jsonl", text)

    assert json_lines.sniff(path, head(path)) == 0


def test_batches_of_each_epoch_count_on_in_lines_too(tmp_path):
    text = "".join(
        f'{{"epoch": {e}, "step": {b}, "loss": {e + b}}}\n' for e in range(3) for b in range(10)
    )

    [log] = json_lines.read(save(tmp_path / "m.jsonl", text))

    assert steps(log, "loss") == list(range(30))
