"""The catalog, the rule book, symptoms, words and lists of what to watch, for their pages."""

import inspect
import re
from functools import cache
from typing import Any

from runvitals import catalog
from runvitals.model import Metric, Term
from runvitals.render.judged import fields
from runvitals.rules.registry import Rule, rules
from runvitals.view.json_safe import json_safe
from runvitals.view.run.charts import section_of
from runvitals.view.schemas.judgement import seen
from runvitals.view.schemas.knowledge import (
    CatalogBand,
    Glossary,
    MetricDetail,
    MetricLink,
    MetricList,
    MetricName,
    MetricRow,
    ReadingGroup,
    ReadingList,
    ReadingLists,
    ReadingMetric,
    RuleDetail,
    RuleLink,
    RuleList,
    RuleRow,
    RuleSection,
    SymptomList,
    SymptomRow,
    TermRow,
)

_HEADING = re.compile(r"^## +(.+)$", re.MULTILINE)


def metric_list() -> MetricList:
    """All metrics in the order in which they are read."""
    known = sorted(catalog.METRICS.values(), key=lambda metric: catalog.reading_position(metric.id))
    return MetricList(metrics=[MetricRow(**_metric(metric)) for metric in known])


def metric_detail(id: str) -> MetricDetail | None:
    """A metric in full, by its id or by any name that is not ambiguous."""
    metric = catalog.metric(id)
    if metric is None and (found := catalog.resolve(id)) is not None:
        metric = catalog.metric(found.metric)
    if metric is None:
        return None
    names = [
        MetricName(framework=tool.id, title=tool.title, name=alias.name, note=alias.note)
        for tool in catalog.FRAMEWORKS.values()
        for alias in tool.aliases
        if alias.metric == metric.id
    ]
    asking = [
        rule.code
        for rule in rules().values()
        if any(metric.id in need.names for need in rule.needs)
    ]
    return MetricDetail(
        **_metric(metric),
        healthy=[seen(CatalogBand, band) for band in metric.healthy],
        **fields(metric, "watch_for related not_the_same_as"),
        names=names,
        rules=asking,
    )


def _metric(metric: Metric) -> dict[str, Any]:
    return {
        **fields(metric, "id meaning unit direction category"),
        "title": metric.title or metric.id,
        "section": section_of(metric.id),
        "aliases": _aliases().get(metric.id, []),
    }


@cache
def _aliases() -> dict[str, list[str]]:
    """The names of each metric in any tool, each once."""
    found: dict[str, dict[str, None]] = {}
    for tool in catalog.FRAMEWORKS.values():
        for alias in tool.aliases:
            if alias.metric is not None:
                found.setdefault(alias.metric, {})[alias.name] = None
    return {metric: list(names) for metric, names in found.items()}


def rule_list() -> RuleList:
    """All rules, by code."""
    return RuleList(rules=[RuleRow(**rule.facts()) for rule in rules().values()])


def rule_detail(code: str) -> RuleDetail | None:
    """A rule in full, by code or name."""
    wanted = code.upper()
    found = next((r for r in rules().values() if r.code == wanted or r.name == code.lower()), None)
    if found is None:
        return None
    return RuleDetail(**found.facts(), sections=_sections(found), options=json_safe(found.options))


def _sections(rule: Rule) -> list[RuleSection]:
    text = inspect.getdoc(rule.check) or ""
    head, *rest = _HEADING.split(text)
    body = head.partition("\n")[2].strip()
    sections = [RuleSection(title="", text=body)] if body else []
    for title, part in zip(rest[::2], rest[1::2], strict=True):
        sections.append(RuleSection(title=title.strip(), text=part.strip()))
    return sections


MAX_LINKS = 4  # of a word


def symptom_list() -> SymptomList:
    """All symptoms, by subject."""
    rows = [
        SymptomRow(
            **fields(one, "sign also likely advice rules source"),
            subject=subject,
            check_first=_links(one.check_first),
            then_check=_links(one.then_check),
        )
        for subject, symptoms in catalog.SYMPTOMS_BY_SUBJECT.items()
        for one in symptoms
    ]
    return SymptomList(symptoms=rows)


def _links(ids: tuple[str, ...]) -> list[MetricLink]:
    known = [(id, catalog.metric(id)) for id in ids]
    return [MetricLink(id=id, title=(one and one.title) or id) for id, one in known]


def glossary() -> Glossary:
    """All words, in alphabetical order."""
    terms = sorted(catalog.TERMS.values(), key=lambda term: term.word.casefold())
    return Glossary(
        terms=[
            TermRow(
                **fields(one, "word definition also"),
                metrics=_links(_named_after(one)),
                rules=[RuleLink(code=r.code, title=r.title) for r in _looking_for(one)],
            )
            for one in terms
        ]
    )


def _named_after(term: Term) -> tuple[str, ...]:
    """Metrics with the word in their title, the shortest titles first: they are the plainest."""
    found = [one for one in catalog.METRICS.values() if _naming(term).search(one.title)]
    return tuple(one.id for one in sorted(found, key=lambda one: len(one.title))[:MAX_LINKS])


def _looking_for(term: Term) -> list[Rule]:
    """Rules named after the word, else those that read its metrics, else the few that speak of it."""
    naming, metrics = _naming(term), set(_named_after(term))
    known = list(rules().values())
    named = [r for r in known if naming.search(f"{r.title} {r.name.replace('-', ' ')}")]
    reading = [r for r in known if any(metrics & set(need.names) for need in r.needs)]
    told = [r for r in known if naming.search(inspect.getdoc(r.check) or "")]
    return (named or reading or (told if len(told) <= MAX_LINKS else []))[:MAX_LINKS]


def _naming(term: Term) -> re.Pattern[str]:
    words = "|".join(re.escape(word) for word in (term.word, *term.also))
    return re.compile(rf"\b(?:{words})s?\b", re.IGNORECASE)


def reading_lists() -> ReadingLists:
    """What to watch first, then, for each kind of training; the general reading order first."""
    order = sorted(catalog.SCENARIOS.values(), key=lambda one: one.id != "reading-order")
    return ReadingLists(
        lists=[
            ReadingList(
                **fields(one, "id title source"),
                groups=[
                    ReadingGroup(
                        **fields(group, "title note"),
                        metrics=[
                            ReadingMetric(
                                **_links((listed.metric,))[0].model_dump(), names=list(listed.names)
                            )
                            for listed in catalog.listed(one, group)
                        ],
                    )
                    for group in one.groups
                ],
            )
            for one in order
        ]
    )
