"""Samples that trackers keep: W&B's tables beside an offline run, Trackio's traces."""

from __future__ import annotations

import json
import sqlite3

from runvitals.readers.open import open_run
from runvitals.readers.trackers._wandb_folder import samples_in, tables_beside
from runvitals.rollouts.record import rollout_of


def table(folder, step, columns, rows, split="train"):
    place = folder / "files" / "media" / "table" / split
    place.mkdir(parents=True, exist_ok=True)
    file = place / f"completions_{step}_{step:020x}.table.json"
    file.write_text(json.dumps({"columns": columns, "data": rows}))


def test_rows_of_a_table_are_samples_in_the_order_of_steps(tmp_path):
    for step in (10, 9):
        table(tmp_path, step, ["prompt", "completion", "reward"], [["p", f"text {step}", 1.0]])

    found = list(samples_in(tables_beside(tmp_path / "run-1.wandb")))

    assert [(one.step, one.fields["completion"]) for one in found] == [
        (9, "text 9"),
        (10, "text 10"),
    ]


def test_a_table_that_grows_gives_each_row_once(tmp_path):
    rows = [[step, f"text {step}", 0.5] for step in range(4)]
    for step in range(1, 4):
        table(tmp_path, step, ["global_step", "text", "reward"], rows[: step + 1])

    found = list(samples_in(tables_beside(tmp_path / "run-1.wandb")))

    assert [one.step for one in found] == [0, 1, 2, 3]


def test_a_row_of_verl_holds_all_texts_of_an_evaluation(tmp_path):
    columns = ["step", "input_1", "output_1", "score_1", "input_2", "output_2", "score_2"]
    rows = [[step, "a?", f"a {step}", 1.0, "b?", f"b {step}", -1.0] for step in (0, 5)]
    table(tmp_path, 0, columns, rows[:1], split="val")
    table(tmp_path, 5, columns, rows, split="val")

    found = list(map(rollout_of, samples_in(tables_beside(tmp_path / "run-1.wandb"))))

    assert [(one.step, one.prompt, one.completion, one.reward) for one in found] == [
        (0, "a?", "a 0", 1.0),
        (0, "b?", "b 0", -1.0),
        (5, "a?", "a 5", 1.0),
        (5, "b?", "b 5", -1.0),
    ]
    assert all(one.held_out for one in found)


def test_tables_of_something_else_and_torn_ones_are_left_out(tmp_path):
    table(tmp_path, 1, ["label", "score"], [["cat", 0.9]])
    table(tmp_path, 2, ["prompt", "completion", "reward"], [])
    torn = next((tmp_path / "files").rglob("*_2_*"))
    torn.write_text('{"columns": ["prompt", "comp')

    assert list(samples_in(tables_beside(tmp_path / "run-1.wandb"))) == []


def test_traces_of_trackio_are_samples_with_their_prompt_and_reward(tmp_path):
    said = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "It is 4."}]
    with sqlite3.connect(tmp_path / "project.db") as db:
        db.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_id TEXT, timestamp TEXT, run_name TEXT, "
            "step INTEGER, metrics TEXT)"
        )
        db.execute(
            "CREATE TABLE traces (id TEXT, run_id TEXT, step INTEGER, messages TEXT, metadata TEXT)"
        )
        for step in range(3):
            row = (step, "r", f"2026-01-01T00:00:0{step}", "r", step, '{"reward": 0.5}')
            db.execute("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", row)
            trace = (str(step), "r", step, json.dumps(said), '{"reward": 1.0}')
            db.execute("INSERT INTO traces VALUES (?, ?, ?, ?, ?)", trace)
    db.close()

    found = [rollout_of(one) for one in open_run(tmp_path).read_samples()]

    assert [one.step for one in found] == [0, 1, 2]
    assert (found[0].prompt, found[0].completion, found[0].reward) == ("2 + 2?", "It is 4.", 1.0)
