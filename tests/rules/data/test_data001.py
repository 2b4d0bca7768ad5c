import pytest
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run

FULL = {
    "learning_rate": 3e-4,
    "seed": 1,
    "clip_range": 0.2,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "ent_coef": 0.0,
    "vf_coef": 0.5,
}


def run(config, values=(1.0,) * 30):
    return make_run({"policy/approx_kl": values}, algorithm="PPO", config=config)


def test_tells_what_is_missing():
    [finding] = check(run({key: FULL[key] for key in ("learning_rate", "gamma")}), "DATA001")

    assert finding.severity == "notice"
    assert "seed" in finding.message
    assert "gamma," not in finding.message


def test_tells_that_nothing_was_logged():
    [finding] = check(run({}), "DATA001")

    assert "no settings" in finding.message


def test_silent_when_all_is_there():
    assert check(run(FULL), "DATA001") == []


def test_a_logged_learning_rate_counts():
    series = {"optim/learning_rate": [3e-4] * 30, "lm/loss": [1.0] * 30}
    config = {"seed": 1, "batch_size": 8}

    assert check(make_run(series, algorithm="SFT", config=config), "DATA001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert all(finding.severity == "notice" for finding in check(run({}, values), "DATA001"))
