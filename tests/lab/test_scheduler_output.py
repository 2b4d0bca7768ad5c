"""The folder that the scheduler writes: its files, what opens them, and going on in it."""

from __future__ import annotations

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.lab.scheduler_table import routing_table
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import runvitals as rv
from runvitals.lab.contract import Sickness
from runvitals.lab.registry import faults_of
from runvitals.lab.scheduler import SCHEDULER
from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.lab.scheduler_output import cut_log, newest_checkpoint, train_scheduler
from runvitals.lab.scheduler_settings import Monitoring
from runvitals.model import ConfigError

TINY = SchedulerConfig(
    chunks=2,
    updates_per_chunk=2,
    num_clusters=8,
    rollout_steps=16,
    minibatches=2,
    eval_requests=60,
    final_requests=60,
    warm_start_rollouts=1,
)
QUIET: dict[str, Any] = {"console": False, "judge": False, "system": False}
COLUMNS = [
    "approx_kl", "clipfrac", "entropy", "temperature", "action_replica_0", "action_replica_1",
    "action_replica_2", "action_replica_3", "reward", "reward_mean", "absolute_score", "delta_score",
    "balance_penalty", "temp_current_temperature", "temp_qps_pressure_ema",
    "temp_latency_pressure_ema", "temp_is_pulsing", "pg_grad_norm", "current_temperature",
]  # fmt: skip


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training that was stopped and gone on with, in a folder of its own."""
    folder = tmp_path_factory.mktemp("my runs!") / "out of it"
    train_scheduler(TINY, folder, stop_at=0.5, **QUIET)
    train_scheduler(TINY, folder, **QUIET)
    return folder


def board(folder: Path) -> EventAccumulator:
    found = EventAccumulator(str(folder / "tensorboard"), {"scalars": 0, "histograms": 0})
    found.Reload()
    return found


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "metrics" / "metrics.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["approx_kl"]]


def test_csv_files_have_the_documented_columns(output: Path) -> None:
    updates = rows_of(output)

    assert [int(row["step"]) for row in updates] == [128, 256, 384, 512]
    assert all(row[name] for row in updates for name in COLUMNS)
    shares = [float(updates[0][f"action_replica_{i}"]) for i in range(4)]
    assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("place", ["metrics/metrics.csv", "tensorboard", "."])
def test_what_was_written_can_be_opened(output: Path, place: str) -> None:
    run = rv.open_run(output / place)

    assert len(run["policy/approx_kl"].values) == 4
    for name in COLUMNS:
        assert len(run[name].values) == 4, name


@pytest.mark.parametrize("above", [False, True], ids=["itself", "the folder above"])
def test_the_folder_is_one_run(output: Path, above: bool) -> None:
    [run] = rv.open_runs(output.parent if above else output)

    assert run.progress["completed_chunks"] == 2
    assert {histogram.name for histogram in run.histograms()} >= {"Actions/replica_0"}
    assert run.status == "finished"


def test_every_scalar_of_the_record_has_a_meaning(output: Path) -> None:
    run = rv.open_run(output)

    assert [name for name in run.names() if name not in run.bindings] == []


def test_tensorboard_itself_reads_scalars_and_a_histogram_per_replica(output: Path) -> None:
    found = board(output)

    assert [event.step for event in found.Scalars("approx_kl")] == [128, 256, 384, 512]
    assert set(COLUMNS) <= set(found.Tags()["scalars"])
    for i in range(4):
        assert [event.step for event in found.Histograms(f"Actions/replica_{i}")] == [
            128, 256, 384, 512,
        ]  # fmt: skip


def test_the_log_tells_of_each_update(output: Path) -> None:
    lines = (output / "ppo_training.log").read_text().splitlines()

    for kind in ("rollout", "update", "reward_breakdown", "temperature"):
        assert sum(f"[PPO:{kind}]" in line for line in lines) == 4
    assert "[PPO:stabilization] requests=128 routed_by=shortest-queue" in lines[0]
    assert "[PPO:warmstart]" in lines[1]
    assert any("continuing after step 256 from checkpoint_000002.npz" in line for line in lines)
    [breakdown] = [line for line in lines if "[PPO:reward_breakdown] step=512 " in line]
    for name in ("reward=", "absolute_score=", "delta_score=", "balance_penalty="):
        assert name in breakdown
    assert "approx_kl" in rv.open_run(output / "ppo_training.log")


def test_the_progress_file_names_a_checkpoint_that_can_be_loaded(output: Path) -> None:
    progress = json.loads((output / "training_progress.json").read_text())

    assert progress["completed_chunks"] == 2
    assert progress["requests_done"] == 4 * TINY.batch
    assert int(np.load(progress["latest_checkpoint"])["update"]) == 4


def test_the_settings_survive_the_record(output: Path) -> None:
    config = rv.open_run(output).config

    for name in ("qps_sensitivity", "min_temperature", "target_kl", "entropy_min", "kl_coef"):
        assert config[name] == asdict(TINY)[name]
    assert config["monitoring.metrics_export_enabled"] is True


def test_the_record_has_the_settings_of_a_sick_run(tmp_path: Path) -> None:
    train_scheduler(TINY, tmp_path / "out", Sickness(faults_of(SCHEDULER), "lr-zero"), **QUIET)

    assert rv.open_run(tmp_path / "out").config["learning_rate"] == 0.0


# monitoring


def test_what_monitoring_switches_off_is_not_written(tmp_path: Path) -> None:
    quiet = Monitoring(tensorboard=False, metrics_export_enabled=False, log_file="")

    train_scheduler(TINY, tmp_path / "out", monitoring=quiet, **QUIET)

    for name in ("metrics", "tensorboard", "ppo_training.log"):
        assert not (tmp_path / "out" / name).exists()
    assert len(rv.open_run(tmp_path / "out")["approx_kl"].values) == 4


def test_intervals_thin_the_exports_and_not_the_record(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    rarely = Monitoring(
        tensorboard_interval=2,
        histogram_interval=4,
        metrics_export_interval=2,
        log_interval=4,
        log_file="scheduler.log",
    )

    train_scheduler(TINY, folder, monitoring=rarely, **QUIET)

    assert rv.open_run(folder)["approx_kl"].steps.tolist() == [128, 256, 384, 512]
    assert [int(row["step"]) for row in rows_of(folder)] == [256, 512]
    found = board(folder)
    assert [event.step for event in found.Scalars("approx_kl")] == [256, 512]
    assert [event.step for event in found.Histograms("Actions/replica_0")] == [512]
    lines = (folder / "scheduler.log").read_text()
    assert lines.count("[PPO:update]") == 1
    assert "[PPO:warmstart]" in lines


# going on


def test_a_run_goes_on_with_its_own_settings_only(tmp_path: Path) -> None:
    train_scheduler(TINY, tmp_path / "out", stop_at=0.5, **QUIET)

    with pytest.raises(ConfigError, match=r"begun with learning_rate = 0\.002, not 0\.001"):
        train_scheduler(replace(TINY, learning_rate=1e-3), tmp_path / "out", **QUIET)


def test_a_new_run_does_not_take_the_checkpoints_of_another(tmp_path: Path) -> None:
    config = replace(TINY, checkpoint_dir=str(tmp_path / "kept"))
    train_scheduler(config, tmp_path / "one", stop_at=0.5, **QUIET)

    with pytest.raises(ConfigError, match="checkpoints of another run"):
        train_scheduler(config, tmp_path / "two", **QUIET)


def test_a_damaged_checkpoint_is_passed_over_and_said(tmp_path: Path) -> None:
    train_scheduler(TINY, tmp_path / "out", **QUIET)
    newest = tmp_path / "out" / "checkpoints" / "checkpoint_000004.npz"
    newest.write_bytes(newest.read_bytes()[:-2000])

    kept = newest_checkpoint(newest.parent)

    assert kept is not None
    assert kept.update == 2
    assert "checkpoint_000004.npz cannot be read" in kept.damaged[0]


def test_a_log_is_cut_where_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ppo_training.log"
    kept = "x INFO [PPO:warmstart] imitated\nx INFO [PPO:update] step=128 lr=1\n"
    path.write_text(kept + "x INFO [PPO:rollout] step=256 lr=1\nx INFO [PPO:upd")

    cut_log(path, 128)

    assert path.read_text() == kept
    cut_log(path, 0)
    assert path.read_text() == ""


def test_the_table_compares_five_schedulers() -> None:
    table = routing_table(TINY, [0])

    assert [line.split("|")[1].strip() for line in table.splitlines()[2:]] == [
        "random",
        "round-robin",
        "shortest-queue",
        "least-wait",
        "PPO",
    ]
