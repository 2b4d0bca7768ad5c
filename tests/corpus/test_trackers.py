"""Run files of W&B, MLflow, TensorBoard and the Hugging Face Trainer that people published."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.outside import outside
from tests.readers.test_tensorboard import accumulated, assert_same

from runvitals.model import ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.registry import reader_for
from runvitals.readers.tabular import trainer_state
from runvitals.readers.tfevents import tensorboard
from runvitals.readers.trackers import mlflow_folder, wandb_file, wandb_summary

CORPUS = outside("corpus")
ROWS = {
    "cacla-wandb-learned": ("total_reward_training", 680),
    "cacla-wandb-offline-flat": ("cacla_reward", 543),
    "debugger-dqn-wandb": ("_runtime", 541),
    "reward-model-wandb": ("train/epoch", 17),
    "vlm-grpo-placeholder-metrics": ("_runtime", 46),
}


def test_every_run_file_of_the_corpus_opens():
    found = sorted((CORPUS / "public").rglob("*.wandb"))

    for path in found:
        [log] = wandb_file.read(path)
        assert reader_for(path) is wandb_file.READER
        assert "damaged" not in " ".join(log.warnings)
        name, count = ROWS.get(path.parent.name, (log.points.names()[0], None))
        steps, times, values = log.points.column(name)
        assert count is None or len(values) == count
        assert (np.diff(steps) >= 0).all()
        assert (times > 1.6e9).all()
    assert {path.parent.name for path in found} >= set(ROWS)


def test_corpus_summary_agrees_with_the_history(tmp_path):
    folder = CORPUS / "public" / "debugger-dqn-wandb"
    [path] = folder.glob("*.wandb")
    copy = shutil.copy(folder / "wandb-summary.json", tmp_path)

    [summary], [log] = wandb_summary.read(Path(copy)), wandb_file.read(path)

    for name in summary.points.names():
        assert summary.points.column(name)[2][-1] == log.points.column(name)[2][-1]


def test_the_corpus_runs_open():
    points, empty = {}, 0
    for path in sorted((CORPUS / "public" / "mlflow-traffic-dqn").rglob("meta.yaml")):
        if reader_for(path) is not mlflow_folder.READER:
            continue
        if not (path.parent / "metrics").is_dir():
            with pytest.raises(ReadError, match="26 params only"):
                mlflow_folder.read(path)
            empty += 1
            continue
        [log] = mlflow_folder.read(path)
        assert log.status == "finished"
        assert log.config["agent"] == "DQN"
        points = {name: len(log.points.column(name)[0]) for name in log.points.names()}

    assert empty == 2
    assert (points["rollout/exploration rate"], points["train/loss"]) == (36, 29)
    assert points["eval/mean_reward"] == 6


def test_every_real_log_reads_as_in_tensorboard():
    counted_on = []
    for path in sorted(CORPUS.rglob("*tfevents*")):
        [log] = tensorboard.read(path)
        if any("starts over" in warning for warning in log.warnings):
            counted_on.append(
                path.parent.name
            )  # TensorBoard lays all of its starts over each other
        else:
            assert_same(log, accumulated(path))
        assert tensorboard.sniff(path, path.read_bytes()[:4096]) == 100

    assert counted_on == ["overcooked-b"]


def states():
    found = sorted(CORPUS.rglob("trainer_state*.json"))
    return [*found, *CORPUS.rglob("training_logs.json")]


@pytest.mark.parametrize("path", states(), ids=lambda p: p.parent.name)
def test_every_state_in_the_corpus_equals_a_plain_parse(path):
    state = json.loads(path.read_text())
    expected, step = {}, 0
    for entry in state["log_history"]:
        step = entry.get("step", step)  # a row of a prediction has none of its own
        for name, value in entry.items():
            if name != "step" and isinstance(value, (int, float)):
                expected.setdefault(name, []).append((step, float(value)))

    [log] = trainer_state.read(path)

    assert trainer_state.sniff(path, head(path)) >= 90
    assert set(log.points.names()) == set(expected)
    for name, rows in expected.items():
        steps, _, values = log.points.column(name)
        assert steps.tolist() == [step for step, _ in rows], name
        np.testing.assert_array_equal(values, [value for _, value in rows], name)
    assert log.config["max_steps"] == state["max_steps"]
