import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

USELESS = 0.02 * wandering()


def run(loss, explained, outcome, **about):
    series = {
        "value/loss": loss,
        "value/explained_variance": explained,
        "outcome/return_mean": outcome,
    }
    return make_run({**series, "returns/std": np.full(len(loss), 5.0)}, algorithm="PPO", **about)


def test_fires_on_a_critic_that_never_learns():
    [finding] = check(run(around(25.0), USELESS, stuck(), config={"value_coef": 0.0}), "VAL002")

    assert finding.severity == "warning"
    assert finding.causes[0] == "value_coef is 0"
    assert "explained variance" in finding.message


def test_is_a_notice_while_it_does_well():
    [finding] = check(run(around(25.0), 4.0 * USELESS, learning()), "VAL002")

    assert finding.severity == "notice"


def test_warns_about_a_critic_without_weight_even_if_the_outcome_does_well():
    seen = run(around(25.0), 4.0 * USELESS, learning(), config={"value_coef": 0.0})

    [finding] = check(seen, "VAL002")

    assert finding.severity == "warning"


@pytest.mark.parametrize(
    ("outcome", "config", "severity"),
    [
        (learning, {}, "notice"),
        (solved, {}, "notice"),
        (stuck, {}, "warning"),
        (learning, {"value_coef": 0.0}, "warning"),
    ],
    ids=["rises", "rose", "no rise", "no weight"],
)
def test_a_policy_may_do_without_a_critic_that_explains_nothing(outcome, config, severity):
    for seed in range(10):
        seen = run(around(25.0, seed=seed), 0.5 * USELESS, outcome(seed=seed), config=config)

        assert [one.severity for one in check(seen, "VAL002")] == [severity]


@pytest.mark.parametrize(
    ("loss", "explained"),
    [
        (25 * np.exp(-np.linspace(0, 3, 80)), USELESS),
        (around(25.0), 0.8 + USELESS),
        (around(25.0, 20), USELESS[:20]),
    ],
    ids=["loss falls", "explains well", "too short"],
)
def test_stays_silent(loss, explained):
    assert check(run(loss, explained, stuck(len(loss))), "VAL002") == []


def without_explained_variance(loss, outcome, **other):
    series = {"value/loss": loss, "outcome/return_mean": outcome, **other}
    return make_run(series, algorithm="PPO")


@pytest.mark.parametrize(
    ("outcome", "severity"), [(stuck(), "warning"), (20 + 0.2 * learning(), "notice")]
)
def test_a_loss_that_never_falls_is_enough_where_explained_variance_was_not_logged(
    outcome, severity
):
    seen = without_explained_variance(around(25.0), outcome, **{"returns/std": np.full(80, 5.0)})

    [finding] = check(seen, "VAL002")

    assert finding.severity == severity
    assert "never falls" in finding.message


@pytest.mark.parametrize(
    ("loss", "outcome"),
    [
        (25 * np.exp(-np.linspace(0, 2, 80)), stuck()),
        (around(25.0), learning()),
        (around(0.5), stuck()),
    ],
    ids=["falls", "falls beside the return", "is small beside the return"],
)
def test_stays_silent_without_explained_variance(loss, outcome):
    assert check(without_explained_variance(loss, outcome), "VAL002") == []


def test_says_nothing_of_returns_that_do_not_vary():
    seen = make_run(
        {
            "value/loss": around(1e-4),
            "value/explained_variance": USELESS,
            "outcome/return_mean": [-100.0] * 80,
            "returns/mean": [-50.0] * 80,
            "returns/std": [0.01] * 80,
        },
        algorithm="PPO",
    )

    assert check(seen, "VAL002") == []


def test_survives_odd_values():
    for odd in odd_runs(
        "value/loss", "value/explained_variance", "outcome/return_mean", "returns/std"
    ):
        check(odd, "VAL002")


def test_a_loss_that_halves_amid_noise_is_not_said_to_stay():
    rng = np.random.default_rng(8)
    loss = np.where(np.arange(111) < 40, 56.0, 28.0) * np.exp(1.2 * rng.standard_normal(111))
    returns = stuck(111) + 5 * rng.standard_normal(111)
    seen = make_run({"value/loss": loss, "outcome/return_mean": returns}, algorithm="PPO")

    assert not check(seen, "VAL002")
