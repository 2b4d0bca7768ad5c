"""Indexes of tool aliases: exact names, names with `{placeholders}`, unit corrections, tool hints."""

import ast
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from runvitals.catalog.resolving.names import squashed, tokens, words
from runvitals.model import Alias, Framework

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
    """True if the name contains a `{placeholder}`."""
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


@dataclass(frozen=True, slots=True)
class Match:
    """An alias that fits a name, and what its placeholders stand for."""

    alias: Alias
    values: Mapping[str, str]


class FrameworkIndex:
    """Look-up of names in one tool: exact, then other case or separators, then patterns."""

    def __init__(self, framework: Framework) -> None:
        self.framework = framework
        self.id = framework.id
        self.exact: dict[str, list[Match]] = defaultdict(list)
        self.names_by_tag: dict[str, set[str]] = defaultdict(set)
        patterns = []
        for alias in framework.aliases:
            for tag in alias.algorithms:
                self.names_by_tag[tag].add(alias.name)
            if has_placeholder(alias.name):
                patterns.append(compile_pattern(alias))
            else:
                self.exact[alias.name].append(Match(alias, {}))
        patterns.sort(key=lambda p: -p.literal)
        self.patterns: Sequence[Pattern] = patterns
        # How the patterns start, to turn most names away at once: as spelt and in lower case.
        self._starts = {
            weak: (
                tuple({p.prefix for p in patterns if p.weak is weak}),
                tuple({p.prefix.lower() for p in patterns if p.weak is weak}),
            )
            for weak in (False, True)
        }

    @cached_property
    def squashed(self) -> dict[str, list[Match]]:
        """Exact names with case and separators made equal."""
        found: dict[str, list[Match]] = defaultdict(list)
        for name, matches in self.exact.items():
            found[squashed(name)] += matches
        return found

    def find(self, name: str, *, weak: bool = False) -> list[Match]:
        """All aliases that fit, from the first kind of match that finds any."""
        found = self.exact.get(name) or self.squashed.get(squashed(name))
        found = found or self.find_pattern(name, weak=weak)
        return found or self.find_pattern(name, weak=weak, any_case=True)

    def find_pattern(
        self, name: str, *, weak: bool = False, any_case: bool = False, least: int = -1
    ) -> list[Match]:
        """The patterns that fit, most literal first; equally literal ones together."""
        spelt, lower = self._starts[weak]
        if not (name.lower().startswith(lower) if any_case else name.startswith(spelt)):
            return []
        found: list[Match] = []
        literal = least
        for pattern in self.patterns:
            if pattern.literal < literal:
                break
            if pattern.weak is not weak:
                continue
            values = pattern.match(name, any_case=any_case)
            if values is not None:
                found.append(Match(pattern.alias, values))
                literal = pattern.literal
        return found


class PatternFinder:
    """Narrows down, cheaply, which tools can have a pattern that matches a name."""

    def __init__(self, indexes: Iterable[FrameworkIndex]) -> None:
        self._by_start: dict[str, list[FrameworkIndex]] = defaultdict(list)
        self._by_part: dict[str, list[FrameworkIndex]] = defaultdict(list)
        for index in indexes:
            clear = [pattern for pattern in index.patterns if not pattern.weak]
            for start in {pattern.prefix for pattern in clear if pattern.prefix}:
                self._by_start[start].append(index)
            for part in {pattern.longest for pattern in clear if not pattern.prefix}:
                self._by_part[part].append(index)
        self._lengths = sorted({len(start) for start in self._by_start})

    def candidates(self, name: str) -> list[FrameworkIndex]:
        """The tools worth asking, each once."""
        found: dict[str, FrameworkIndex] = {}
        for length in self._lengths:
            for index in self._by_start.get(name[:length], ()):
                found[index.id] = index
        for part, indexes in self._by_part.items():
            if part in name:
                found.update((index.id, index) for index in indexes)
        return list(found.values())


_PLAIN = re.compile(r"[^a-z0-9]+")


def _plain(text: str) -> str:
    return _PLAIN.sub("", text.lower())


def find_framework(hint: str, frameworks: Iterable[Framework]) -> str | None:
    """The id of the tool that a hint names, in any spelling, or None.

    The whole hint first, then the longest known name inside it: "Ray RLlib (new API stack)".
    """
    wanted = _plain(hint)
    best = ("", "")
    for framework in frameworks:
        for name in (framework.id, framework.title, *framework.names):
            known = _plain(name)
            if known == wanted:
                return framework.id
            if len(known) >= 3 and known in wanted and len(known) > len(best[0]):
                best = (known, framework.id)
    return best[1] or None


_RANGE = re.compile(r"(\d+(?:\.\d+)*) to (\d+(?:\.\d+)*)")
_BOUND = re.compile(r"(>=|<=|<|>)\s*(\d+(?:\.\d+)*)")
Version = tuple[float, ...]
NEWEST: Version = (float("inf"),)


def version_range(text: str) -> tuple[Version, Version] | None:
    """First and last release an alias holds for, or None when the text is not a plain range.

    >>> version_range("0.14 to 0.26")
    ((0.0, 14.0), (0.0, 26.0))
    """
    found = _RANGE.fullmatch(text)
    if found:
        return _version(found[1]), _version(found[2])
    found = _BOUND.fullmatch(text)
    if not found:
        return None
    bound = _version(found[2])
    return (bound, NEWEST) if found[1].startswith(">") else ((0.0,), bound)


def _version(text: str) -> Version:
    return tuple(float(part) for part in text.split("."))


# Above it a number is percent and no share: rounding, smoothing and bonuses bring a share to little
# more than 1, and 1.5% is less than anybody logs of a run that gets anywhere (judgement).
MAX_SHARE = 1.5
# NumPy arrays and plain floats both take these operators; that is all a transform may use.
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


@cache
def parse_transform(expression: str) -> Callable[[Any], Any]:
    """A function of x for an expression such as `x**2`, `1 - x/100`, `sqrt(x)`.

    Knows x, numbers, + - * / **, sqrt and share, which divides what can only be percents by 100;
    anything else is a ValueError.

    >>> parse_transform("1 - x/100")(25.0), parse_transform("share(x)")(25.0)
    (0.75, 0.25)
    """
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError) as err:
        raise ValueError(f"not a transform: {expression!r}") from err
    return _build(tree, expression)


def _build(node: ast.expr, expression: str) -> Callable[[Any], Any]:
    match node:
        case ast.Name(id="x"):
            return lambda x: x
        case ast.Constant(value=int() | float() as number):
            return lambda _: number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _build(operand, expression)
            return lambda x: -inner(x)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            act, a, b = _BINARY[type(op)], _build(left, expression), _build(right, expression)
            return lambda x: act(a(x), b(x))
        case ast.Call(func=ast.Name(id="sqrt"), args=[argument], keywords=[]):
            inner = _build(argument, expression)
            return lambda x: _sqrt(inner(x))
        case ast.Call(func=ast.Name(id="share"), args=[argument], keywords=[]):
            inner = _build(argument, expression)
            return lambda x: _share(inner(x))
    raise ValueError(f"not a transform: {expression!r}")


def _sqrt(value: Any) -> Any:
    if isinstance(value, (int, float)):
        return math.sqrt(value) if value >= 0 else math.nan
    return value**0.5


def _share(value: Any) -> Any:
    if isinstance(value, (int, float)):
        return value / 100 if value > MAX_SHARE else value
    return np.where(value > MAX_SHARE, value / 100, value)
