"""The questions that rules ask of a series."""

import numpy as np
import pytest

from runvitals.model import Limit
from runvitals.rules.detectors import above, below, constant, fell, jumped, rose, spiked
from runvitals.testing import make_run

NOISE = np.random.default_rng(0).normal(size=200)


def series(values):
    return make_run({"policy/clip_fraction": np.asarray(values, float)}, every=10)[
        "policy/clip_fraction"
    ]


def test_above_names_where_and_how_far():
    found = above(series([0.1] * 30 + [0.5] * 20), Limit(0.3, "the guide"))

    assert (found.first, found.last, found.count) == (30, 49, 20)
    assert found.level == 0.5
    assert found.step == 310
    assert found.share == pytest.approx(0.4)
    assert found.hit("high").limit == Limit(0.3, "the guide")


@pytest.mark.parametrize(
    "values",
    [[0.1] * 60 + [0.5] * 3, [0.1] * 50, [0.1, 0.5] * 4],
    ids=["too short", "never", "to and fro"],
)
def test_above_stays_silent(values):
    assert above(series(values), 0.3, for_share=0.3) is None


def test_what_began_late_and_goes_on_counts():
    late = series([0.1] * 280 + [0.5] * 20)

    assert 275 <= above(late, 0.3).first <= 285
    assert 275 <= below(series(1 / late.values), 5.0, to_end=True).first <= 285
    assert above(series([0.1] * 270 + [0.5] * 20 + [0.1] * 10), 0.3) is None


def test_above_may_have_to_hold_at_the_end():
    over = series([0.5] * 40 + [0.1] * 40)

    assert above(over, 0.3) is not None
    assert above(over, 0.3, to_end=True) is None
    assert below(over, 0.3, to_end=True).first == 40


def test_rose_and_fell_compare_with_the_start_or_the_extreme():
    up = series(np.exp(np.linspace(0, 3, 80) + 0.2 * NOISE[:80]))
    dip = series(np.exp(np.abs(np.linspace(-3, 3, 80)) + 0.1 * NOISE[:80]))

    assert rose(up, 8).times == pytest.approx(19, rel=0.3)
    assert rose(up, 60) is None
    assert fell(up, 0.5) is None
    assert rose(dip, 8) is None
    assert rose(dip, 8, since_lowest=True) is not None
    assert fell(series(1 / up.values), 0.2).level < 0.2


def test_what_may_be_negative_has_no_factor():
    assert rose(series(NOISE), 2) is None


def test_a_jump_lasts_and_a_spike_does_not():
    step = series(np.r_[[1.0] * 30, [5.0] * 30] + 0.01 * NOISE[:60])
    spike = series([1.0] * 30 + [50.0] + [1.0] * 30)

    assert jumped(step, 3).first == 30
    assert jumped(spike, 3) is None
    assert spiked(spike, 10).count == 1
    assert spiked(spike, 10, least=60.0) is None
    assert spiked(step, 10) is None


def test_constant_up_to_the_end():
    assert constant(series([1.0, 2.0] + [3.0] * 30), 20).count == 30
    assert constant(series([3.0] * 30 + [1.0]), 20) is None
    assert constant(series([0.0] * 30), 20, value=1.0) is None
