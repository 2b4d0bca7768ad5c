"""The metrics that an unexplained name may be, by the words it shares with names that are known.

A shared word counts for more the fewer known names have it: `margin` says much, `mean` next to nothing.
A word that no known name has counts against every metric, so that a name of another world gets none.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from runvitals import catalog
from runvitals.catalog.resolving.names import spellings

MAX_COUNT = 3
MIN_SCORE = 0.4  # of the weight of all words of both names; below it what they share is chance
SAYS_LITTLE = 0.15  # weight of a word that tells only which statistic, split or place is meant
ITS_OWN = 0.05  # in favour of the metric's own id: between equals the plainest
CLOSE = 0.6  # of the best score; what is further off is not shown beside it

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_HELD_OUT = frozenset({"eval", "val", "valid", "validation", "test", "dev", "heldout"})
_LITTLE = _HELD_OUT | frozenset(
    "mean min max std var median sum total train training trainer rollout custom metric metrics log "
    "charts info stats perf performance per the of and in at to by step batch global current last "
    "system main agent self env num number n nb count".split()
)
_SAME = {
    other: word
    for other, (word,) in spellings("""
mean: avg average ave; reward: rew; return: ret; length: len lens; accuracy: acc; rate: lr;
episode: ep episodic; epsilon: eps; entropy: ent; gradient: grad grads gradients; value: critic vf;
policy: pi actor; coef: coeff coefficient; fraction: frac ratio; response: completion; token: tok;
memory: mem; utilization: util; used: usage; s: sec seconds; step: timesteps;
probability: prob probs; logprob: logp logps
""").items()
}
_BESIDE = {"lr": "learning", "sps": "step", "ppl": "perplexity"}  # one word that stands for two


@dataclass(frozen=True, slots=True)
class Candidate:
    """A metric that a name may be, and the known name that speaks for it."""

    metric: str
    title: str
    because: str


@dataclass(frozen=True, slots=True)
class _Known:
    name: str
    tool: str | None
    metric: str
    words: frozenset[str]


@dataclass(frozen=True)
class _Index:
    names: tuple[_Known, ...]
    by_word: Mapping[str, tuple[int, ...]]
    weights: Mapping[str, float]
    unheard: float
    little: float

    def weight(self, words: Iterable[str]) -> float:
        """How much the words tell; one that no known name has tells most."""
        return math.fsum(  # exact in any order: two names as near as each other stay so
            self.little if word in _LITTLE else self.weights.get(word, self.unheard)
            for word in words
        )


def nearest(name: str, n: int = MAX_COUNT) -> tuple[Candidate, ...]:
    """What the name may mean, the nearest first; none where only chance would choose.

    >>> [near.metric for near in nearest("my_policy_entropy", 1)]
    ['policy/entropy']
    >>> nearest("EnergyEfficiency")
    ()
    """
    index, words = _index(), words_of(name)
    if not words:
        return ()
    telling = [word for word in words if word in index.by_word and word not in _LITTLE] or words
    scored: dict[str, tuple[float, str]] = {}
    for i in {i for word in telling for i in index.by_word.get(word, ())}:
        known = index.names[i]
        score = index.weight(words & known.words) / index.weight(words | known.words)
        score += ITS_OWN if known.tool is None else 0.0
        if score >= MIN_SCORE and score > scored.get(known.metric, (0.0, ""))[0]:
            because = "its id" if known.tool is None else f"{known.name} of {known.tool}"
            scored[known.metric] = score, because
    best = max((score for score, _ in scored.values()), default=0.0)
    order = sorted(scored, key=lambda metric: (-scored[metric][0], len(metric), metric))
    found: dict[str, Candidate] = {}
    for metric in order:
        score, because = scored[metric]
        if score >= CLOSE * best:
            shown = _held_out(metric) if is_held_out(name) else metric
            found.setdefault(shown, Candidate(shown, _title(shown), f"like {because}"))
    return tuple(found.values())[:n]


def words_of(name: str) -> frozenset[str]:
    """The words of a name in one spelling and number.

    >>> sorted(words_of("Train/avgEpRewards"))
    ['episode', 'mean', 'reward', 'train']
    """
    found = set()
    for word in _WORD.findall(name[:300]):
        word = word.lower()
        if word in _BESIDE:
            found.add(_BESIDE[word])
        word = _SAME.get(word, word)
        if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
            word = _SAME.get(word[:-1], word[:-1])
        if not word.isdigit():
            found.add(word)
    return frozenset(found)


def is_held_out(name: str) -> bool:
    """Whether the name says that its numbers come from data the model does not learn from."""
    return bool({word.lower() for word in _WORD.findall(name[:300])} & _HELD_OUT)


@cache
def _index() -> _Index:
    names = [_Known(metric, None, metric, words_of(metric)) for metric in catalog.METRICS]
    names += [
        _Known(
            alias.name, tool, alias.metric, words_of(alias.name.replace("{", "").replace("}", ""))
        )
        for tool, framework in catalog.FRAMEWORKS.items()
        for alias in framework.aliases
        if alias.metric is not None and not alias.metric.endswith("/metric")
    ]
    counts = Counter(word for known in names for word in known.words)
    most = math.log(len(names))
    weights = {word: math.log(len(names) / count) for word, count in counts.items()}
    by_word: dict[str, list[int]] = defaultdict(list)
    for i, known in enumerate(names):
        for word in known.words:
            by_word[word].append(i)
    found = {word: tuple(where) for word, where in by_word.items()}
    return _Index(tuple(names), found, weights, most, SAYS_LITTLE * most)


def _held_out(metric: str) -> str:
    """The version of a metric on held-out data, where the catalog has one."""
    if metric.startswith("eval/"):
        return metric
    short = f"eval/{metric.rsplit('/', 1)[-1]}"
    for one in (short, f"eval/{metric}") if metric.startswith("outcome/") else (f"eval/{metric}",):
        if catalog.metric(one) is not None:
            return one
    return metric


def _title(metric: str) -> str:
    known = catalog.metric(metric)
    return (known.title or known.meaning) if known is not None else ""
