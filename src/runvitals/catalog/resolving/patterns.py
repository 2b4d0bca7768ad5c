"""Alias names with `{placeholders}`, turned into matchers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from runvitals.catalog.resolving.names import tokens, words
from runvitals.model import Alias

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
# Placeholders that stand for a number, and those whose value may itself contain a slash
# (`openai/gsm8k` is one data set).
_NUMBERS = frozenset({"n", "k", "i", "j", "p"})
_PATHS = frozenset({"data_source", "dataset", "env", "parameter"})
# Class names that tell a policy from a critic.
_SHAPES = {
    "policy_object": r"[^/]*[Pp]olicy[^/]*",
    "value_object": r"[^/]*(?:[Vv]alue|[Bb]aseline|VF)[^/]*",
}
_GENERIC = words(
    "train training eval val validation test loss losses step epoch frame episode time timing mean "
    "avg info stats environment metrics batch perf performance policy reward env charts rollout "
    "evaluation progress objective iterations vs score scores value device"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One alias with placeholders. `weak` means that it would match almost any name."""

    alias: Alias
    regex: str
    prefix: str
    longest: str  # the longest part that is spelt out
    literal: int
    weak: bool

    def match(self, name: str, *, any_case: bool = False) -> Mapping[str, str] | None:
        """The values of the placeholders, or None."""
        start = name[: len(self.prefix)]
        if start != self.prefix and not (any_case and start.lower() == self.prefix.lower()):
            return None
        found = _compiled(self.regex, any_case).fullmatch(name)
        return found.groupdict() if found else None


@cache
def _compiled(regex: str, any_case: bool) -> re.Pattern[str]:
    """Compiled when first needed: most runs need a handful of the patterns."""
    return re.compile(regex, re.IGNORECASE if any_case else 0)


def has_placeholder(name: str) -> bool:
    """Whether the name has a part to fill in."""
    return "{" in name and _PLACEHOLDER.search(name) is not None


def compile_pattern(alias: Alias) -> Pattern:
    """A matcher for an alias whose name has placeholders.

    >>> compile_pattern(Alias("rewards/{func}/mean", "reward/component_mean")).match("rewards/f/mean")
    {'func': 'f'}
    """
    parts = _PLACEHOLDER.split(alias.name)
    literals, holes = parts[::2], parts[1::2]
    regex = re.escape(literals[0])
    for hole, literal in zip(holes, literals[1:], strict=True):
        if hole in _NUMBERS:
            value = r"(?:\d+|\*|n|k)"
        elif hole in _SHAPES:
            value = _SHAPES[hole]
        elif hole == "suffix":
            value = r"[^/]*"
        elif hole in _PATHS:
            value = r".+?"
        else:
            value = r"[^/]+?"
        group = re.sub(r"\W", "_", hole)
        regex += f"(?P<{group}>{value}){re.escape(literal)}"
    literal_words = [w for literal in literals for w in tokens(literal)]
    return Pattern(
        alias=alias,
        regex=regex,
        prefix=literals[0],
        longest=max(literals, key=len),
        literal=sum(map(len, literals)),
        weak=all(word in _GENERIC for word in literal_words),
    )


def fill(template: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Labels with the placeholders filled in."""
    if not template:
        return {}
    return {
        key: _PLACEHOLDER.sub(lambda m: values.get(re.sub(r"\W", "_", m[1]), m[0]), text)
        for key, text in template.items()
    }
