"""Known tasks whose reward has its sign turned."""

import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.rules.known_tasks import TASKS, task_of
from runvitals.rules.patient import Patient
from runvitals.testing import check, make_run

NOISE = np.random.default_rng(0).normal(0, 0.3, 60)
FASTER = 21.0 - 12.0 * np.minimum(1.0, np.arange(60) / 10) + NOISE  # episodes that end ever sooner


def run_of(returns, lengths, env="CartPole-v1", **more):
    series = {"outcome/return_mean": returns, "outcome/episode_length_mean": lengths, **more}
    return make_run(series, every=1024, algorithm="PPO", config={"env_id": env})


@pytest.mark.parametrize(
    ("env", "title"),
    [
        ("CartPole-v1", "CartPole"),
        ("gym/Cart_Pole", "CartPole"),
        ("MountainCar-v0", "MountainCar"),
        ("MountainCarContinuous-v0", None),
        ("InvertedDoublePendulum-v5", None),
        ("cartpole-swingup", None),
        ("Hopper-v5", None),
    ],
)
def test_a_task_is_known_by_its_name(env, title):
    found = task_of(Patient(run_of(FASTER, FASTER, env)))

    assert (found and found.title) == title


def test_a_task_is_known_by_the_name_of_the_run():
    run = make_run({"outcome/return_mean": FASTER})
    run.name = "ppo-acrobot-3"

    assert task_of(Patient(run)) is TASKS["acrobot"]


def test_a_turned_reward_is_not_success():
    run = run_of(-FASTER, FASTER)

    found = judge_by_rules(run, since_when=False)

    assert found.verdict.word == "not learning"
    assert "CartPole with the sign turned" in found.verdict.reason
    assert [one.severity for one in check(run, "REW011")] == ["critical"]


def test_a_faster_way_through_an_unknown_task_is_success():
    assert Patient(run_of(-FASTER, FASTER, "GridWorld-v0")).health.good


def test_an_evaluation_that_rises_outweighs_a_turned_reward():
    rises = np.linspace(0.05, 0.9, 60)

    assert check(run_of(-FASTER, FASTER, **{"eval/success_rate": rises}), "REW011") == []
