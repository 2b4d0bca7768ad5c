"""What rules say about a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["critical", "warning", "notice"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of steps, both ends included, with the number of points in it."""

    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One observation of a rule: which series, where, and what it says."""

    series: str
    span: Span
    message: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit with the rule it came from: what is shown to people."""

    code: str
    name: str
    severity: Severity
    series: str
    span: Span
    message: str
    advice: str = ""
