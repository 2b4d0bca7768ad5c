"""Symptoms, words, and what to watch."""

from __future__ import annotations

from pydantic import BaseModel


class MetricLink(BaseModel):
    """A metric to look at."""

    id: str
    title: str


class SymptomRow(BaseModel):
    """A sign, where to look first and next, what it often is, and the rules that look for it."""

    sign: str
    subject: str
    also: list[str]
    check_first: list[MetricLink]
    then_check: list[MetricLink]
    likely: str
    advice: str
    rules: list[str]
    source: str


class SymptomList(BaseModel):
    """The table of symptoms."""

    symptoms: list[SymptomRow]


class TermRow(BaseModel):
    """A word of the trade, and the metrics that are called by it."""

    word: str
    definition: str
    also: list[str]
    source: str
    metrics: list[MetricLink]


class Glossary(BaseModel):
    """The words of the trade, in alphabetical order."""

    terms: list[TermRow]


class ReadingMetric(MetricLink):
    """A metric on a list, and what the list's document calls it."""

    names: list[str]


class ReadingGroup(BaseModel):
    """Metrics to read together."""

    title: str
    note: str
    metrics: list[ReadingMetric]


class ReadingList(BaseModel):
    """What to watch first, then: groups in the order in which they are read."""

    id: str
    title: str
    source: str
    groups: list[ReadingGroup]


class ReadingLists(BaseModel):
    """What to watch, for each kind of training."""

    lists: list[ReadingList]
