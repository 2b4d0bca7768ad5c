"""`runvitals lab run --output-dir`, as somebody types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.model import ConfigError

SMALL = {
    "training": {"chunks": 2, "updates_per_chunk": 2, "num_clusters": 8, "rollout_steps": 16},
    "ppo_config": {"minibatches": 2},
    "monitoring": {"metrics_export_enabled": True, "log_interval": 2},
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "small.json"
    file.write_text(json.dumps(SMALL))
    return file


def call(*words: object) -> str:
    result = CliRunner().invoke(app, ["lab", "run", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_the_scheduler_writes_all_its_files(tmp_path: Path, config: Path) -> None:
    out = tmp_path / "out"

    shown = call("scheduler", "--output-dir", out, "--config", config, "--quiet")

    assert "512 steps in" in shown
    assert "2 of 2 chunks; recorded in" in shown
    for name in ("ppo_training.log", "tensorboard", "metrics/metrics.csv"):
        assert (out / name).exists()
    assert (out / "ppo_training.log").read_text().count("[PPO:update]") == 2
    assert json.loads((out / "training_progress.json").read_text())["completed_chunks"] == 2


def test_it_is_trained_chunk_by_chunk(tmp_path: Path, config: Path) -> None:
    out = tmp_path / "out"

    first = call("scheduler", "--output-dir", out, "--config", config, "--max-chunks", 1, "-q")
    second = call("scheduler", "--output-dir", out, "--resume", "-q")
    third = call("scheduler", "--output-dir", out, "--resume", "-q")

    assert "1 of 2 chunks" in first
    assert f"go on with: runvitals lab run scheduler --output-dir {out} --resume" in first
    assert "256 steps after step 256 in" in second
    assert "nothing left to do: 2 of 2 chunks are done" in third
    assert len(rv.open_run(out)["approx_kl"].values) == 4


def test_options_are_stronger_than_the_file(tmp_path: Path, config: Path) -> None:
    out = tmp_path / "out"

    call(
        "scheduler", "--output-dir", out, "--config", config, "--no-csv", "--no-tensorboard", "-q",
        "--set", "chunks=1", "--set", "log_interval=1", "--seed", 7, "--fault", "lr-zero",
    )  # fmt: skip

    run = rv.open_run(out)
    assert run.config["seed"] == 7
    assert run.config["learning_rate"] == 0.0
    assert len(run["approx_kl"].values) == 2
    assert not (out / "metrics").exists()
    assert not (out / "tensorboard").exists()
    assert (out / "ppo_training.log").read_text().count("[PPO:update]") == 2


def test_what_it_was_begun_with_begins_another(tmp_path: Path, config: Path) -> None:
    call("scheduler", "--output-dir", tmp_path / "a", "--config", config, "--seed", 3, "-q")

    begun = tmp_path / "a" / "scheduler_config.json"
    call("scheduler", "--output-dir", tmp_path / "b", "--config", begun, "-q")

    one, other = (rv.open_run(tmp_path / name)["reward_mean"].values for name in "ab")
    assert one.tolist() == other.tolist()


def test_any_trainer_records_into_a_folder_of_choice(tmp_path: Path) -> None:
    out = tmp_path / "my sft run"

    call("sft", "--variant", "short-run", "--output-dir", out, "--quiet")

    [run] = rv.open_runs(out)
    assert run.name == "sft-sorting-short-run-seed0"
    assert (out / "metrics" / "metrics.csv").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("sft", "--resume"), "--resume works only with the scheduler"),
        (("scheduler", "--resume"), "--resume needs an output folder"),
        (("scheduler", "--max-chunks", "1"), "--max-chunks needs an output folder"),
        (("scheduler", "--output-dir", "OUT", "--config", "nowhere.json"), "No such file"),
        (("scheduler", "--output-dir", "OUT", "--set", "chunks=few"), "must be a whole number"),
        (("scheduler", "--output-dir", "OUT", "--set", "chunk=1"), "no setting 'chunk'"),
        (("scheduler", "--output-dir", "OUT", "--fault", "none"), "no fault 'none'"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_mistakes_are_named(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    words = tuple(word.replace("OUT", str(tmp_path / "out")) for word in words)

    with pytest.raises(ConfigError, match=says):
        CliRunner().invoke(app, ["lab", "run", *words], catch_exceptions=False)

    assert not (tmp_path / "out").exists()
