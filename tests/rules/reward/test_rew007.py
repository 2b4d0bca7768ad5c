import numpy as np
import pytest
from tests.rules.reward.curves import around, learning, odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)


def run(outcome, **reward):
    series = {f"reward/{name}": values for name, values in reward.items()}
    return make_run({"outcome/return_mean": outcome, **series}, every=10, algorithm="PPO")


def test_warns_when_the_spread_grows_and_nothing_gets_better():
    [finding] = check(run(stuck(), std=np.exp(4 * T) * around(1.0)), "REW007")

    assert finding.severity == "warning"
    assert "times its early level" in finding.message
    assert finding.span.last == 800


def test_a_spread_that_outgrows_a_better_outcome_is_a_notice():
    seen = run(20 + 4 * T, std=np.exp(4 * T) * around(1.0), mean=2 + 0.4 * T)

    [finding] = check(seen, "REW007")

    assert finding.severity == "notice"
    assert finding.message.endswith("outcome/return_mean is holding up so far")


@pytest.mark.parametrize("mean", [20 + 400 * T, 0.01 + 0.2 * T], ids=["return", "share"])
def test_a_spread_that_grows_with_its_mean_is_fine(mean):
    seen = run(learning(), std=(0.02 + np.abs(mean) / 4) * around(1.0), mean=mean)

    assert check(seen, "REW007") == []


def teacher(variance, reward):
    seen = make_run({"reward/mean": reward, "reward/var": variance}, algorithm="REINFORCE")
    seen.framework = "teacher-tuner"
    return seen


def test_the_variance_of_a_teachers_scores_has_a_limit():
    rising, still = np.linspace(0.4, 0.9, 80), 0.4 + 0.01 * wandering()

    [sign] = check(teacher(around(0.02), rising), "REW007")
    [harm] = check(teacher(around(0.02), still), "REW007")

    assert (sign.severity, harm.severity) == ("notice", "warning")
    assert sign.limit.value == 0.01
    assert check(teacher(around(0.005), still), "REW007") == []
    assert check(teacher(around(0.02, seed=1) * (1 - 0.8 * T), rising), "REW007") == []


def histograms(values, outcome):
    return make_run(
        {"outcome/return_mean": outcome}, algorithm="PPO", histograms={"env/reward_dist": values}
    )


@pytest.mark.parametrize(
    ("outcome", "severity"), [(solved(), "notice"), (stuck(), "warning")], ids=["fine", "stuck"]
)
def test_a_histogram_of_rewards_shows_long_tails(outcome, severity):
    tailed = np.random.default_rng(1).standard_t(1.3, size=(20, 300))

    [finding] = check(histograms(tailed, outcome), "REW007")

    assert finding.severity == severity
    assert "long tails" in finding.message
    assert finding.series == "env/reward_dist"


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(1).normal(size=(20, 300)),
        np.random.default_rng(1).laplace(size=(20, 300)),
        (np.random.default_rng(1).random((20, 300)) < 0.02).astype(float),
    ],
    ids=["normal", "Laplace", "seldom paid"],
)
def test_balanced_histograms_of_rewards_are_fine(values):
    assert check(histograms(values, stuck()), "REW007") == []


def test_takes_a_limit_for_the_variance():
    seen = make_run(
        {"reward/mean": 0.5 + 0.3 * T, "reward/var": np.full(80, 0.04)}, algorithm="GRPO"
    )

    [finding] = check(seen, "REW007", variance_max=0.01)

    assert finding.severity == "warning"
    assert finding.limit.value == 0.01
    assert check(seen, "REW007") == []


@pytest.mark.parametrize(
    ("outcome", "reward"),
    [
        (learning(), {"std": np.exp(4 * T) * around(1.0)}),
        (solved(), {"std": around(20.0), "mean": np.full(80, 1.0)}),
        (stuck(), {"std": around(1.0)}),
        (
            stuck(),
            {"std": around(1.0), "mean": np.full(80, 0.01), "min": [0.0] * 80, "max": [1.0] * 80},
        ),
        (stuck(10), {"std": np.exp(np.arange(10.0))}),
    ],
    ids=["grows with the return", "does well", "steady", "sparse reward", "too short"],
)
def test_raises_no_alarm(outcome, reward):
    assert not any(f.is_alarm for f in check(run(outcome, **reward), "REW007"))


def test_survives_odd_values():
    for odd in odd_runs(
        "reward/mean", "reward/std", "reward/min", "reward/max", "outcome/return_mean"
    ):
        check(odd, "REW007")
        check(odd, "REW007", variance_max=0.1)
