"""Evaluations inside console logs: one measurement of the run, never a training of their own."""

# ruff: noqa: E501 - lines of logs are long

from __future__ import annotations

import pytest

import runvitals as rv
from runvitals.readers.console._evaluations import section

TRAINING = "".join(
    f"Episode {i + 1}/200 | Reward: {i * 0.5 - 20:.1f} | Epsilon: {1 - i / 250:.2f}\n"
    for i in range(200)
)
EVALUATION = "".join(f"Episode {i + 1}/10 | Reward: {60 + i % 2:.1f}\n" for i in range(10))


def written(folder, text):
    path = folder / "train.log"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("heading", "split"),
    [
        ("----- EVALUATION -----", "eval"),
        ("Testing...", "test"),
        ("=== Test ===", "test"),
        ("======\nEvaluating trained agent\n======", "eval"),
        ("Training complete! Model saved.\n\nTesting the trained agent for 10 episodes:", "test"),
        ("[INFO] Starting evaluation", "eval"),
        ("2024-01-01 10:00:00,123 - INFO - Running final evaluation", "eval"),
        ("🎮 Testing trained model...", "test"),
    ],
)
def test_rows_below_a_heading_are_one_evaluation_of_the_run(tmp_path, heading, split):
    [run] = rv.open_runs(written(tmp_path, f"{TRAINING}{heading}\n{EVALUATION}"))

    assert len(run["Reward"].steps) == 200
    measured = run[f"{split}/Reward"]
    assert (measured.steps.tolist(), measured.values.tolist()) == ([200], [60.5])


def test_evaluations_between_episodes_stand_where_the_training_does(tmp_path):
    parts = [
        "".join(f"Episode {j + 1} | Reward: {j:.1f} | Epsilon: 0.5\n" for j in range(20 * i, 20 * i + 20))
        + "--- Evaluation ---\n"
        + "".join(f"Episode {j + 1} | Reward: {100 * i + j}.0\n" for j in range(3))
        for i in range(6)
    ]  # fmt: skip

    [run] = rv.open_runs(written(tmp_path, "".join(parts)))

    assert run["Reward"].steps.tolist() == list(range(1, 121))
    assert run["eval/Reward"].steps.tolist() == [20, 40, 60, 80, 100, 120]
    assert run["eval/Reward"].values.tolist() == [1.0, 101.0, 201.0, 301.0, 401.0, 501.0]


def test_rows_that_name_their_split_and_count_anew_are_an_evaluation_without_a_heading(tmp_path):
    tests = "".join(f"Test Episode {i + 1}: Reward = {60 + i % 2:.1f}\n" for i in range(10))

    [run] = rv.open_runs(written(tmp_path, TRAINING + tests))

    assert run["test/Reward"].values.tolist() == [60.5]
    assert len(run["Reward"].steps) == 200


def test_values_without_counts_below_a_heading_are_of_its_split(tmp_path):
    epochs = "".join(
        f"Epoch {i + 1}/9\nTraining...\nloss: {1 / (i + 1):.4f}\nEvaluating...\nloss: {2 / (i + 1):.4f}\n"
        for i in range(9)
    )

    [run] = rv.open_runs(written(tmp_path, epochs))

    assert run["loss"].values[:2].tolist() == [1.0, 0.5]
    assert run["eval/loss"].values[:2].tolist() == [2.0, 1.0]


def test_a_split_before_the_first_value_of_a_line_is_that_of_all(tmp_path):
    epochs = "".join(
        f"Epoch {i}/8\n----------\ntrain Loss: {1 / (i + 1):.4f} Acc: 0.{i}\n"
        f"val Loss: {2 / (i + 1):.4f} Acc: 0.{i}5\n\n"
        for i in range(9)
    )

    [run] = rv.open_runs(written(tmp_path, epochs))

    assert run["Acc"].values[1] == 0.1
    assert run["val/Acc"].values[1] == 0.15


@pytest.mark.parametrize(
    "before",
    ["Testing environment...\n", "Test env: CartPole-v1\n", "Evaluation every 10 episodes\n"],
)
def test_a_training_below_a_remark_stays_a_training(tmp_path, before):
    [run] = rv.open_runs(written(tmp_path, before + TRAINING))

    assert len(run["Reward"].steps) == 200


def test_another_training_behind_an_evaluation_is_no_evaluation(tmp_path):
    text = f"{TRAINING}=== Test ===\n{EVALUATION}Training again\n{TRAINING}"

    runs = rv.open_runs(written(tmp_path, text))

    assert [len(run["Reward"].steps) for run in runs] == [200, 200]


def test_more_rows_than_were_trained_are_a_training_whatever_the_heading_says(tmp_path):
    again = "".join(f"Episode {i + 1}/900 | Reward: {i:.1f}\n" for i in range(300))

    runs = rv.open_runs(written(tmp_path, f"{TRAINING}Testing\n{again}"))

    assert [len(run["Reward"].steps) for run in runs] == [200, 300]


@pytest.mark.parametrize(
    "line",
    [
        "Test accuracy: 0.93", "Evaluation complete", "Testing dataset size 1000", "tests/test_a.py",
        "Evaluation every 10 episodes", "Training complete! Model saved.", "Validation data loaded",
        "contest", "Latest model saved",
    ],
)  # fmt: skip
def test_remarks_are_no_headings(line):
    assert section(line) is None


def test_the_number_of_test_episodes_is_no_count(tmp_path):
    rows = "".join(
        f"Episode: {i + 1}, reward: {i:.1f}\n"
        + ("---\nTest Episodes: 10, Avg. Reward: 5.5\n---\n" if i % 10 == 9 else "")
        for i in range(40)
    )

    run = rv.open_run(written(tmp_path, rows))

    [name] = [name for name in run.names() if name.startswith("test/")]
    assert run[name].steps.tolist() == [10, 20, 30, 40]
    assert len(run["reward"].steps) == 40
