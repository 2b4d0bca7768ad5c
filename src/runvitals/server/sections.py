"""Where a practitioner looks for a metric, and which few to show first."""

from __future__ import annotations

from typing import get_args

from runvitals import catalog
from runvitals.model import Run
from runvitals.server.schemas import Section

SECTIONS: tuple[Section, ...] = get_args(Section)
MOST_ESSENTIAL = 8
FEW = 4  # names that mean nothing to the catalog, where there are no others
_GROUPS: dict[str, Section] = {
    "outcome": "outcome",
    "eval": "validation",
    "data": "data",
    "speed": "speed",
    "system": "system",
}
_VALUE = ("value/", "advantage/", "returns/")


def section_of(metric: str | None, name: str = "") -> Section:
    """The section of a metric; names that mean nothing to the catalog go last.

    >>> section_of("value/loss"), section_of("policy/entropy"), section_of(None, "System/cpu")
    ('value', 'policy', 'system')
    """
    if metric is None:
        return "system" if name.lower().startswith("system/") else "other"
    group = catalog.group_of(metric)
    if group == "health":
        return "value" if metric.startswith(_VALUE) else "policy"
    return _GROUPS.get(group, "other")


def essential_metrics(run: Run, outcome: str | None) -> list[str]:
    """The minimum viable dashboard of this run: the outcome, then what its kind of training needs."""
    mine = run.metrics()
    scenarios = [catalog.SCENARIOS["minimum-dashboard"]]
    mine_is = (run.algorithm or "").upper()
    fitting = [s for s in catalog.SCENARIOS.values() if mine_is in map(str.upper, s.algorithms)]
    scenarios += fitting[:1]
    wanted = [m for s in scenarios for group in s.groups for m in group.metrics]
    bound = run.bindings.get(outcome or "")
    first = [] if outcome is None else [outcome if bound is None else bound.metric]
    known = [metric for metric in wanted if metric in mine]
    if not known:
        known = sorted(mine, key=catalog.reading_place) or run.names()[:FEW]
    return list(dict.fromkeys([*first, *known]))[:MOST_ESSENTIAL]
