"""Outcomes and losses of logs whose names no tool explains, taken by the words of their names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from runvitals.catalog.outcome_words import alive_by_words, outcome_by_words
from runvitals.model import Run, Series

MOST_NAMES = 2000
REWARDS = ("reward/", "outcome/return", "outcome/score", "eval/return", "eval/score")


def outcomes_by_name(run: Run) -> Mapping[str, str]:
    """Metrics that the run does not have, each with an unexplained name that speaks of it.

    Of several names the one with the fewest words. Accuracies count only beside a reward: without
    one they are those of a classifier, which says for itself what it measures.
    """
    known = run.metrics()
    found: dict[str, str] = {}
    for name in sorted(run.names()[:MOST_NAMES], key=len):
        if name in run.bindings:
            continue
        metric = outcome_by_words(name)
        if metric is not None and metric not in known and metric not in found:
            found[metric] = name
    paid = any(metric.startswith(REWARDS) for metric in (*known, *found))
    return {
        metric: name
        for metric, name in found.items()
        if paid or not metric.endswith("success_rate")
    }


def losses_by_name(run: Run) -> list[str]:
    """Unexplained names that speak of a loss or another number that each update has."""
    names = (name for name in run.names()[:MOST_NAMES] if name not in run.bindings)
    return [name for name in names if alive_by_words(name)]


def as_outcome(metric: str, series: Series | None) -> Series | None:
    """The series if its values can be what its name says: rates lie between 0 and 1, or 100."""
    if series is None or not len(series) or not metric.endswith("success_rate"):
        return series
    low, high = float(np.min(series.values)), float(np.max(series.values))
    if low < 0 or high > 100:
        return None
    if high <= 1:
        return series
    return Series(
        series.name, series.steps, series.values / 100, series.times, series.metric, series.labels
    )
