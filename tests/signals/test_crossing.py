"""Stretches beyond a limit."""

import numpy as np
import pytest

from runvitals.signals.crossing import Stretch, lasting, sustained_above


def test_a_stretch_lasts_if_one_of_the_last_points_is_in_it():
    values = np.array([0.0] * 20 + [1.0] * 20 + [0.0] * 4)
    found = sustained_above(values, 0.5)

    assert lasting(found, len(values)) == Stretch(20, 39, 20)
    assert lasting(found, len(values), least=4) is None


@pytest.mark.parametrize(("share", "lasts"), [(0.0, False), (0.1, True)])
def test_a_share_of_a_long_series_may_follow(share, lasts):
    found = [Stretch(0, 50, 51), Stretch(100, 185, 80)]

    assert lasting(found, 200, share=share) == (found[-1] if lasts else None)


def test_nothing_lasts_where_nothing_was_found():
    assert lasting([], 10) is None
