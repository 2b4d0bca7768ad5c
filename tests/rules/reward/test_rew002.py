import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs, solved, stuck, wandering

from runvitals.testing import check, make_run

RISES = solved() / 500


def run(reward, **service):
    series = {f"env/metric{{name={name}}}": values for name, values in service.items()}
    return make_run({"reward/mean": reward, **series}, every=10, algorithm="PPO")


def test_fires_when_only_the_reward_gets_better():
    latency = 0.8 * (1 + 0.005 * wandering())
    [finding] = check(run(RISES, latency=latency, throughput=5 - 0.5 * RISES), "REW002")

    assert finding.severity == "warning"
    assert finding.series == "reward/mean"
    assert "throughput" in finding.message
    assert finding.span.last == 800


@pytest.mark.parametrize(
    ("reward", "service"),
    [
        (RISES, {"latency": 1.0 - 0.5 * RISES}),
        (RISES, {"throughput": 5 + RISES, "latency": np.full(80, 0.8)}),
        (stuck(), {"latency": np.full(80, 0.8)}),
        (RISES, {"temperature": np.full(80, 0.8)}),
        (RISES[:20], {"latency": np.full(20, 0.8)}),
    ],
    ids=["latency falls", "throughput rises", "reward flat", "no service metric", "too short"],
)
def test_stays_silent(reward, service):
    assert check(run(reward, **service), "REW002") == []


def test_survives_odd_values():
    for odd in odd_runs("reward/mean", "env/metric{name=latency}"):
        check(odd, "REW002")


LATENCY = 8 * (1 - 0.3 * RISES) * (1 + 0.02 * wandering())
SERVED = 2 + 0.05 * wandering(seed=3)


def with_part(paid, served=SERVED):
    made = run(RISES, latency=LATENCY, throughput=served)
    series = {name: made[name].values for name in made.names()}
    part = {"reward/component_mean{component=Throughput}": np.asarray(paid)}
    return make_run(series | part, every=10, algorithm="PPO")


def test_a_part_that_no_longer_follows_its_measure_is_a_notice():
    paid = np.where(np.arange(80) < 12, 0.19 + 0.001 * np.arange(80) / 12, 0.2)

    [finding] = check(with_part(paid), "REW002")

    assert finding.severity == "notice"
    assert "pays exactly 0.2 at the last 68 points" in finding.message
    assert finding.span.first == 130


@pytest.mark.parametrize(
    ("paid", "served"),
    [(0.1 * SERVED, SERVED), (np.full(80, 0.2), np.full(80, 2.0))],
    ids=["follows", "both still"],
)
def test_a_part_that_follows_its_measure_is_silent(paid, served):
    assert check(with_part(paid, served), "REW002") == []
