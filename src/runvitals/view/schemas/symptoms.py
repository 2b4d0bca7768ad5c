"""Symptoms and words."""

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
    """A word of the trade."""

    word: str
    definition: str
    also: list[str]
    source: str


class Glossary(BaseModel):
    """The words of the trade, in alphabetical order."""

    terms: list[TermRow]
