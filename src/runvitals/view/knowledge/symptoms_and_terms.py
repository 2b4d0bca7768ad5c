"""The table of symptoms, the glossary and the lists of what to watch, for their pages."""

from __future__ import annotations

import re

from runvitals import catalog
from runvitals.model import Term
from runvitals.view.schemas import (
    Glossary,
    MetricLink,
    ReadingGroup,
    ReadingList,
    ReadingLists,
    ReadingMetric,
    SymptomList,
    SymptomRow,
    TermRow,
)

MAX_METRICS = 4  # of a word


def symptom_list() -> SymptomList:
    """All symptoms, by subject."""
    rows = [
        SymptomRow(
            sign=one.sign,
            subject=subject,
            also=list(one.also),
            check_first=_links(one.check_first),
            then_check=_links(one.then_check),
            likely=one.likely,
            advice=one.advice,
            rules=list(one.rules),
            source=one.source,
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
                word=one.word,
                definition=one.definition,
                also=list(one.also),
                source=one.source,
                metrics=_links(_named_after(one)),
            )
            for one in terms
        ]
    )


def _named_after(term: Term) -> tuple[str, ...]:
    """Metrics with the word in their title, the shortest titles first: they are the plainest."""
    words = "|".join(re.escape(word) for word in (term.word, *term.also))
    named = re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    found = [one for one in catalog.METRICS.values() if named.search(one.title)]
    return tuple(one.id for one in sorted(found, key=lambda one: len(one.title))[:MAX_METRICS])


def reading_lists() -> ReadingLists:
    """What to watch first, then, for each kind of training; the general reading order first."""
    order = sorted(catalog.SCENARIOS.values(), key=lambda one: one.id != "reading-order")
    return ReadingLists(
        lists=[
            ReadingList(
                id=one.id,
                title=one.title,
                source=one.source,
                groups=[
                    ReadingGroup(
                        title=group.title,
                        note=group.note,
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
