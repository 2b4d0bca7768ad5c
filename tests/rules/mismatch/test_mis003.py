import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(staleness, reward=FLAT, config=None):
    series = {"async/staleness_mean": staleness, "reward/score_mean": reward}
    return make_run(series, algorithm="GRPO", config=config)


def test_fires_on_samples_far_too_old():
    [finding] = check(run([12.0] * 60), "MIS003")

    assert finding.severity == "warning"
    assert finding.message == "samples are 12 weight versions old"


def test_is_a_notice_while_the_run_learns():
    assert check(run([12.0] * 60, RISING), "MIS003")[0].severity == "notice"


def test_takes_the_bound_of_the_run():
    [finding] = check(run([3.0] * 60, config={"staleness_threshold": 4}), "MIS003")

    assert finding.limit.value == 2.0
    assert finding.limit.from_run


@pytest.mark.parametrize(
    "staleness",
    [[0.0] * 60, 1 + RNG.random(60), [20.0] * 5, [np.nan] * 60, [10.0] * 20 + [1.0] * 40],
    ids=["synchronous", "one behind", "too short", "all nan", "early only"],
)
def test_stays_silent(staleness):
    assert check(run(staleness), "MIS003") == []
