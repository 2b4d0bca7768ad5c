"""What all answers are made of: text from logs, severities, sections, kinds of charts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator

from runvitals.view.visible import visible

Severity = Literal["critical", "warning", "notice"]
Section = Literal[
    "outcome",
    "validation",
    "policy",
    "value",
    "data",
    "speed",
    "system",
    "other",
]
ChartKind = Literal["line", "stacked", "heatmap", "spread"]
Scalar = str | int | float | bool | None


def _visible(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_visible)]  # text that comes from logs
