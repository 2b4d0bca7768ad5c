"""Folders of real runs: all of them open, and every file of a run leads to the same verdict."""

import pytest
from tests.outside import outside
from tests.readers.test_one_run import one_by_one, said

import runvitals as rv
from runvitals.model import ReadError

CORPUS = outside("corpus")


@pytest.mark.parametrize("start", ["sb3-a2c", "sb3-dqn", "sb3-ppo-cartpole", "trl-tiny"])
def test_every_format_of_a_real_run_gives_the_same_verdict(start):
    compared = 0
    for folder in sorted(path for path in CORPUS.glob(f"{start}*") if path.is_dir())[:6]:
        [run] = rv.open_runs(folder)
        for format, one in one_by_one(folder):
            # the table rounds to three digits, and rollouts are a few steps of the run
            if format not in ("sb3-table", "parquet-rollouts") and one.names():
                compared += 1
                assert said(one) == said(run), (folder.name, format)

    assert compared > 8


def test_every_log_of_the_corpus_opens_or_says_why_not():
    silent, refused, opened = [], {}, 0
    for top in (CORPUS, CORPUS / "public"):
        for folder in sorted(p for p in top.iterdir() if p.is_dir() and p.name != "public"):
            problems: list[ReadError] = []
            runs = rv.open_runs(folder, problems=problems)
            opened += bool(runs)
            if not runs:
                refused[folder.name] = [p.problem for p in problems]
                if not problems:
                    silent.append(folder.name)

    assert opened > 120
    assert set(refused) <= {"verl-crash-before-step1", "llamafactory-log-without-metrics"}
    assert not silent


@pytest.mark.parametrize(
    ("folder", "framework", "algorithm", "metric"),
    [
        ("sb3-ppo-cartpole-healthy-s0", "stable-baselines3", "PPO", "outcome/return_mean"),
        ("sb3-dqn-acrobot-healthy-s0", "stable-baselines3", "DQN", "outcome/return_mean"),
        ("sb3-sac-pendulum-healthy-s0", "stable-baselines3", "SAC", "outcome/return_mean"),
        ("trl-tiny-grpo", "trl", "GRPO", "policy/entropy"),
        ("trl-tiny-dpo", "trl", "DPO", "preference/margin"),
        ("verl-sim-grpo", "verl", None, "policy/kl_old"),
        ("rllib-ppo-cartpole-short-s0", "rllib", "PPO", "outcome/return_mean"),
        ("public/spinup-walker-ppo", "spinningup", None, "outcome/return_mean"),
    ],
)
def test_framework_and_algorithm_of_real_logs(folder, framework, algorithm, metric):
    run = rv.open_run(CORPUS / folder)

    assert run.framework == framework
    assert algorithm is None or run.algorithm == algorithm
    assert len(run[metric]) >= 3
