"""Names and phrases for what somebody typed: near ones, or all of a family such as `timing_s/*`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache

from runvitals.catalog.definitions.config_keys import CONFIG_KEYS
from runvitals.catalog.definitions.metrics import load_metrics
from runvitals.catalog.definitions.symptoms import SYMPTOMS
from runvitals.catalog.definitions.terms import TERMS
from runvitals.catalog.definitions.watch_lists import watch_list_titles
from runvitals.catalog.resolving.aliases import find_framework, has_placeholder
from runvitals.catalog.resolving.names import meaning_key
from runvitals.catalog.tools import frameworks

_CHOICE = re.compile(r"(?<![^/])[\w@]+(?:\|[\w@]+)+(?![^/])")
_CLOSE = 0.45
_SLIP = 0.78  # "entropy colapse" is a slip of "entropy collapse"; other phrases are further apart


@cache
def _known() -> tuple[tuple[str, frozenset[str]], ...]:
    names = list(load_metrics())
    for framework in frameworks().values():
        names += [a.name for a in framework.aliases if a.metric and not has_placeholder(a.name)]
    return tuple((name, meaning_key(name)) for name in dict.fromkeys(names))


def suggest(name: str, n: int = 5) -> list[str]:
    """Known names that look or read like this one, the nearest first.

    >>> suggest("policy/aprox_kl", 1)
    ['policy/approx_kl']
    """
    wanted, key = name.casefold()[:200], meaning_key(name[:200])
    matcher = SequenceMatcher(b=wanted)
    scored = []
    for known, words in _known():
        overlap = len(key & words) / (len(key | words) or 1)
        matcher.set_seq1(known.casefold())
        if overlap == 0 and matcher.quick_ratio() < _CLOSE:
            continue
        likeness = matcher.ratio()
        score = max(likeness, 0.6 * overlap + 0.4 * likeness)
        if score >= _CLOSE:
            scored.append((-score, len(known), known))
    return [known for _, _, known in sorted(scored)[:n]]


@cache
def _phrases() -> tuple[str, ...]:
    found = [name for one in SYMPTOMS for name in (one.sign, *one.also, *one.lists)]
    found += watch_list_titles()
    found += [name for one in TERMS.values() for name in (one.word, *one.also)]
    found += [name for one in CONFIG_KEYS.values() for name in (one.id, *one.aliases)]
    return tuple(dict.fromkeys(found))


def suggest_phrases(text: str, n: int = 3) -> list[str]:
    """Signs, lists, words and settings that look like this text, the nearest first.

    >>> suggest_phrases("reward anlysis", 1), suggest_phrases("qps_sensitivty", 1)
    (['Reward analysis'], ['qps_sensitivity'])
    """
    wanted = text.casefold()[:200]
    matcher = SequenceMatcher(b=wanted)
    scored = []
    for phrase in _phrases():
        matcher.set_seq1(phrase.casefold())
        if matcher.quick_ratio() >= _SLIP and (likeness := matcher.ratio()) >= _SLIP:
            scored.append((-likeness, phrase))
    return [phrase for _, phrase in sorted(scored)[:n]]


@dataclass(frozen=True, slots=True)
class FamilyMember:
    """A name of a family, the metric it is, and the tools that log it."""

    name: str
    metric: str | None
    tools: tuple[str, ...]


def is_family(text: str) -> bool:
    """True if a query asks for several names: `System/*`, `Train/`, `tool_calls/min|max|mean`.

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
    known = list(_members(tool))
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


def _members(tool: str | None) -> Iterable[FamilyMember]:
    for one in frameworks().values():
        if tool in (None, one.id):
            for alias in one.aliases:
                if has_placeholder(alias.name) and alias.metric is None:
                    continue
                yield FamilyMember(alias.name, alias.metric, (one.id,))
    if tool in (None, "runvitals"):
        for metric in load_metrics():
            yield FamilyMember(metric, metric, ("runvitals",))
