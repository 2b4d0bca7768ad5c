"""Logs that hold two things under one name or in one file."""

from pathlib import Path

import numpy as np
import pytest

from runvitals.readers.open import open_run, open_runs

NOISE = np.random.default_rng(7).normal(size=400)


def written(tmp_path: Path, *lines: str, name: str = "log.csv") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def alternating(steps: int) -> list[str]:
    return [
        f"{step},{value}"
        for step in range(steps)
        for value in (0.1 * step + NOISE[step], 50 + 0.1 * step + NOISE[step])
    ]


@pytest.mark.parametrize("counter", ["step", "epoch"])
def test_training_and_evaluation_in_turn_are_two_series(tmp_path: Path, counter: str):
    run = open_run(written(tmp_path, f"{counter},reward", *alternating(100)))

    assert run["reward"].values.max() < 20
    assert run["reward (2nd)"].values.min() > 40
    assert any("take turns" in warning for warning in run.warnings)


def test_rows_that_are_appended_later_keep_taking_turns(tmp_path: Path):
    rows = alternating(100)
    path = written(tmp_path, "step,reward", *rows[:120])
    run = open_run(path)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(rows[120:]) + "\n")

    run.refresh()

    assert run["reward"].values.max() < 20
    assert len(run["reward (2nd)"].values) == 100


@pytest.mark.parametrize("curve", [NOISE, np.linspace(5, 0, 400)], ids=["noise", "smooth"])
def test_two_rows_to_a_step_of_one_curve_stay_one_series(tmp_path: Path, curve: np.ndarray):
    rows = [f"{row // 2},{value}" for row, value in enumerate(curve)]

    run = open_run(written(tmp_path, "step,loss", *rows))

    assert len(run["loss"].values) == 400
    assert "loss (2nd)" not in run


def test_a_rate_that_turns_from_share_to_percent_is_one_share(tmp_path: Path):
    rate = np.clip(0.1 + np.arange(200) / 250 + 0.02 * NOISE[:200], 0.02, 1)
    rows = [f"{step},{value * (1 if step < 100 else 100)}" for step, value in enumerate(rate)]

    run = open_run(written(tmp_path, "step,success_rate", *rows))

    assert run["outcome/success_rate"].values == pytest.approx(rate)
    assert run["success_rate"].values.max() > 80


def test_a_rate_in_percent_that_begins_at_zero_is_percent_throughout(tmp_path: Path):
    rate = np.concatenate([np.zeros(20), np.linspace(0, 90, 80)])
    rows = [f"{step},{value}" for step, value in enumerate(rate)]

    run = open_run(written(tmp_path, "step,success_rate", *rows))

    assert run["outcome/success_rate"].values == pytest.approx(rate / 100)


def test_a_second_table_with_a_counter_of_its_own_is_read_beside_the_first(tmp_path: Path):
    episodes = [f"{row},{row * 0.5},{100 + row}" for row in range(100)]
    updates = [f"{1000 * row},{10 / (1 + row)},{1 - row / 100}" for row in range(50)]

    run = open_run(
        written(tmp_path, "episode,reward,length", *episodes, "step,value_loss,entropy", *updates)
    )

    assert (run["reward"].steps[-1], len(run["reward"].values)) == (99, 100)
    assert (run["entropy"].steps[-1], run["entropy"].values[-1]) == (49_000, 0.51)


def test_rows_of_two_tables_in_turn_go_to_their_own_columns(tmp_path: Path):
    rows = [
        row
        for step in range(30)
        for row in (f"{step},{step * 0.5},{100 + step}", f"{step * 10},{1 / (1 + step)}")
    ]

    run = open_run(written(tmp_path, "episode,reward,length", rows[0], "step,loss", *rows[1:]))

    assert len(run["reward"].values) == 30
    assert (run["loss"].steps[-1], len(run["loss"].values)) == (290, 30)


def test_one_restart_of_the_only_column_that_goes_on_is_counted_on(tmp_path: Path):
    reward = np.linspace(-300, 300, 80) + NOISE[:80]
    rows = [f"{row % 40},{value}" for row, value in enumerate(reward)]

    [run] = open_runs(written(tmp_path, "step,reward", *rows))

    assert run["reward"].steps.tolist() == list(range(80))


def test_one_restart_of_the_only_column_that_begins_anew_is_another_run(tmp_path: Path):
    reward = np.tile(np.linspace(-300, 300, 40), 2) + NOISE[:80]
    rows = [f"{row % 40},{value}" for row, value in enumerate(reward)]

    runs = open_runs(written(tmp_path, "step,reward", *rows))

    assert len(runs) == 2


def test_what_is_made_per_iteration_is_no_step_because_it_mostly_falls(tmp_path: Path):
    counts = [25, 1911, 1392, 764, 439, 301, 242, 208]
    rows = [f"{count},{10 * row + 1},0.1" for row, count in enumerate(counts)]

    run = open_run(written(tmp_path, "Episodes,AverageReturn,loss", *rows))

    assert run["AverageReturn"].values.tolist() == [10 * row + 1 for row in range(8)]


def test_a_table_with_a_byte_order_mark_and_zero_bytes_is_read(tmp_path: Path):
    path = tmp_path / "log.csv"
    rows = [f"{step},{step * 0.5}\n".encode() for step in range(100)]
    path.write_bytes(
        b"\xef\xbb\xbfstep,reward\n" + b"".join(rows[:50]) + bytes(500) + b"".join(rows[50:])
    )

    run = open_run(path)

    assert run["reward"].steps[-1] == 99


def test_a_step_that_stands_still_leaves_the_rows_to_count(tmp_path: Path):
    rows = [f"0,{row * 0.5},{1 / (1 + row)}" for row in range(50)]

    run = open_run(written(tmp_path, "step,episode_reward,loss", *rows))

    assert run["episode_reward"].steps[-1] == 49


def test_printed_lists_without_any_count_are_rows_of_their_means(tmp_path: Path):
    lines = [f"accuracy rewards: [{row % 3 / 2}, 1.0, {row % 2}.0, 0.0]" for row in range(60)]

    run = open_run(written(tmp_path, *lines, name="train.log"))

    assert run.bindings["accuracy rewards"].metric == "outcome/success_rate"
    assert len(run["accuracy rewards"].values) == 60


def test_names_in_greek_and_other_languages_are_understood(tmp_path: Path):
    rows = [f"{step},{max(0.05, 1 - step / 50)},{step % 7 - 3},{step * 0.5}" for step in range(80)]

    run = open_run(written(tmp_path, "步数,ε,loss_π,平均奖励", *rows))

    assert run["ε"].steps[-1] == 79
    assert {name: binding.metric for name, binding in run.bindings.items()} == {
        "步数": "progress/env_steps",
        "ε": "explore/epsilon",
        "loss_π": "policy/loss",
        "平均奖励": "outcome/return_mean",
    }


def test_a_log_printed_in_spanish_is_read(tmp_path: Path):
    lines = [
        f"Episodio {row}/60 | Recompensa: {row * 10}.0 | Duración: {200 + row} pasos | "
        f"Pérdida: 0.0{99 - row} | Epsilon: {1 - row / 100}"
        for row in range(1, 61)
    ]

    run = open_run(written(tmp_path, *lines, name="train.log"))

    assert run["Recompensa"].steps[-1] == 60
    assert run.bindings["Recompensa"].metric == "outcome/return_mean"
    assert run.bindings["Duración"].metric == "outcome/episode_length_mean"
