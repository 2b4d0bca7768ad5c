"""Which algorithm a run uses, as far as its names and settings tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from runvitals.catalog._algorithms import family_of
from runvitals.catalog._context import Guess
from runvitals.catalog.frameworks import frameworks
from runvitals.catalog.resolver import default_resolver, guess_algorithm

_LIKELY = 0.3  # one of at most three


def algorithm_of(names: Iterable[str], framework: str, config: Mapping[str, Any]) -> Guess:
    """What the names speak for, unless they speak as much for many others, or for no algorithm.

    Variants do not count as others: where PPO and five kinds of PPO log the same, it is PPO. Between
    others a setting that says one of their names decides, as CleanRL's `exp_name` does.
    """
    names = list(names)
    if framework not in frameworks():
        return Guess(None, 0.0)
    guess = guess_algorithm(names, framework)
    unknown = Guess(None, guess.confidence)
    if guess.id is None or family_of(guess.id, frameworks()[framework].kind) is None:
        return unknown  # "any with EvalCallback", "validation", ...
    if guess.confidence >= _LIKELY:
        return guess
    equal = default_resolver().context(names, framework, None).tags[framework]
    if all(guess.id.lower() in tag.lower() for tag in equal):
        return guess
    said = {value.lower(): key for key, value in config.items() if isinstance(value, str)}
    named = sorted(tag for tag in equal if tag.lower() in said)
    if len(named) != 1:
        return unknown
    return Guess(named[0], 1.0, (f"config {said[named[0].lower()]}",))
