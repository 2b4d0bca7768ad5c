"""Names that belong together: everything below `timing_s/`, or all that fits `temp_*`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from runvitals.catalog.definitions.metrics import load_metrics
from runvitals.catalog.resolving.aliases import find_framework, has_placeholder
from runvitals.catalog.tools import frameworks

_CHOICE = re.compile(r"(?<![^/])[\w@]+(?:\|[\w@]+)+(?![^/])")


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """A name of a family, the metric it is, and the tools that log it."""

    name: str
    metric: str | None
    tools: tuple[str, ...]


def is_family(text: str) -> bool:
    """Whether a query asks for several names: `System/*`, `Train/`, `tool_calls/min|max|mean`.

    >>> is_family("System/*"), is_family("num_turns/min|max"), is_family("train/loss")
    (True, True, False)
    """
    return "*" in text or text.endswith("/") or _CHOICE.search(text) is not None


def family(text: str, framework: str | None = None) -> list[FamilyMember]:
    """The known names that fit, in the spelling asked for or, failing that, in any case.

    >>> [member.name for member in family("num_turns/min|max", "verl")]
    ['num_turns/max', 'num_turns/min']
    """
    if not text.strip("*/| "):
        return []
    pattern = _regex(text)
    tool = find_framework(framework, frameworks().values()) if framework else None
    known = list(_known(tool))
    for flags in (0, re.IGNORECASE):
        fits = re.compile(pattern, flags).fullmatch
        found: dict[tuple[str, str | None], FamilyMember] = {}
        for member in known:
            if fits(member.name):
                key = member.name, member.metric
                before = found.get(key)
                tools = (*before.tools, *member.tools) if before else member.tools
                found[key] = replace(member, tools=tuple(dict.fromkeys(tools)))
        if found:
            return sorted(found.values(), key=lambda member: member.metric is None)
    return []


def _regex(text: str) -> str:
    if text.endswith("/"):
        text += "*"
    pattern = re.escape(text).replace(r"\*", ".+")
    choices = _CHOICE.search(text)
    if choices:
        pattern = pattern.replace(re.escape(choices[0]), f"(?:{choices[0]})")
    return pattern


def _known(tool: str | None) -> Iterable[FamilyMember]:
    for one in frameworks().values():
        if tool in (None, one.id):
            for alias in one.aliases:
                if has_placeholder(alias.name) and alias.metric is None:
                    continue
                yield FamilyMember(alias.name, alias.metric, (one.id,))
    if tool in (None, "runvitals"):
        for metric in load_metrics():
            yield FamilyMember(metric, metric, ("runvitals",))
