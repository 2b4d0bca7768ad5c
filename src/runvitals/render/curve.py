"""A series as a small SVG drawing that shows every spike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from runvitals.model import FloatArray, IntArray, Series

COLUMNS = 120  # of lowest and highest values


def curve(
    series: Series,
    spans: Sequence[tuple[int, int, str]] = (),
    *,
    width: int = 180,
    height: int = 28,
) -> str:
    """The course of a series in the colour of the text; stretches of steps are shaded in theirs."""
    kept = series.finite()
    if not len(kept):
        return ""
    first, last = float(kept.steps[0]), float(kept.steps[-1])

    def across(steps: IntArray | FloatArray | float) -> FloatArray:
        share = (np.asarray(steps, np.float64) - first) / ((last - first) or 1.0)
        return np.clip(share, 0.0, 1.0) * (width - 4) + 2

    shades = []
    for begin, end, colour in spans:
        left, right = float(across(begin)), float(across(end))
        shades.append(
            f'<rect x="{left:.1f}" y="0" width="{max(1.5, right - left):.1f}" height="{height}" '
            f'fill="{colour}" fill-opacity="0.22"/>'
        )
    x, y = _ends(across(kept.steps), kept.values)
    low, high = float(y.min()), float(y.max())
    room = (high - low) or 1.0
    down = height - 3 - (y / room - low / room) * (height - 6)
    if low == high:
        down = np.full(len(y), height / 2)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, down, strict=True))
    line = (
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.2" '
        'stroke-linejoin="round"/>'
        if len(x) > 1
        else f'<circle cx="{x[0]:.1f}" cy="{down[0]:.1f}" r="2" fill="currentColor"/>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">{"".join(shades)}{line}</svg>'
    )


def _ends(x: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points, or of many the lowest and the highest of each column in their order."""
    if len(values) <= 2 * COLUMNS:
        return x, values
    parts = np.array_split(np.arange(len(values)), COLUMNS)
    chosen = sorted(
        {
            int(place)
            for part in parts
            for place in (
                part[0] + values[part].argmin(),
                part[0] + values[part].argmax(),
            )
        }
    )
    return x[chosen], values[chosen]
