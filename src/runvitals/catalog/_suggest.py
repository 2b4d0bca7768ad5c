"""Near names for one that nobody knows."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache

from runvitals.catalog._names import meaning_key
from runvitals.catalog._patterns import has_placeholder
from runvitals.catalog.frameworks import frameworks
from runvitals.catalog.metrics import load_metrics

_CLOSE = 0.45


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
