"""Whether values come in order of size: Kendall's test, exact for few points."""

from __future__ import annotations

import numpy as np

from runvitals.model.row import FloatArray

BEYOND, SHARE = 5, 18.0  # of Kendall's formula


def score_variance(n: FloatArray | int) -> float:
    """Of the pairs in order less those out of order among n values in random order (Kendall 1975).

    Of groups of ties, what all of them take from it.
    """
    return float(np.sum(n * (n - 1) * (2 * n + BEYOND) / SHARE))
