"""Compares phrases by meaning: "SPS suddenly drops" and "steps per second drop suddenly" are alike."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

from runvitals.catalog.resolving.names import spellings

_Choice = TypeVar("_Choice")

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_EMPTY = frozenset(
    "the a an is are was of and in to at it its while but for stays stay goes go with my on by "
    "be becomes become starts start hits all this that does do t did still very too "
    "remains remain long time when as which suddenly sudden last".split()
)
# Short forms, and what people write together that is two words.
_WRITTEN_OUT = {
    short: " ".join(meant)
    for short, meant in spellings("""
steps per second: sps; updates per second: ups; second: sec; out of memory: oom; reward model: rm;
utilisation of flops: mfu; clip fraction: clipfrac; kl: approxkl; validation: val; learning rate: lr;
gradient: grad; log probs: logprobs; optimisation: optimization; utilisation: utilization;
penalise: penalize; ten: 10x 10
""").items()
} | {"approx": "", "divergence": ""}
# Words that say the same of a curve.
_SAME = {
    word: said
    for word, (said,) in spellings("""
rise: rise rose rising risen up increase increased increasing grow grew growing climb climbing improve
  improving improved improvement better;
fall: fall fell falling down drop dropped dropping decrease decreasing decline;
spike: spike spiking jump jumped jumping; high: high large; small: small tiny;
explode: explode exploding exploded explosion blow huge enormous;
collapse: collapse collapsing collapsed crash crashed crashing;
flat: flat flatline flatlining stall stalling stalled stuck plateau stagnate stagnation stagnating;
evaluation: evaluation eval validation; not: not no never without doesn don isn nothing;
response: response completion answer
""").items()
}
_HEADING = re.compile(r"^(?:#+\s*)?(?:[a-z]?\.?\d+(?:\.\d+)*[.)]?\s+)?", re.IGNORECASE)
_ASIDE = re.compile(r"\s*(?::\s*[\"“].*|\((?:[^()]|\([^()]*\))*\)\s*)$")
_QUESTION = re.compile(r"^what (?:is|are)\s+", re.IGNORECASE)
CLOSE = 0.62  # measured on the wordings themselves: below it signs of other metrics come up
MAX_COUNT = 4


def text_of_heading(text: str) -> str:
    """A heading or table cell without its number, marks and asides.

    >>> text_of_heading('5. Preference Metrics (DPO/KTO): "A Report Card"')
    'Preference Metrics'
    >>> text_of_heading("- **High `approx_kl` but low reward**")
    'High approx_kl but low reward'
    """
    plain = text.strip().strip("-*|→ ").replace("`", "").replace("*", "")
    plain = _QUESTION.sub("", _HEADING.sub("", plain))
    while (shorter := _ASIDE.sub("", plain)) != plain:
        plain = shorter
    return plain.strip(" :?.")


@cache
def stems(text: str) -> frozenset[str]:
    """The words of a phrase that carry its meaning, each in one form."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold().replace("_", " ")):
        for part in _written_out(word).split():
            if part not in _EMPTY:
                found.append(_stem(part))
    return frozenset(found)


def _written_out(word: str) -> str:
    return _WRITTEN_OUT.get(word, _WRITTEN_OUT.get(word.removesuffix("s"), word))


def _stem(word: str) -> str:
    if word in _SAME:
        return _SAME[word]
    for ending in ("es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            bare = word.removesuffix(ending)
            if bare in _SAME:
                return _SAME[bare]
    return word.removesuffix("s") if len(word) > 3 else word


def wordings_like(
    text: str, choices: Sequence[tuple[_Choice, Iterable[str]]]
) -> list[tuple[_Choice, float]]:
    """Choices with a wording similar to the text and their similarity, best first.

    A wording with all words of the text counts as near; words that many wordings share count little.
    """
    wanted = stems(text)
    if not wanted:
        return []
    worded = [(choice, [stems(one) for one in wordings]) for choice, wordings in choices]
    common = Counter(word for _, said in worded for word in frozenset().union(*said))
    weight = {word: math.log(1 + len(worded) / seen) for word, seen in common.items()}
    rare = math.log(1 + len(worded))
    scored = []
    for choice, said in worded:
        nearness = max(_likeness(wanted, one, weight, rare) for one in said)
        if wanted <= said[0]:
            nearness = max(nearness, CLOSE)
        if nearness >= CLOSE:
            scored.append((choice, nearness))
    scored.sort(key=lambda one: -one[1])
    exact = [one for one in scored if one[1] == 1.0]
    subset = [one for one in scored if one not in exact]
    return (exact + subset)[:MAX_COUNT]


def _likeness(
    wanted: frozenset[str], said: frozenset[str], weight: dict[str, float], rare: float
) -> float:
    shared = sum(weight[word] for word in wanted & said)
    asked = sum(weight.get(word, rare) for word in wanted)
    offered = sum(weight[word] for word in said)
    return 2 * shared / (asked + offered) if asked + offered else 0.0
