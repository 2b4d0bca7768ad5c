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

    from runvitals.catalog.definitions.algorithms import algorithm_family as algorithm_family
    from runvitals.catalog.definitions.algorithms import plain_algorithm as plain_algorithm
    from runvitals.catalog.definitions.config_keys import CONFIG_KEYS as CONFIG_KEYS
    from runvitals.catalog.definitions.config_keys import find_config_key as find_config_key
    from runvitals.catalog.definitions.config_keys import (
        possible_config_keys as possible_config_keys,
    )
    from runvitals.catalog.definitions.config_keys import resolve_config as resolve_config
    from runvitals.catalog.definitions.groups import COMPARED as COMPARED
    from runvitals.catalog.definitions.groups import GROUPS as GROUPS
    from runvitals.catalog.definitions.groups import Group as Group
    from runvitals.catalog.definitions.groups import compared_metrics as compared_metrics
    from runvitals.catalog.definitions.groups import group_of as group_of
    from runvitals.catalog.definitions.groups import group_title as group_title
    from runvitals.catalog.definitions.groups import reading_position as reading_position
    from runvitals.catalog.definitions.scenarios import CHAPTERS as CHAPTERS
    from runvitals.catalog.definitions.scenarios import SCENARIOS as SCENARIOS
    from runvitals.catalog.definitions.symptoms import SYMPTOMS as SYMPTOMS
    from runvitals.catalog.definitions.symptoms import SYMPTOMS_BY_SUBJECT as SYMPTOMS_BY_SUBJECT
    from runvitals.catalog.definitions.symptoms import find_symptoms as find_symptoms
    from runvitals.catalog.definitions.symptoms import same_symptoms as same_symptoms
    from runvitals.catalog.definitions.terms import TERMS as TERMS
    from runvitals.catalog.definitions.terms import find_term as find_term
    from runvitals.catalog.definitions.watch_lists import ListedMetric as ListedMetric
    from runvitals.catalog.definitions.watch_lists import find_groups as find_groups
    from runvitals.catalog.definitions.watch_lists import find_scenario as find_scenario
    from runvitals.catalog.definitions.watch_lists import listed as listed
    from runvitals.catalog.resolving.algorithm import algorithm_of as algorithm_of
    from runvitals.catalog.resolving.ask import candidates as candidates
    from runvitals.catalog.resolving.ask import find_framework as find_framework
    from runvitals.catalog.resolving.ask import guess_framework as guess_framework
    from runvitals.catalog.resolving.ask import resolve as resolve
    from runvitals.catalog.resolving.ask import resolve_all as resolve_all
    from runvitals.catalog.resolving.by_words.read import speaks_of as speaks_of
    from runvitals.catalog.resolving.context import Guess as Guess
    from runvitals.catalog.resolving.resolver import Resolution as Resolution
    from runvitals.catalog.resolving.suggest import FamilyMember as FamilyMember
    from runvitals.catalog.resolving.suggest import family as family
    from runvitals.catalog.resolving.suggest import is_family as is_family
    from runvitals.catalog.resolving.suggest import suggest as suggest
    from runvitals.catalog.resolving.suggest import suggest_phrases as suggest_phrases

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
