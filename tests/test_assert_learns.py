"""`assert_learns`, for tests that train for a minute."""

import numpy as np
import pytest

import runvitals as rv
from runvitals.testing import assert_learns, make_run

RISING = np.linspace(10, 200, 80) + np.random.default_rng(0).normal(0, 3, 80)
FLAT = 10 + np.random.default_rng(0).normal(0, 3, 80)


def test_a_run_that_learns_passes_and_gives_its_diagnosis():
    found = assert_learns(make_run({"outcome/return_mean": RISING}, algorithm="PPO"))

    assert found.verdict.word in ("learning", "learned")


def test_a_run_that_does_not_learn_fails_with_the_verdict_and_the_findings():
    with pytest.raises(AssertionError, match=r"does not learn as it should\n.*outcome/return_mean"):
        assert_learns(make_run({"outcome/return_mean": FLAT}, algorithm="PPO"))


def test_an_alarm_fails_a_run_that_learns_unless_it_is_allowed():
    broken = make_run(
        {"outcome/return_mean": RISING, "preflight/no_gradient": {9: 64.0}}, algorithm="PPO"
    )

    with pytest.raises(AssertionError, match="PRE005 warning: 64 parameters got no gradient"):
        assert_learns(broken)
    assert_learns(broken, allow=["PRE005"])


def test_a_folder_will_do(tmp_path):
    with rv.init("smoke", dir=tmp_path, console=False, system=False, algorithm="PPO") as run:
        for step, value in enumerate(RISING):
            run.log({"outcome/return_mean": value}, step=step)

    assert_learns(run.folder)
