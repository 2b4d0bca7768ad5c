"""Timers, counters, breakdowns, epochs, histograms, samples, progress, config, provenance, system."""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import time
from types import SimpleNamespace

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import ConfigError, RunvitalsWarning
from runvitals.recorder.chores import SystemSampler
from runvitals.recorder.config import flat_config
from runvitals.recorder.identity import this_worker
from runvitals.recorder.pending import PendingValues
from runvitals.recorder.provenance import capture, git_state
from runvitals.store.reader import open_folder


def finished(run):
    run.finish()
    return open_folder(run.folder)


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_timers_ride_along_with_the_next_log():
    clock = Clock()
    pending = PendingValues(clock)
    for seconds, tokens in ((2.0, 400), (1.0, 200)):
        with pending.timer("generation") as timing:
            clock.now += seconds
            timing.tokens = tokens
    with pending.timer("my stage"):
        clock.now += 0.25

    assert pending.take() == {
        "timing_s/gen": 3.0,
        "timing_s/my stage": 0.25,
        "timing_per_token_ms/gen": 5.0,
    }
    assert not pending


def test_a_timer_counts_a_stage_that_failed():
    clock = Clock()
    pending = PendingValues(clock)
    with pytest.raises(ValueError, match="x"), pending.timer("adv"):
        clock.now += 1.0
        raise ValueError("x")

    assert pending.take() == {"timing_s/adv": 1.0}


def test_counters_give_totals_and_rates_since_the_last_log():
    clock = Clock()
    pending = PendingValues(clock)
    clock.now += 2.0
    pending.count({"env_steps": 100, "updates": 4})
    assert pending.take() == {
        "progress/env_steps": 100.0,
        "throughput/env_steps_per_s": 50.0,
        "progress/optimizer_steps": 4.0,
        "throughput/updates_per_s": 2.0,
    }
    clock.now += 4.0
    pending.count({"env_steps": 100})

    assert pending.take() == {"progress/env_steps": 200.0, "throughput/env_steps_per_s": 25.0}


def test_timers_and_counters_through_a_run_and_its_resume(start):
    run = start(id="r")
    with run.timer("gen", tokens=10):
        time.sleep(0.01)
    run.count(env_steps=64)
    run.log({"x": 1.0}, step=5)
    run.finish()
    again = start(id="r", resume=True)
    again.count(env_steps=6)
    again.log({"x": 1.0})

    view = finished(again)

    assert view["timing_s/gen"].values[0] >= 0.01
    assert view["timing_per_token_ms/gen"].values[0] >= 1.0
    assert view["progress/env_steps"].values.tolist() == [64.0, 70.0]
    assert view["x"].steps.tolist() == [5, 6]


def test_a_reward_that_adds_up_is_logged_without_a_word(start):
    run = start()
    run.log_reward_breakdown(
        0.5, {"absolute_score": 0.9, "delta_score": -0.3}, {"balance_penalty": 0.1}, step=3
    )

    view = finished(run)

    assert run.problems == []
    assert view.names() == ["reward", "absolute_score", "delta_score", "balance_penalty"]


def test_a_reward_that_does_not_add_up_is_warned_about(start):
    run = start()
    with pytest.warns(
        RunvitalsWarning, match=r"reward is 0\.7 at step 3, but its parts add up to 0\.5"
    ):
        run.log_reward_breakdown(0.7, {"absolute_score": 0.9}, {"balance_penalty": 0.4}, step=3)

    assert finished(run)["reward"].values.tolist() == [0.7]


def test_ema_matches_its_definition():
    rng = np.random.default_rng(0)
    values = rng.normal(size=50)
    ema = rv.Ema(half_life=5)
    for value in values:
        last = ema.update(value)

    weights = (1 - ema.alpha) ** np.arange(50)[::-1]
    assert last == pytest.approx(np.sum(weights * values) / weights.sum())
    assert 1 - (1 - ema.alpha) ** 5 == pytest.approx(0.5)
    assert ema.update(float("nan")) == last


@pytest.mark.parametrize(
    "options",
    [{}, {"alpha": 0.0}, {"alpha": 2.0}, {"half_life": -1.0}, {"alpha": 0.1, "half_life": 3}],
)
def test_ema_refuses_what_makes_no_sense(options):
    with pytest.raises(ConfigError):
        rv.Ema(**options)


def test_window_and_speed_meter():
    window = rv.Window(100)
    assert np.isnan(window.mean)
    window.update(*range(1, 101))
    assert window.p99 == pytest.approx(np.quantile(np.arange(1, 101), 0.99))
    meter = rv.SpeedMeter("Backprop")
    meter.update(tokens=100, seconds=1.0)
    found = meter.update(tokens=100, seconds=3.0)

    assert found["Performance/Backprop_AvgTokensPerSec"] == 50.0
    assert found["Performance/Backprop_TokensPerSec"] == pytest.approx(100 / 3)
    assert found["Performance/Backprop_P99TokensPerSec"] == pytest.approx(
        np.quantile([100.0, 100 / 3], 0.99)
    )


def test_epoch_trends_are_positive_when_things_get_better(start):
    run = start()
    epochs = run.epoch()
    for reward, loss in ((0.2, 3.0), (0.5, 2.0)):
        epochs.update(reward=[reward, reward + 0.2], loss=loss, api_tokens=10)
        run.log(epochs.end())

    view = finished(run)

    assert view["Epoch/AvgReward"].values.tolist() == pytest.approx([0.3, 0.6])
    assert view["Epoch/RewardVariance"].values.tolist() == pytest.approx([0.02, 0.02])
    assert view["Epoch/RewardTrend"].values.tolist() == pytest.approx([0.3])
    assert view["Epoch/LossTrend"].values.tolist() == [1.0]
    assert view["Epoch/APITokens"].values.tolist() == [10.0, 10.0]


def test_histograms_actions_texts_tables_and_samples_come_back(start):
    run = start()
    rng = np.random.default_rng(0)
    data = rng.normal(size=1000)
    data[0] = np.nan
    run.log_histogram("advantages", data, step=4)
    run.log_histogram("empty", [np.nan], step=4)
    run.log_actions([3, 1, 0], step=4)
    run.log_text("note", "hello | world", step=5)
    run.log_table("t", ["a", "b"], [[1, "x|y"]], step=5)
    run.log_samples(
        {"prompt": ["p1", "p2"], "completion": ["c1", "c2"], "reward": [0.1, 0.9]}, step=6
    )
    run.log_samples({"prompt": "p3", "reward": 1.0}, step=7)

    view = finished(run)

    [histogram] = view.histograms("advantages")
    assert histogram.counts.sum() == 999
    assert histogram.total == pytest.approx(np.nansum(data))
    assert view.histograms("empty") == []
    assert view["action_replica_0"].values.tolist() == [0.75]
    assert [h.counts.tolist() for h in view.histograms("Actions/replica_1")] == [[3.0, 1.0]]
    assert view.texts("note")[0].text == "hello | world"
    assert "x\\|y" in view.texts("t")[0].text
    assert [(s.step, s.fields["prompt"]) for s in view.samples()] == [
        (6, "p1"),
        (6, "p2"),
        (7, "p3"),
    ]


@pytest.mark.parametrize("counts", [[0, 0], [-1, 2], [np.nan], []])
def test_impossible_action_counts_are_warned_about(start, counts):
    run = start()
    with pytest.warns(RunvitalsWarning, match="action counts must be"):
        run.log_actions(counts)


def test_progress_is_a_file_that_survives_and_is_resumed(start):
    run = start(id="r")
    run.progress(completed_chunks=3, requests_done=1200, latest_checkpoint="ckpt-3", total_steps=10)
    run.flush()
    content = json.loads((run.folder / "training_progress.json").read_text())
    run.finish()

    assert content["completed_chunks"] == 3
    assert start(id="r", resume=True).progress()["latest_checkpoint"] == "ckpt-3"


@dataclasses.dataclass
class Optim:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)


class Pydantic:
    def model_dump(self):
        return {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("config", "flat"),
    [
        ({"a": {"b": 1, "c": [1, 2]}}, {"a.b": 1, "a.c": [1, 2]}),
        (argparse.Namespace(lr=1, opt=Optim()), {"lr": 1, "opt.lr": 0.1, "opt.betas": [0.9, 0.99]}),
        (Optim(lr=2.0), {"lr": 2.0, "betas": [0.9, 0.99]}),
        (Pydantic(), {"a.b": 1}),
        (None, {}),
        ({"f": print, "big": 2**100, "nan": float("nan"), 3: np.float32(0.5)},
         {"f": "print", "big": str(2**100), "nan": "nan", "3": 0.5}),
        ({"openai_api_key": "sk-123", "max_tokens": 5, "n": {"password": "x"}},
         {"openai_api_key": "***", "max_tokens": 5, "n.password": "***"}),
    ],
)  # fmt: skip
def test_config_of_any_kind_is_flattened(config, flat):
    assert flat_config(config) == flat


def test_config_is_written_and_can_grow(start):
    run = start(config=Optim())
    run.update_config({"late": {"x": 1}}, seed=3)

    assert finished(run).config == {"lr": 0.1, "betas": [0.9, 0.99], "late.x": 1, "seed": 3}


def test_a_config_without_end_is_cut():
    loop: dict = {}
    loop["again"] = loop

    assert len(json.dumps(flat_config(loop))) < 100_000


def test_provenance_names_the_commit_and_no_secrets(tmp_path, monkeypatch):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    (tmp_path / "a").write_text("1")
    for words in (["init", "-q"], ["add", "a"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    clean = git_state(tmp_path)
    (tmp_path / "a").write_text("2")
    dirty = git_state(tmp_path)
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setattr("sys.argv", ["train.py", "--api-key", "hunter2"])
    monkeypatch.chdir(tmp_path)

    found = capture({"env.seed": 5, "lr": 1})

    assert clean is not None
    assert (len(clean["commit"]), clean["dirty"]) == (40, False)
    assert dirty is not None
    assert dirty["dirty"] is True
    assert found["git"]["commit"] == clean["commit"]
    assert found["seeds"]["env.seed"] == 5
    assert found["environment"]["CUDA_VISIBLE_DEVICES"] == "0"
    assert "hunter2" not in json.dumps(found)
    assert git_state(tmp_path.parent) is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, (0, 1)),
        ({"RANK": "2", "WORLD_SIZE": "4"}, (2, 4)),
        ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}, (1, 2)),
        ({"SLURM_PROCID": "0"}, (0, 1)),
        ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, (3, 4)),
        ({"RANK": "x", "WORLD_SIZE": ""}, (0, 1)),
    ],
)
def test_the_rank_is_read_from_the_launcher(environment, expected):
    found = this_worker(environment)

    assert (found.rank, found.world_size) == expected


def test_the_system_sampler_gives_the_host_and_process_numbers(tmp_path):
    sampler = SystemSampler(tmp_path)
    time.sleep(0.05)
    found = sampler.sample()

    assert 0 < found["System/Memory_Percent"] <= 100
    assert found["System/Process_Memory_GB"] > 0.01
    assert found["System/Memory_Used_GB"] + found["System/Memory_Available_GB"] > 0.5
    assert 0 <= found["System/CPU_Percent"] <= 100


def test_the_cpu_use_of_children_is_not_that_of_others(monkeypatch, tmp_path):
    import runvitals.recorder.chores as system

    seconds = iter([0.0, 0.0, 0.6, 0.4])  # of the process and its child, at the start and now
    busy = SimpleNamespace(idle=8.0, iowait=2.0, steal=5.0)

    class Process:
        pid = 1

        def children(self, recursive):
            return [Child()] if recursive else []

        def cpu_times(self):
            return SimpleNamespace(user=next(seconds), system=0.0)

    class Child(Process):
        pid = 2

    monkeypatch.setattr(system.psutil, "cpu_times_percent", lambda _: busy)
    monkeypatch.setattr(system.psutil, "cpu_count", lambda: 2)
    monkeypatch.setattr(
        system, "time", SimpleNamespace(monotonic=iter([0.0] * 2 + [1.0] * 2).__next__)
    )
    found = system._CpuShares(Process()).sample()

    assert found == {
        "System/CPU_Percent": 90.0,
        "System/Other_CPU_Percent": pytest.approx(90.0 - 5.0 - 50.0),
        "System/CPU_Steal_Percent": 5.0,
    }


def test_gpu_numbers_are_summed_and_listed(monkeypatch, tmp_path):
    import runvitals.recorder.chores as system

    class Stand:
        def __init__(self, used, use):
            self.reading = {"used": used, "total": 40.0, "use": use}

        def read(self):
            return self.reading

    monkeypatch.setattr(system, "open_gpus", lambda: [Stand(10.0, 90.0), Stand(30.0, 10.0)])
    found = SystemSampler(tmp_path).sample()

    assert found["System/GPU_Memory_Used_GB"] == 40.0
    assert found["System/GPU_Memory_Percent"] == 50.0
    assert found["System/GPU_Utilization"] == 50.0
    assert found["System/GPU1_Utilization"] == 10.0


def test_a_run_samples_the_system_by_itself(start, until):
    run = start(system=0.05)

    def is_sampled():
        run.flush()
        return "System/CPU_Percent" in open_folder(run.folder)

    until(is_sampled)
    with pytest.raises(ConfigError):
        start(system=-1.0)


def test_what_was_noted_after_the_row_that_a_run_goes_on_from_does_not_count() -> None:
    again, behind = PendingValues(), PendingValues()
    for pending in (again, behind):
        pending.restore({"env_steps": 128.0}, None, last_step=128)
        pending.count({"env_steps": 128})

    assert again.take(step=128)["progress/env_steps"] == 128.0  # the lost row was never stored
    assert behind.take(step=256)["progress/env_steps"] == 256.0
