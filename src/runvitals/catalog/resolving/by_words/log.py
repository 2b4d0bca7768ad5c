"""What the reading of one name needs to know of the other names of its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from runvitals.catalog.resolving.by_words.cover import HARMLESS
from runvitals.catalog.resolving.by_words.domain import Domain
from runvitals.catalog.resolving.by_words.parse import STATISTICS, parse
from runvitals.catalog.resolving.names import words

_TOTAL = words("reward total return")
_OTHER_STATISTICS = frozenset(STATISTICS) - {"mean", "smooth"}


@dataclass(frozen=True, slots=True)
class Log:
    """What the reading of one name needs to know of the others."""

    domain: Domain
    reward_names: int = 0
    has_total_reward: bool = False
    returns: tuple[str, ...] = ()  # names that speak of whole episodes
    others: frozenset[str] = frozenset()  # words of names that speak of no reward


def log_of(names: Iterable[str], domain: Domain) -> Log:
    """What the names of a run speak of."""
    rewards = 0
    total = False
    returns: list[str] = []
    others: set[str] = set()
    for name in names:
        parsed = parse(name)
        if parsed is None:
            continue
        if parsed.held_out or not parsed.words & {"reward", "return"}:
            others |= parsed.words
            continue
        tail = set(parsed.tail)
        if "episode" in parsed.words and not tail & _OTHER_STATISTICS:
            returns.append(name)
        rewards += not tail & _OTHER_STATISTICS
        total = total or tail - set(STATISTICS) - HARMLESS <= _TOTAL
    return Log(domain, rewards, total, tuple(returns), frozenset(others))
