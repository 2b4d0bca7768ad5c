import numpy as np
import pytest
from tests.rules.reward.curves import collapsing, learning, solved, stuck, wandering, worsening

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import make_run

DRIFTING = 0.45 + 0.003 * np.cumsum(np.random.default_rng(7).normal(0.8, 1, 26))


def verdict(outcome, name="outcome/return_mean"):
    return judge_by_rules(
        make_run({name: outcome}, every=10, algorithm="PPO"), since_when=False
    ).verdict


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (learning(), "learning"),
        (solved(), "learned"),
        (collapsing(), "collapsed"),
        (worsening(), "not learning"),
        (stuck(), "not learning"),
        (np.r_[learning(30), [420.0] * 60], "learned"),
        (stuck(3), "too early to tell"),
        (stuck(6), "cannot tell"),
        (20 + 6 * wandering(10, lag_1=0.95), "cannot tell"),
    ],
)
def test_the_word_follows_the_outcome(outcome, word):
    assert verdict(outcome).word == word


def test_a_sure_rise_that_hardly_matters_is_none():
    found = verdict(DRIFTING, "eval/score_mean")

    assert found.word != "learning"


@pytest.mark.parametrize("seed", range(20))
def test_a_run_is_called_not_learning_only_with_a_finding(seed):
    rng = np.random.default_rng(seed)
    outcome = np.cumsum(rng.normal(size=int(rng.integers(12, 200))))
    found = judge_by_rules(
        make_run({"outcome/return_mean": outcome}, algorithm="PPO"), since_when=False
    )

    assert found.verdict.word not in ("not learning", "collapsed") or found.alarms


def test_no_good_word_stands_beside_an_alarm_about_the_outcome():
    rise = np.linspace(0.55, 0.95, 40)
    run = make_run(
        {
            "preference/accuracy": rise,
            "preference/loss": 0.69 - 0.4 * rise,
            "eval/preference/accuracy": np.full(40, 0.2) + 0.01 * np.sin(np.arange(40)),
        },
        every=10,
        algorithm="DPO",
    )
    found = judge_by_rules(run, since_when=False)

    assert found.alarms
    assert found.verdict.word not in ("learning", "learned")


@pytest.mark.parametrize(
    ("series", "algorithm", "word"),
    [
        (
            {
                "lm/loss": 2.8 * 0.9 ** np.arange(60.0) + 0.02,
                "progress/epoch": np.linspace(0, 60, 60),
            },
            "SFT",
            "overfitting",
        ),
        (
            {"outcome/return_mean": 20 + 2 * wandering(60), "optim/learning_rate": np.zeros(60)},
            "PPO",
            "not learning",
        ),
        (
            {"outcome/return_mean": learning(60), "eval/return_mean": 15 + 3 * wandering(60)[::15]},
            "PPO",
            "learning",
        ),
    ],
    ids=["known by heart", "rate of 0", "few evaluations"],
)
def test_a_finding_that_says_what_the_gain_is_worth_decides(series, algorithm, word):
    found = judge_by_rules(make_run(series, every=10, algorithm=algorithm), since_when=False)

    assert found.verdict.word == word, found.verdict.reason


def test_a_single_wild_last_point_is_not_where_the_run_is():
    values = np.r_[solved(), 20.0]

    found = verdict(values)

    assert found.word == "learned"
    assert found.levels.now > 400


@pytest.mark.parametrize(
    ("outcome", "chance"),
    [
        (np.linspace(20, 300, 120), 0.99),
        (np.r_[np.linspace(20, 300, 80), np.linspace(300, 20, 80)], 0.99),
        (np.linspace(20, 300, 60), None),
        (np.full(200, 50.0), None),
    ],
    ids=["rises", "falls back", "too few rows to know", "stands still"],
)
def test_a_chance_stands_beside_the_word_where_it_is_known_to_be_right(outcome, chance):
    noise = np.random.default_rng(0).normal(0, 5, len(outcome))

    found = verdict(outcome + noise)

    assert found.chance == chance
    assert found.headline == (found.word if chance is None else f"{found.word} (99%)")
