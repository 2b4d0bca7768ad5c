import pytest

from runvitals.catalog.outcome_words import outcome_by_words


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("reward", "reward/mean"),
        ("avg_reward", "reward/mean"),
        ("train/reward", "reward/mean"),
        ("Total Reward", "outcome/return_mean"),
        ("episode_return", "outcome/return_mean"),
        ("val/reward", "eval/return_mean"),
        ("success", "outcome/success_rate"),
        ("reward/correctness_f", "outcome/success_rate"),
        ("test_success_rate", "eval/success_rate"),
        ("score", "outcome/score_mean"),
    ],
)
def test_names_that_speak_of_success(name, metric):
    assert outcome_by_words(name) == metric


@pytest.mark.parametrize(
    "name",
    [
        "reward_std",
        "reward_loss",
        "reward_scale",
        "baseline_reward",
        "noop_penalty",
        "valid_action",
        "loss",
        "learning_rate",
        "",
    ],
)
def test_names_that_do_not(name):
    assert outcome_by_words(name) is None
