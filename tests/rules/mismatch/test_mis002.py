import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(metric, values, reward=FLAT, **more):
    series = {f"mismatch/{metric}": values, "reward/score_mean": reward, **more}
    return make_run(series, algorithm="GRPO")


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("effective_sample_size", 0.1),
        ("is_weight_mean", 3.0),
        ("is_weight_mean", 0.2),
        ("chi2_token", 4.0),
        ("masked_fraction", 0.5),
    ],
)
def test_fires_on_uneven_weights(metric, value):
    [finding] = check(run(metric, [value] * 60), "MIS002")

    assert finding.severity == "warning"
    assert f"{value:.3g}" in finding.message


def test_is_a_notice_while_the_run_does_well():
    found = check(run("effective_sample_size", [0.1] * 60, RISING), "MIS002")

    assert [finding.severity for finding in found] == ["notice"]


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        ("effective_sample_size", 0.9 + 0.05 * RNG.random(60)),
        ("effective_sample_size", [1200.0] * 60),
        ("is_weight_mean", 1 + 0.05 * RNG.standard_normal(60)),
        ("is_weight_mean", [5.0] * 5),
        ("chi2_token", [np.nan] * 60),
        ("masked_fraction", [0.5] * 20 + [0.0] * 40),
    ],
    ids=["even", "a count", "near one", "too short", "all nan", "early only"],
)
def test_stays_silent(metric, values):
    assert check(run(metric, values), "MIS002") == []


def test_a_low_mean_weight_is_usual_where_the_trainer_masks():
    masked = run("is_weight_mean", [0.4] * 60)
    masked.config = {"vllm_importance_sampling_mode": "sequence_mask"}

    assert check(masked, "MIS002") == []


def test_a_low_mean_weight_is_usual_where_the_engines_agree():
    agreeing = {"mismatch/logprob_diff_mean": 0.002 + 0.0002 * RNG.random(60)}
    apart = {"mismatch/logprob_diff_mean": 0.8 + 0.02 * RNG.random(60)}

    assert check(run("is_weight_mean", [0.4] * 60, **agreeing), "MIS002") == []
    assert check(run("is_weight_mean", [0.4] * 60, **apart), "MIS002")
