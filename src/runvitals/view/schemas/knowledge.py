"""The catalog and the rule book."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from runvitals.view.schemas.basics import Scalar, Section, Severity


class MetricRow(BaseModel):
    """A metric of the catalog. `aliases` are the names under which tools log it."""

    id: str
    title: str
    meaning: str
    unit: str
    direction: Literal["higher", "lower", "target", "neutral"]
    category: str
    section: Section
    aliases: list[str]


class MetricList(BaseModel):
    """The catalog."""

    metrics: list[MetricRow]


class CatalogBand(BaseModel):
    """A healthy range of the catalog."""

    low: float | None
    high: float | None
    why: str
    source: str
    context: str
    algorithms: list[str]
    config_key: str | None


class MetricName(BaseModel):
    """What a tool calls a metric."""

    framework: str
    title: str
    name: str
    note: str


class MetricDetail(MetricRow):
    """A metric in full."""

    healthy: list[CatalogBand]
    watch_for: str
    related: list[str]
    not_the_same_as: list[str]
    names: list[MetricName]
    rules: list[str]


class RuleRow(BaseModel):
    """A rule of the rule book."""

    code: str
    name: str
    severity: Severity
    title: str
    area: str
    needs: list[str]
    families: list[str]
    explains: list[str]
    preview: bool
    live_only: bool


class RuleList(BaseModel):
    """The rule book."""

    rules: list[RuleRow]


class RuleSection(BaseModel):
    """A part of a rule's page, in Markdown."""

    title: str
    text: str


class RuleDetail(RuleRow):
    """A rule in full."""

    sections: list[RuleSection]
    options: dict[str, Scalar]
