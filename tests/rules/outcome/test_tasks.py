"""Known tasks with another reward than their own."""

import numpy as np
import pytest

from runvitals.rules.outcome.tasks import TASKS, task_of
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

    health = Patient(run).health

    assert (health.word, health.plot) == ("not learning", "worse")
    assert "CartPole with the sign turned" in health.reason
    assert [one.severity for one in check(run, "REW011")] == ["critical"]


def test_a_faster_way_through_an_unknown_task_is_success():
    assert Patient(run_of(-FASTER, FASTER, "GridWorld-v0")).health.good


def test_episodes_longer_than_the_task_has_are_of_another_task():
    run = run_of(np.linspace(1, 8, 60) + NOISE, [1000.0] * 60, "Acrobot-v1")

    assert Patient(run).health.good


def test_an_evaluation_that_rises_outweighs_a_turned_reward():
    rises = np.linspace(20, 480, 60)

    assert Patient(run_of(-FASTER, FASTER, **{"eval/return_mean": rises})).health.plot != "turned"


def test_a_bonus_that_rises_while_no_episode_reaches_the_goal_is_not_success():
    run = run_of(np.linspace(150, 500, 60) + NOISE, [200.0] * 60, "MountainCar-v0")

    health = Patient(run).health

    assert (health.word, health.plot) == ("not learning", "missed")
    assert "in MountainCar shorter episodes are better" in health.reason
    assert check(run, "REW001")


def test_a_shaped_reward_whose_episodes_reach_the_goal_is_success():
    lengths = np.linspace(200, 120, 60) + NOISE

    assert Patient(run_of(np.linspace(150, 500, 60), lengths, "MountainCar-v0")).health.good


def test_what_matters_of_a_task_with_a_known_ceiling_is_a_share_of_it():
    """In CartPole, 20 to 23 of 500 is nothing, however sure it is."""
    returned = np.linspace(20, 23, 80) + 0.3 * np.random.default_rng(0).standard_normal(80)
    series = {"outcome/return_mean": returned}

    known = Patient(make_run(series, config={"env_id": "CartPole-v1"}))

    assert known.health.word == "not learning"
    assert Patient(make_run(series)).health.good
