"""The callback of Stable-Baselines3, on real agents."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.frameworks.adapted import QUIET, codes, recorded, settings, stopped

import runvitals as rv

sb3 = pytest.importorskip("stable_baselines3", reason="needs stable-baselines3")
torch = pytest.importorskip("torch", reason="needs torch")

from benchmarks.recording.trained.agents import agent  # noqa: E402
from stable_baselines3.common.callbacks import EvalCallback  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.logger import configure  # noqa: E402

from runvitals.integrations.sb3 import RunvitalsCallback, RunvitalsWriter  # noqa: E402

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def ppo(learning_rate, env="CartPole-v1", **more):
    envs = make_vec_env(env, 8, seed=0)
    chosen = {"n_steps": 64, "batch_size": 128, "n_epochs": 6, "seed": 0, "device": "cpu", **more}
    return sb3.PPO("MlpPolicy", envs, learning_rate=learning_rate, **chosen)


def test_a_healthy_ppo_is_recorded_with_what_sb3_logs_and_what_it_does_not(tmp_path):
    callback = RunvitalsCallback(dir=tmp_path / "runs", **QUIET)
    evaluation = EvalCallback(
        make_vec_env("CartPole-v1", 1), eval_freq=320, n_eval_episodes=3, verbose=0
    )
    model = ppo(2e-3)
    model.set_logger(configure(str(tmp_path / "sb3"), ["csv"]))

    model.learn(10_240, callback=[callback, evaluation])

    run = recorded(callback.folder)
    assert (run.framework, run.algorithm, run.status) == ("stable-baselines3", "PPO", "finished")
    assert run.project == "CartPole-v1"
    settings(run, learning_rate=2e-3, gamma=0.99, clip_range=0.2, env_id="CartPole-v1", n_envs=8)
    with (tmp_path / "sb3" / "progress.csv").open() as file:
        logged = [row for row in csv.DictReader(file) if row["train/approx_kl"]]
    told = [float(row["train/approx_kl"]) for row in logged]
    np.testing.assert_allclose(run["policy/approx_kl"].values, told, rtol=1e-6)
    assert run["eval/return_mean"].steps.tolist() == [2560, 5120, 7680, 10_240]
    assert run["eval/return_mean"].last == evaluation.last_mean_reward
    for name in ("optim/grad_norm", "optim/update_norm", "outcome/return_std"):
        assert np.isfinite(run[name].values).all(), name
    shares = [run[f"action_policy_{i}"].values for i in (0, 1)]
    np.testing.assert_allclose(shares[0] + shares[1], 1.0)
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()


def test_a_sick_ppo_is_stopped_and_the_run_says_by_what(tmp_path):
    callback = RunvitalsCallback(dir=tmp_path, stop_on="warning", **QUIET)
    model = ppo(0.5)

    model.learn(400_000, callback=callback)

    assert model.num_timesteps < 400_000
    run = recorded(callback.folder)
    assert run.status == "stopped"
    assert run.stopped_by
    assert {"LR002", "KL001", "KL002", "POL001", "CLIP001", "GRAD001"} & codes(run)


def test_gradient_norms_are_those_before_clipping(tmp_path):
    model = ppo(1e-3, max_grad_norm=1e-6, n_epochs=1)
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)

    model.learn(1024, callback=callback)

    norms = recorded(callback.folder)["optim/grad_norm"].values
    assert (norms > 1e-3).all()
    assert not model.policy.optimizer._optimizer_step_pre_hooks, "the hooks are gone"


@pytest.mark.parametrize(
    ("kind", "env", "chosen"),
    [
        ("DQN", "CartPole-v1", {"learning_starts": 100}),
        ("SAC", "Pendulum-v1", {"learning_starts": 100, "policy_kwargs": {"net_arch": [16]}}),
        ("A2C", "CartPole-v1", {}),
    ],
)
def test_other_algorithms(kind, env, chosen, tmp_path):
    model = getattr(sb3, kind)("MlpPolicy", env, device="cpu", **chosen)
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)

    model.learn(420, callback=callback, log_interval=1)

    run = recorded(callback.folder)
    assert run.algorithm == kind
    settings(run, env_id=env, learning_rate=model.learning_rate, gamma=0.99)
    gradient = "value/grad_norm" if kind == "SAC" else "optim/grad_norm"
    assert run[gradient].last > 0


@pytest.mark.parametrize(("kind", "rate"), [("DQN", 1.0), ("SAC", 0.1)])
def test_a_sick_agent_of_another_kind_is_stopped(kind, rate, tmp_path):
    run = stopped(agent, tmp_path, 200_000, kind=kind, steps=200_000, learning_rate=rate)

    assert run.algorithm == kind


def test_learning_goes_on_in_the_same_run_and_a_new_start_is_a_new_one(tmp_path):
    model = ppo(1e-3, n_epochs=1)
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)

    model.learn(1024, callback=callback)
    first = callback.folder
    model.learn(1024, callback=callback, reset_num_timesteps=False)
    second = callback.folder
    model.learn(1024, callback=callback)

    assert first == second != callback.folder
    assert recorded(first)["progress/env_steps"].values.tolist() == [512, 1024, 1536, 2048]
    assert recorded(callback.folder)["progress/env_steps"].values.tolist() == [512, 1024]


def test_a_schedule_is_kept_by_its_ends_and_a_run_of_the_user_is_joined(tmp_path):
    with rv.init(project="mine", dir=tmp_path, **QUIET) as mine:
        ppo(lambda left: 1e-3 * left, n_epochs=1).learn(512, callback=RunvitalsCallback())

        assert mine.status == "running"
        assert mine.config["learning_rate"] == 1e-3
        assert mine.config["learning_rate_at_end"] == 0.0
    content = json.loads((mine.folder / "run.json").read_text())
    assert (content["framework"], content["algorithm"]) == ("stable-baselines3", "PPO")


def test_a_logger_of_ones_own_takes_the_writer(tmp_path):
    from stable_baselines3.common.logger import Logger

    with rv.init(dir=tmp_path, framework="sb3", **QUIET) as run:
        model = ppo(1e-3, n_epochs=1)
        model.set_logger(Logger(None, output_formats=[RunvitalsWriter(run)]))
        model.learn(1024)

    assert len(recorded(run.folder)["policy/approx_kl"]) == 1  # the last update is not dumped
