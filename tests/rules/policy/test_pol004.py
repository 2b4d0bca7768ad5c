import pytest
from tests.rules.policy.curves import ODD, around, learning, stuck

from runvitals.testing import check, make_run

FIRST = "policy/ratio_abs_dev{minibatch=first}"


def run(values, outcome=None, *, name=FIRST, algorithm="PPO", config=None):
    series = {name: values}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm=algorithm, config=config)


def test_fires_when_it_is_off_before_any_update():
    [finding] = check(run([*[1e-7] * 30, *around(0.3, 50)], stuck()), "POL004")

    assert finding.severity == "critical"
    assert (finding.span.first, finding.span.last) == (310, 800)
    assert "off by 0.29" in finding.message


@pytest.mark.parametrize(("algorithm", "severity"), [("PPO", "critical"), ("GRPO", "notice")])
def test_only_a_rollout_engine_of_its_own_is_excused_by_a_good_outcome(algorithm, severity):
    found = check(run(around(0.3), learning(), algorithm=algorithm), "POL004")

    assert [one.severity for one in found] == [severity]


def test_your_limit_counts():
    assert len(check(run(around(5e-4), stuck()), "POL004", limit=1e-5)) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"values": [1e-6] * 80},
        {"values": around(0.3), "name": "policy/ratio_abs_dev"},
        {"values": around(0.006), "algorithm": "GRPO"},
        {"values": around(0.006), "config": {"dtype": "bfloat16"}},
        {"values": [0.3] * 6},
    ],
    ids=["rounding", "of the whole update", "language model", "half precision", "too short"],
)
def test_stays_silent(options):
    assert check(run(outcome=stuck(len(options["values"])), **options), "POL004") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values))), "POL004")
