"""The canonical metrics and what is known about each, one page per subject.

An entry of a page begins with `id (unit, direction; documents): title = meaning`; documents and title
may be missing. Fields: `watch for`, `related`, `not the same as`. A healthy range is a field `healthy:
LOW to HIGH (its other fields): why [source]`, with a `context` below it where there is more to say; `*`
is an open end.
"""

import pkgutil
import re
from functools import cache
from importlib import import_module
from typing import Any

from runvitals.catalog.definitions.pages import DOCUMENTS, entries, items, with_source
from runvitals.model import Band, Metric

__all__ = ["load_metrics"]

_HEAD = re.compile(r"(\S+) \((\S+), (\w+)(?:; ([^)]*))?\)(?:: (.*?))? = (.*)")
_HEALTHY = re.compile(r"(\S+) to (\S+?)(?: \((.*?)\))?: (.*)")
_CATEGORIES = {"returns": "advantage", "balance": "data", "gain": "text"}  # other than the subject
_LISTS = ("algorithms", "tools", "names", "kinds")


@cache
def load_metrics() -> dict[str, Metric]:
    """Every canonical metric by id, category by category."""
    found: list[Metric] = []
    for module in pkgutil.iter_modules(__path__):
        page = import_module(f"{__name__}.{module.name}").METRICS
        found += (_metric(head, lines) for head, lines in entries(page))
    by_id = {metric.id: metric for metric in sorted(found, key=lambda metric: metric.category)}
    if len(by_id) < len(found):
        raise ValueError("a metric is defined twice")
    return by_id


def _metric(head: str, lines: list[str]) -> Metric:
    match = _HEAD.fullmatch(head)
    if match is None:
        raise ValueError(f"not the first line of a metric: {head!r}")
    id, unit, direction, documents, title, meaning = match.groups("")
    subject = id.partition("/")[0]
    known: dict[str, str] = {}
    bands: list[dict[str, Any]] = []
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "healthy":
            bands.append(_range(value))
        elif field == "context":
            bands[-1][field] = value
        elif field in ("watch for", "related", "not the same as"):
            known[field] = value
        else:
            raise ValueError(f"metric {id} has no field {field!r}")
    return Metric(
        id,
        meaning=meaning,
        unit=unit,
        direction=direction,  # type: ignore[arg-type]  # a test holds every direction
        category=_CATEGORIES.get(subject, subject),
        title=title,
        healthy=tuple(Band(**band) for band in bands),
        watch_for=known.get("watch for", ""),
        related=items(known.get("related", "")),
        not_the_same_as=items(known.get("not the same as", "")),
        documents=tuple(DOCUMENTS[name] for name in items(documents)),
    )


def _range(text: str) -> dict[str, Any]:
    match = _HEALTHY.fullmatch(text)
    if match is None:
        raise ValueError(f"not a band: {text!r}")
    low, high, qualifiers, why = match.groups()
    band: dict[str, Any] = {"low": _end(low), "high": _end(high)}
    band["why"], band["source"] = with_source(why)
    for qualifier in qualifiers.split("; ") if qualifiers else ():
        name, _, value = qualifier.partition("=")
        if name in _LISTS:
            band[name] = items(value)
        elif name == "labels":
            band[name] = dict(label.split("=", 1) for label in items(value))
        elif name == "scale":
            band[name] = tuple(map(float, value.split(" to ")))
        else:
            band[name] = value or True
    return band


def _end(text: str) -> float | None:
    return None if text == "*" else float(text)
