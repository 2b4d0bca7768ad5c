"""What a metric means: unit, direction, healthy bands, and what forty tools call it.

Everything here is data plus a resolver. Parts are imported when they are first used, so that
`import runvitals` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.lazy_names import homes, lazy_names
from runvitals.model import Framework, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runvitals.catalog.definitions.algorithms import *
    from runvitals.catalog.definitions.config_keys import *
    from runvitals.catalog.definitions.groups import *
    from runvitals.catalog.definitions.scenarios import *
    from runvitals.catalog.definitions.symptoms import *
    from runvitals.catalog.definitions.terms import *
    from runvitals.catalog.definitions.watch_lists import *
    from runvitals.catalog.resolving.algorithm import *
    from runvitals.catalog.resolving.ask import *
    from runvitals.catalog.resolving.by_words.read import *
    from runvitals.catalog.resolving.context import *
    from runvitals.catalog.resolving.resolver import *
    from runvitals.catalog.resolving.suggest import *

    BUILT_ON_TRANSFORMERS: frozenset[str]
    FRAMEWORKS: Mapping[str, Framework]
    METRICS: Mapping[str, Metric]


_HOMES = homes("""
definitions.algorithms: algorithm_family plain_algorithm
definitions.config_keys: CONFIG_KEYS find_config_key possible_config_keys resolve_config
definitions.groups: COMPARED GROUPS Group compared_metrics group_of group_title reading_position
definitions.scenarios: CHAPTERS SCENARIOS
definitions.symptoms: SYMPTOMS SYMPTOMS_BY_SUBJECT find_symptoms same_symptoms
definitions.terms: TERMS find_term
definitions.watch_lists: ListedMetric find_groups find_scenario listed
resolving.algorithm: algorithm_of
resolving.ask: candidates find_framework guess_framework resolve resolve_all
resolving.by_words.read: speaks_of
resolving.context: Guess
resolving.resolver: Resolution
resolving.suggest: FamilyMember family is_family suggest suggest_phrases
""")
__all__ = sorted((*_HOMES, "BUILT_ON_TRANSFORMERS", "FRAMEWORKS", "METRICS", "metric"))


def _metrics() -> Mapping[str, Metric]:
    from runvitals.catalog.definitions.metrics import load_metrics

    return load_metrics()


def _frameworks() -> Mapping[str, Framework]:
    from runvitals.catalog.tools import frameworks

    return frameworks()


def _built_on_transformers() -> frozenset[str]:
    tools = _frameworks().values()
    return frozenset(one.id for one in tools if "transformers" in (one.id, *one.inherits))


__getattr__ = lazy_names(
    __name__,
    _HOMES,
    made={
        "BUILT_ON_TRANSFORMERS": _built_on_transformers,
        "FRAMEWORKS": _frameworks,
        "METRICS": _metrics,
    },
)


def metric(metric_id: str) -> Metric | None:
    """The record of a canonical metric; `eval/` in front of any id is its evaluation version.

    >>> metric("policy/clip_fraction").unit
    'ratio'
    >>> metric("eval/preference/margin").category
    'eval'
    """
    from runvitals.catalog.definitions.metrics import load_metrics

    metrics = load_metrics()
    if metric_id in metrics:
        return metrics[metric_id]
    base = metrics.get(metric_id.removeprefix("eval/")) if metric_id.startswith("eval/") else None
    if base is None or base.category == "eval":
        return None
    return Metric(
        id=metric_id,
        meaning=f"{base.meaning}, on the evaluation split",
        unit=base.unit,
        direction=base.direction,
        category="eval",
        title=f"{base.title or base.id}, evaluation",
        watch_for=base.watch_for,
        related=(base.id, *base.related),
        not_the_same_as=base.not_the_same_as,
    )
