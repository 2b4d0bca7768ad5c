"""The learning rate of a run, and whether it is one that its optimiser can bear."""

import pytest

from runvitals.rules.learning_rate.used import (
    causes_with_rate,
    learning_rate,
    lower_first,
    rate_hint,
    suspect,
)
from runvitals.rules.patient import Patient
from runvitals.testing import make_run


def patient(series=None, algorithm="PPO", **config):
    return Patient(make_run(series or {}, algorithm=algorithm, config=config))


def test_a_logged_rate_counts_more_than_the_settings():
    one = patient({"optim/learning_rate": [0.0, 0.05, 0.1, 0.05]}, learning_rate=3e-4)

    rate = learning_rate(one)

    assert (rate.value, rate.source) == (0.1, "optim/learning_rate")


def test_the_settings_tell_where_a_rounded_log_says_zero():
    one = patient({"optim/learning_rate": [0.0] * 5}, learning_rate=3e-4)

    rate = learning_rate(one)

    assert (rate.value, rate.series, rate.level) == (3e-4, None, "usual")


def test_a_rate_of_zero_in_the_log_alone_is_zero():
    assert learning_rate(patient({"optim/learning_rate": [0.0] * 5})).level == "zero"


def test_the_largest_of_several_groups_of_parameters_counts():
    one = patient({"optim/learning_rate{g=0}": [1e-5] * 3, "optim/learning_rate{g=1}": [1e-3] * 3})

    assert learning_rate(one).value == 1e-3


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ([1.0, 0.5, 0.0], None),
        ([0.0, 0.5, 1.0], None),
        ([1.0] * 3, 1.0),
        ([0.005] * 20 + [1.0] * 10, 1.0),
    ],
    ids=["a factor that decays", "a factor that warms up", "a rate of 1", "a jump to 1"],
)
def test_a_schedule_that_peaks_at_exactly_one_is_a_factor(values, known):
    rate = learning_rate(patient({"optim/learning_rate": values}))

    assert (rate and rate.value) == known


def test_without_evidence_there_is_no_rate():
    assert learning_rate(patient()) is None
    assert rate_hint(patient()) == ""
    assert suspect(patient()) is None


@pytest.mark.parametrize(
    ("algorithm", "optimizer", "rate", "level"),
    [
        ("PPO", None, 3e-4, "usual"),
        ("PPO", None, 0.005, "high"),
        ("PPO", None, 0.03, "absurd"),
        ("DQN", None, 0.1, "absurd"),
        ("REINFORCE", None, 0.01, "usual"),
        ("REINFORCE", None, 0.1, "absurd"),
        ("GRPO", None, 1e-6, "usual"),
        ("GRPO", "adamw_torch", 0.08, "absurd"),
        ("SFT", "adamw_torch_fused", 2e-4, "usual"),
        ("SFT", "sgd", 0.1, "usual"),
        ("SFT", "adafactor", 0.01, "usual"),
        ("SFT", "prodigy", 1.0, "usual"),
        ("SFT", "Muon", 0.02, "usual"),
        ("SFT", "SGD", 30.0, "absurd"),
        ("Q-learning table", None, 0.5, "usual"),
        (None, None, 0.1, "usual"),
        (None, "Adam", 0.1, "absurd"),
    ],
)
def test_what_is_usual_depends_on_optimiser_and_training(algorithm, optimizer, rate, level):
    one = patient(algorithm=algorithm, learning_rate=rate, optimizer=optimizer)

    assert learning_rate(one).level == level


def test_the_critic_has_its_own_rate():
    one = patient(learning_rate=3e-4, critic_lr=0.5)

    assert learning_rate(one, of_critic=True).value == 0.5
    assert learning_rate(one).value == 3e-4


def test_an_absurd_rate_comes_first_in_advice_and_causes():
    sick, fine = patient(learning_rate=0.1), patient(learning_rate=3e-4)
    causes = ("entropy bonus too small", "learning rate or epochs too high")

    assert lower_first(sick, "raise the entropy bonus") == (
        "lower the learning rate of 0.1 to 0.003 or less first"
    )
    assert lower_first(fine, "raise the entropy bonus") == "raise the entropy bonus"
    assert causes_with_rate(sick, causes) == (
        "the learning rate is 0.1; up to 0.003 is usual for reinforcement learning with Adam",
        "entropy bonus too small",
    )
    assert causes_with_rate(fine, causes) == causes
    assert rate_hint(fine) == " (this run: 0.0003)"
