"""Where a practitioner looks for a metric, and which few to show first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import get_args

from runvitals import catalog
from runvitals.model import Run, Scenario
from runvitals.view.schemas import Section

SECTIONS: tuple[Section, ...] = get_args(Section)
MAX_ESSENTIAL = 9
FEW = 4  # names that mean nothing to the catalog, where there are no others
_GROUPS: dict[str, Section] = {
    "outcome": "outcome",
    "eval": "validation",
    "data": "data",
    "speed": "speed",
    "system": "system",
}
_VALUE = ("value/", "advantage/", "returns/")
_WORDS: dict[str, Section] = {
    "system": "system",
    **dict.fromkeys(("val", "valid", "validation", "eval", "evaluation", "test"), "validation"),
}
_STAND_INS = {  # what tells the same where the metric itself is not logged
    "policy/approx_kl": ("policy/kl_old", "policy/kl_ref"),
    "throughput/env_steps_per_s": (
        "throughput/tokens_per_s_per_device",
        "throughput/tokens_per_s",
        "time/step_s",
    ),
}


def section_of(metric: str | None, name: str = "") -> Section:
    """The section of a metric; names that mean nothing to the catalog go by their first word.

    >>> section_of("value/loss"), section_of("policy/entropy"), section_of(None, "System/cpu")
    ('value', 'policy', 'system')
    """
    if metric is None:
        return _WORDS.get(re.split(r"[^a-z]", name.lower(), maxsplit=1)[0], "other")
    group = catalog.group_of(metric)
    if group == "health":
        if metric.startswith("reward/"):
            return "outcome"
        return "value" if metric.startswith(_VALUE) else "policy"
    return _GROUPS.get(group, "other")


def essential_metrics(run: Run, outcome: str | None) -> list[str]:
    """The minimum viable dashboard of this run: the outcome, then what its kind of training needs."""
    mine = run.metrics()
    basics = catalog.SCENARIOS["minimum-dashboard"]
    wanted = [next(_present(m, mine), m) for group in basics.groups for m in group.metrics]
    scenario = _fitting(run.algorithm or "", mine)
    if scenario is not None:
        groups = [[m for m in group.metrics if m in mine] for group in scenario.groups]
        wanted += [m for row in zip_longest(*groups) for m in row if m is not None]
    bound = run.bindings.get(outcome or "")
    first = [] if outcome is None else [outcome if bound is None else bound.metric]
    known = [metric for metric in wanted if metric in mine]
    if not known:
        known = sorted(mine, key=catalog.reading_position) or run.names()[:FEW]
    return list(dict.fromkeys([*first, *known]))[:MAX_ESSENTIAL]


def _present(metric: str, mine: Collection[str]) -> Iterator[str]:
    """The metric itself and what can stand in for it, as far as they were logged."""
    return (one for one in (metric, *_STAND_INS.get(metric, ())) if one in mine)


def _fitting(algorithm: str, mine: Collection[str]) -> Scenario | None:
    """The watch list of which this run has most; those of its algorithm, if it is known."""
    told = [s for s in catalog.SCENARIOS.values() if s.groups and s.algorithms]
    fitting = [s for s in told if algorithm.upper() in map(str.upper, s.algorithms)]
    having = {s.id: len({m for g in s.groups for m in g.metrics if m in mine}) for s in told}
    best = max(fitting or told, key=lambda s: having[s.id])
    return best if having[best.id] else None
