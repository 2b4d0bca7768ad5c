import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
TURNS = np.concatenate([np.linspace(0.3, 0.8, 12), np.linspace(0.75, 0.4, 8)])
TURNS = np.round(TURNS * 500) / 500


def test_fires_when_a_held_out_score_falls():
    [finding] = check(make_run({"eval/success_rate": TURNS}, every=100), "EVAL001")

    assert finding.severity == "critical"
    assert finding.message.startswith("eval/success_rate fell from 0.7")
    assert "keep the checkpoint of step" in finding.advice
    assert finding.span.last == 2000


def test_forgetting_on_one_set_counts_while_another_gains():
    sets = {"gsm8k": np.round(np.linspace(0.3, 0.8, 20) * 500) / 500, "code": TURNS}
    seen = make_run({f"eval/mean_at_n{{dataset={name}}}": score for name, score in sets.items()})

    assert [one.series for one in check(seen, "EVAL001")] == ["eval/mean_at_n{dataset=code}"]


def test_fires_on_returns_that_collapse():
    returns = np.concatenate([np.linspace(20, 480, 15), np.full(10, 30.0)])
    returns = returns + 5 * RNG.standard_normal(25)

    assert check(make_run({"eval/return_mean": returns}), "EVAL001")


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("eval/success_rate", np.linspace(0.2, 0.9, 20)),
        ("eval/success_rate", RNG.binomial(20, 0.7, 20) / 20),
        ("eval/score_mean", RNG.binomial(64, 0.5, 30) / 64),
        ("eval/score_mean", 0.05 + 0.01 * RNG.standard_normal(24)),
        ("eval/return_mean", np.linspace(20, 480, 20) + 30 * RNG.standard_normal(20)),
        ("eval/success_rate", [0.9, 0.8, 0.5, 0.3]),
        ("eval/success_rate", [np.nan] * 20),
        ("eval/success_rate", [0.5] * 20),
    ],
    ids=["rises", "small set", "noise", "near zero", "returns", "few", "all nan", "constant"],
)
def test_stays_silent(metric, values):
    assert check(make_run({metric: values}), "EVAL001") == []


def test_noise_of_small_sets_hardly_ever_alarms():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.binomial(30, np.linspace(0.4, 0.6, 15)) / 30
        alarms += bool(check(make_run({"eval/success_rate": values}), "EVAL001"))

    assert alarms == 0
