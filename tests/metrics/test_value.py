from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from runvitals import metrics


def test_explained_variance_of_known_cases():
    r = np.array([1.0, 2.0, 4.0])

    assert metrics.explained_variance(r, r) == 1
    assert metrics.explained_variance(np.zeros(3), r) == pytest.approx(0)
    assert metrics.explained_variance(-r, r) == pytest.approx(-3)
    assert metrics.explained_variance(r / 2 + 3, r) == pytest.approx(0.75)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e6 + 0.1, -3.3])
def test_nothing_to_explain_is_nan_not_rounding_noise(constant):
    assert math.isnan(metrics.explained_variance(np.arange(7.0), np.full(7, constant)))


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=2, max_size=30).filter(
        lambda x: np.std([b for _, b in x]) > 0.1
    ),
    st.floats(-10, 10),
)
def test_explained_variance_ignores_a_constant_bias(pairs, bias):
    v, r = np.array(pairs).T

    assert metrics.explained_variance(v + bias, r) == pytest.approx(
        metrics.explained_variance(v, r), rel=1e-6, abs=1e-6
    )


def test_losses(rng):
    v, r, old = rng.normal(size=(3, 30))
    bounded = np.clip(v, old - 0.2, old + 0.2)
    want = np.maximum((v - r) ** 2, (bounded - r) ** 2)

    assert metrics.value_loss(v, r) == pytest.approx(0.5 * np.mean((v - r) ** 2))
    assert metrics.value_error(v, r) == pytest.approx(np.mean((v - r) ** 2))
    assert metrics.value_loss(v, r, old_values=old, clip=0.2) == pytest.approx(0.5 * want.mean())
    assert metrics.value_clip_fraction(v, old, r, clip=0.2) == np.mean(
        (bounded - r) ** 2 > (v - r) ** 2
    )


def test_an_unclipped_prediction_never_counts_as_clipped(rng):
    r, old = rng.normal(size=(2, 1000))
    v = old + rng.uniform(-0.1, 0.1, 1000)

    assert metrics.value_clip_fraction(v, old, r, clip=0.2) == 0


def test_td_error_stops_at_terminal_states():
    assert metrics.td_error([1.0, 1.0], [0.0, 0.0], [2.0, np.nan], [0, 1], gamma=0.5) == 0.5


def test_describe_against_scipy(rng):
    x = rng.gamma(2.0, size=500)

    found = metrics.describe(x, prefix="reward/")

    assert found["reward/count"] == 500
    assert found["reward/skew"] == pytest.approx(stats.skew(x))
    assert found["reward/kurtosis"] == pytest.approx(stats.kurtosis(x))
    assert metrics.skewness(x) == pytest.approx(stats.skew(x))
    assert metrics.excess_kurtosis(x) == pytest.approx(stats.kurtosis(x))
    assert found["reward/std"] == pytest.approx(np.std(x, ddof=1))
    for name, q in {"p01": 1, "p05": 5, "p25": 25, "median": 50, "p75": 75, "p95": 95}.items():
        assert found[f"reward/{name}"] == pytest.approx(np.percentile(x, q))


def test_tail_weight_is_one_for_a_gaussian_and_more_for_a_cauchy(rng):
    normal = metrics.describe(rng.normal(size=100_000))["tail_weight"]
    heavy = metrics.describe(rng.standard_cauchy(size=100_000))["tail_weight"]

    assert normal == pytest.approx(1, rel=0.03)
    assert heavy > 3


def test_a_constant_has_no_skew():
    found = metrics.describe(np.full(10, 0.1))

    assert math.isnan(found["skew"])
    assert math.isnan(found["kurtosis"])
    assert found["std"] == pytest.approx(0, abs=1e-12)


def test_histogram_leaves_out_what_does_not_count():
    counts, edges = metrics.histogram([0.0, 1.0, np.nan, np.inf, 5.0], [1, 1, 1, 1, 0], bins=4)

    assert counts.sum() == 2
    assert (edges[0], edges[-1]) == (0.0, 1.0)
