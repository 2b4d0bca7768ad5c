import numpy as np
import pytest
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run

LEAK = np.concatenate([np.full(30, 2.0), np.linspace(2.0, 4.0, 70)])


def run(memory, **about):
    more = about.pop("more", {})
    return make_run({"system/process_memory_gb": memory, **more}, **about)


def test_fires_on_steady_growth():
    [finding] = check(run(LEAK + 0.01 * np.random.default_rng(0).normal(size=100)), "SYS003")

    assert finding.severity == "warning"
    assert "GB per 1,000 steps" in finding.message
    assert finding.span.first >= 30


def test_growth_at_the_start_is_none():
    start = np.concatenate([np.linspace(0.5, 6.0, 28), np.full(72, 6.0)])

    assert check(run(start), "SYS003") == []


def test_a_step_and_a_little_are_no_leak():
    assert check(run(np.repeat([2.0, 4.0], 50)), "SYS003") == []
    assert check(run(np.linspace(0.10, 0.15, 100)), "SYS003") == []
    assert check(run(np.linspace(20.0, 21.0, 100)), "SYS003") == []


def test_a_buffer_that_fills_is_a_notice():
    [finding] = check(
        run(LEAK, algorithm="DQN", every=100, config={"buffer_size": 1_000_000}), "SYS003"
    )

    assert finding.severity == "notice"


def test_longer_sequences_are_a_notice():
    length = {"length/response_mean": np.linspace(200, 900, 100)}

    [finding] = check(run(LEAK, more=length), "SYS003")

    assert finding.severity == "notice"


SHORT = np.linspace(0.15, 0.75, 10)


def test_fires_on_a_short_run_whose_memory_doubles_evenly():
    [finding] = check(run(SHORT), "SYS003")

    assert finding.severity == "warning"


def test_a_short_run_that_has_just_begun_may_still_be_loading():
    assert check(run(SHORT, status="running", total_steps=1000), "SYS003") == []
    assert check(run(np.linspace(0.5, 0.8, 10)), "SYS003") == []


def test_too_few_samples_to_tell():
    assert check(run([0.1, 0.2, 0.4]), "SYS003") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values), "SYS003") == []
