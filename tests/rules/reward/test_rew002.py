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
