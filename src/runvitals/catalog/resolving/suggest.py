"""Near names for one that nobody knows, and near phrases for one with a slip of the pen."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache

from runvitals.catalog.definitions.config_keys import CONFIG_KEYS
from runvitals.catalog.definitions.metrics import load_metrics
from runvitals.catalog.definitions.symptoms import SYMPTOMS
from runvitals.catalog.definitions.terms import TERMS
from runvitals.catalog.definitions.watch_lists import watch_list_titles
from runvitals.catalog.resolving.aliases import has_placeholder
from runvitals.catalog.resolving.names import meaning_key
from runvitals.catalog.tools import frameworks

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
