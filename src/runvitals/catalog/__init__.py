"""What a metric means: unit, direction, healthy bands, and what forty tools call it.

Everything here is data plus a resolver. Parts are imported when they are first used, so that
`import runvitals` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.lazy_names import lazy_names
from runvitals.model import Framework, Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runvitals.catalog.definitions.algorithms import algorithm_family, plain_algorithm
    from runvitals.catalog.definitions.config_keys import (
        CONFIG_KEYS,
        find_config_key,
        possible_config_keys,
        resolve_config,
    )
    from runvitals.catalog.definitions.framework_table import COMPARED, compared_metrics
    from runvitals.catalog.definitions.groups import (
        GROUPS,
        Group,
        group_of,
        group_title,
        reading_position,
    )
    from runvitals.catalog.definitions.scenarios import CHAPTERS, SCENARIOS
    from runvitals.catalog.definitions.symptoms import (
        SYMPTOMS,
        SYMPTOMS_BY_SUBJECT,
        find_symptoms,
        same_symptoms,
    )
    from runvitals.catalog.definitions.terms import TERMS, find_term
    from runvitals.catalog.definitions.watch_lists import (
        ListedMetric,
        find_groups,
        find_scenario,
        listed,
    )
    from runvitals.catalog.resolving.algorithm import algorithm_of
    from runvitals.catalog.resolving.ask import (
        candidates,
        find_framework,
        guess_algorithm,
        guess_framework,
        names_for,
        resolve,
        resolve_all,
    )
    from runvitals.catalog.resolving.by_words.read import speaks_of
    from runvitals.catalog.resolving.context import Guess
    from runvitals.catalog.resolving.families import FamilyMember, family, is_family
    from runvitals.catalog.resolving.resolver import Resolution
    from runvitals.catalog.resolving.suggest import suggest, suggest_phrases

    BUILT_ON_TRANSFORMERS: frozenset[str]
    FRAMEWORKS: Mapping[str, Framework]
    METRICS: Mapping[str, Metric]

__all__ = [
    "BUILT_ON_TRANSFORMERS",
    "CHAPTERS",
    "COMPARED",
    "CONFIG_KEYS",
    "FRAMEWORKS",
    "GROUPS",
    "METRICS",
    "SCENARIOS",
    "SYMPTOMS",
    "SYMPTOMS_BY_SUBJECT",
    "TERMS",
    "FamilyMember",
    "Group",
    "Guess",
    "ListedMetric",
    "Resolution",
    "algorithm_family",
    "algorithm_of",
    "candidates",
    "compared_metrics",
    "family",
    "find_config_key",
    "find_framework",
    "find_groups",
    "find_scenario",
    "find_symptoms",
    "find_term",
    "group_of",
    "group_title",
    "guess_algorithm",
    "guess_framework",
    "is_family",
    "listed",
    "metric",
    "names_for",
    "plain_algorithm",
    "possible_config_keys",
    "reading_position",
    "resolve",
    "resolve_all",
    "resolve_config",
    "same_symptoms",
    "speaks_of",
    "suggest",
    "suggest_phrases",
]

_HOMES = {
    name: home
    for home, names in {
        "definitions.algorithms": ("algorithm_family", "plain_algorithm"),
        "resolving.context": ("Guess",),
        "resolving.algorithm": ("algorithm_of",),
        "resolving.by_words.read": ("speaks_of",),
        "resolving.families": ("Member", "family", "is_family"),
        "definitions.config_keys": (
            "CONFIG_KEYS",
            "find_config_key",
            "possible_config_keys",
            "resolve_config",
        ),
        "definitions.framework_table": ("COMPARED", "compared_metrics"),
        "definitions.groups": ("GROUPS", "Group", "group_of", "group_title", "reading_position"),
        "resolving.resolver": ("Resolution",),
        "resolving.ask": (
            "candidates",
            "find_framework",
            "guess_algorithm",
            "guess_framework",
            "names_for",
            "resolve",
            "resolve_all",
        ),
        "definitions.scenarios": ("CHAPTERS", "SCENARIOS"),
        "resolving.suggest": ("suggest", "suggest_phrases"),
        "definitions.symptoms": (
            "SYMPTOMS",
            "SYMPTOMS_BY_SUBJECT",
            "find_symptoms",
            "same_symptoms",
        ),
        "definitions.terms": ("TERMS", "find_term"),
        "definitions.watch_lists": ("ListedMetric", "find_groups", "find_scenario", "listed"),
    }.items()
    for name in names
}


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
