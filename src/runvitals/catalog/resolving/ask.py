"""Questions about names, answered by one resolver per process.

Runs of one project log the same names, so the answers for a set of names are cached.
"""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from runvitals.catalog.resolving.aliases import find_framework as _find_framework
from runvitals.catalog.resolving.by_words.log import WordLog
from runvitals.catalog.resolving.by_words.read import FactsOf, says_something
from runvitals.catalog.resolving.context import Context, Guess
from runvitals.catalog.resolving.resolver import Doubt, Resolution, Resolver, word_log
from runvitals.catalog.resolving.tool_guess import LARGE_NUMBER, guess_plausible, telling
from runvitals.catalog.tools import frameworks as all_frameworks
from runvitals.model import Alias

_MAX_REMEMBERED = 2_000  # names of one run


@cache
def default_resolver() -> Resolver:
    """The resolver that knows every tool of the catalog."""
    return Resolver(all_frameworks())


@lru_cache(maxsize=64)
def _context(names: tuple[str, ...], framework: str | None, algorithm: str | None) -> Context:
    return default_resolver().context(names, framework, algorithm)


def resolve(
    name: str,
    *,
    framework: str | None = None,
    siblings: Iterable[str] = (),
    algorithm: str | None = None,
) -> Resolution | None:
    """The canonical metric behind a logged name, or None when that is not certain.

    `siblings` are the other names of the same run; they often tell the tool and the algorithm.

    >>> found = resolve("train/entropy_loss", framework="sb3")
    >>> found.metric, found.apply(-0.69)
    ('policy/entropy', 0.69)
    >>> resolve("kl") is None
    True
    """
    context = _context((name, *siblings), framework, algorithm)
    return default_resolver().resolve(name, context)


def resolve_all(
    names: Iterable[str],
    *,
    framework: str | None = None,
    algorithm: str | None = None,
    facts_of: FactsOf | None = None,
) -> dict[str, Resolution]:
    """All names of one run that resolve, each read in the light of the others.

    `facts_of` gives what matters of the numbers of a name (None where unknown): what the numbers
    contradict is not read into them.

    >>> sorted(resolve_all(["rollout/ep_rew_mean", "train/clip_fraction", "my/own/number"]))
    ['rollout/ep_rew_mean', 'train/clip_fraction']
    """
    distinct = tuple(dict.fromkeys(names))
    explain = _explained if len(distinct) <= _MAX_REMEMBERED else _explained.__wrapped__
    found, doubts, log = explain(distinct, framework, algorithm)
    resolver = default_resolver()
    answers: dict[str, Resolution] = {}
    silent: set[str] = set()  # what `layer.10/x` does not say, `layer.11/x` does not say either
    for name in distinct:
        known = found.get(name)
        if known is None:
            shape = LARGE_NUMBER.sub("00", name)
            if shape in silent:
                continue
            if not log.sides and not says_something(name, log, resolver.metrics):
                silent.add(shape)
                continue
        answer = (
            resolver.by_words(name, doubts[name], log, facts_of)
            if known is None
            else resolver.known(name, known, log, facts_of)
        )
        if answer is not None:
            answers[name] = answer
    return answers


@lru_cache(maxsize=64)  # the runs of one project log the same names
def _explained(
    names: tuple[str, ...], framework: str | None, algorithm: str | None
) -> tuple[Mapping[str, Resolution], Mapping[str, Doubt], WordLog]:
    """Names that tools and siblings explain, doubts about the rest, and context for their words."""
    resolver = default_resolver()
    context = resolver.context(names, framework, algorithm)
    found: dict[str, Resolution] = {}
    doubts: dict[str, Doubt] = {}
    nothing: dict[str, Doubt] = {}  # `layer.11/x` is nothing when `layer.10/x` was nothing
    for name in names:
        shape = LARGE_NUMBER.sub("00", name)
        if shape in nothing and name not in resolver.owners:
            doubts[name] = nothing[shape]
            continue
        answer = resolver.explain(name, context)
        if isinstance(answer, Resolution):
            found[name] = answer
            continue
        doubts[name] = answer
        if shape != name:
            nothing[shape] = answer
    log = word_log(context, (one.metric for one in found.values()))
    return found, doubts, log


@lru_cache(maxsize=256)
def find_framework(hint: str) -> str | None:
    """The id of the tool that a hint names, in any spelling, or None.

    >>> find_framework("SB3"), find_framework("veRL"), find_framework("Ray RLlib (old stack)")
    ('stable-baselines3', 'verl', 'rllib')
    """
    return _find_framework(hint, all_frameworks().values())


def guess_framework(names: Iterable[str], base: str | None = None) -> Guess:
    """The tool that most likely wrote these names; `base` is it, or what it is built on.

    >>> guess_framework(["rollout/ep_rew_mean", "time/fps", "train/approx_kl"]).id
    'stable-baselines3'
    >>> guess_framework(["loss", "rewards/chosen", "rewards/margins"], base="transformers").id
    'trl'
    """
    return _guessed(tuple(telling(names)), base)


@lru_cache(maxsize=64)  # the runs of one project log the same names
def _guessed(names: tuple[str, ...], base: str | None) -> Guess:
    resolver = default_resolver()
    known = base if base in resolver.indexes else None
    plausible, confidence, evidence = guess_plausible(names, resolver.indexes, known)
    return Guess(plausible[0] if plausible else None, round(confidence, 3), evidence[:8])


def candidates(name: str) -> list[tuple[str, Alias]]:
    """Every tool that logs a name, with what it means there; the way to explain an ambiguous one."""
    resolver = default_resolver()
    found = [(index.id, match.alias) for index, match in resolver.owners.get(name, [])]
    if found:
        return found
    return [
        (index.id, match.alias) for index in resolver.indexes.values() for match in index.find(name)
    ]
