"""What the other names of a run say: which tool wrote it, which algorithm, which release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from runvitals.catalog._algorithms import family_of, match_level
from runvitals.catalog._index import NEWEST, FrameworkIndex, Match, Version, version_range
from runvitals.catalog._names import without_train_prefix

# A guess counts only if it explains this share of the names, and nothing else does nearly as well.
_COVERAGE = 0.5
_RIVAL = 0.75
_SURE = 0.75


@dataclass(frozen=True, slots=True)
class Guess:
    """What the names of a run suggest, how sure that is (0 to 1), and the names that say so."""

    id: str | None
    confidence: float
    evidence: tuple[str, ...] = ()


@dataclass(slots=True)
class Context:
    """Everything known about a run before its names are read."""

    hinted: str | None = None
    algorithm: str | None = None
    plausible: tuple[str, ...] = ()
    confidence: float = 0.0
    families: frozenset[str] = frozenset()
    tags: dict[str, frozenset[str]] = field(default_factory=dict)
    releases: dict[str, tuple[Version, Version]] = field(default_factory=dict)


def rank_frameworks(
    names: Iterable[str], indexes: Mapping[str, FrameworkIndex]
) -> list[tuple[str, float, tuple[str, ...]]]:
    """Tools by how many of the names they log; a name that few tools log counts more."""
    scores: dict[str, float] = defaultdict(float)
    evidence: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for name in names:
        owners = _owners(name, indexes)
        for owner in owners:
            scores[owner] += 1 / len(owners)
            evidence[owner].append((1 / len(owners), name))
    return [
        (owner, score, tuple(name for _, name in sorted(evidence[owner], key=lambda e: -e[0])))
        for owner, score in sorted(scores.items(), key=lambda item: -item[1])
    ]


def _owners(name: str, indexes: Mapping[str, FrameworkIndex]) -> list[str]:
    owners = [i for i, index in indexes.items() if name in index.exact]
    if not owners:
        owners = [i for i, index in indexes.items() if index.find_pattern(name)]
    if not owners:
        rest = without_train_prefix(name)
        if rest:
            owners = [i for i, index in indexes.items() if rest in index.exact]
    return owners


def guess_plausible(
    names: Sequence[str], indexes: Mapping[str, FrameworkIndex]
) -> tuple[tuple[str, ...], float, tuple[str, ...]]:
    """Tools that may have written these names, the best first; how sure; and the evidence."""
    ranking = rank_frameworks(names, indexes)
    if not ranking or not names:
        return (), 0.0, ()
    best, score, evidence = ranking[0]
    related = {best, *_chain_ids(best, indexes)}
    coverage = sum(
        1 for name in names if any(indexes[i].find(name) for i in related if i in indexes)
    ) / len(names)
    second = next((s for other, s, _ in ranking[1:] if other not in related), 0.0)
    confidence = coverage * (1 - second / score / 2)
    own = sum(1 for name in evidence if len(_owners(name, indexes)) == 1)
    if coverage < _COVERAGE or (coverage < _SURE and own < 3) or own < 1:
        return (), confidence, evidence
    rivals = tuple(other for other, s, _ in ranking if s >= _RIVAL * score)
    return rivals, confidence, evidence


def _chain_ids(framework: str, indexes: Mapping[str, FrameworkIndex]) -> list[str]:
    chain = [framework]
    for one in chain:
        if one in indexes:
            chain += [i for i in indexes[one].framework.inherits if i not in chain]
    return chain


def plausible_tags(
    names: Iterable[str], chain: Sequence[FrameworkIndex]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Algorithm tags that explain most of the names that only some algorithms log."""
    counts: Counter[str] = Counter()
    evidence: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found = _first(name, chain)
        if not found or any(not match.alias.algorithms for match in found):
            continue
        for tag in {tag for match in found for tag in match.alias.algorithms}:
            counts[tag] += 1
            evidence[tag].append(name)
    if not counts:
        return frozenset(), ()
    top = max(counts.values())
    if top < 2 and len(counts) > 1:
        return frozenset(), ()
    size = {
        tag: len({n for index in chain for n in index.names_by_tag.get(tag, ())}) for tag in counts
    }
    best = [tag for tag, count in counts.items() if count == top]
    # Of two that explain the same names, one that would also log ten others is less likely.
    smallest = min(size[tag] for tag in best)
    chosen = [tag for tag in best if size[tag] <= 2.5 * smallest]
    return frozenset(chosen), tuple(evidence[chosen[0]])


def _first(name: str, chain: Sequence[FrameworkIndex]) -> list[Match]:
    for candidate in (name, without_train_prefix(name)):
        if candidate:
            for index in chain:
                found = index.find(candidate)
                if found:
                    return found
    return []


def release_bounds(
    names: Iterable[str], chain: Sequence[FrameworkIndex]
) -> tuple[Version, Version]:
    """Oldest and newest release that logs all of these names."""
    low: Version = (0.0,)
    high: Version = NEWEST
    for name in names:
        ranges = [version_range(match.alias.versions) for match in _first(name, chain)]
        known = [r for r in ranges if r is not None]
        if known and len(known) == len(ranges):
            low = max(low, min(r[0] for r in known))
            high = min(high, max(r[1] for r in known))
    return low, high


def likely_families(
    names: Iterable[str], owners: Mapping[str, Sequence[tuple[FrameworkIndex, Match]]]
) -> frozenset[str]:
    """Families of algorithms that the names speak for, over all tools."""
    votes: dict[str, float] = defaultdict(float)
    for name in names:
        families: set[str] = set()
        for index, match in owners.get(name, ()):
            if not match.alias.algorithms:
                families.clear()
                break
            kind = index.framework.kind
            families |= {f for t in match.alias.algorithms if (f := family_of(t, kind))}
        for family in families:
            votes[family] += 1 / len(families)
    total = sum(votes.values())
    return frozenset(f for f, v in votes.items() if v >= 0.45 * total and v >= 1)


def families_of_hint(hint: str) -> frozenset[str]:
    """The families an algorithm name may mean; PPO means two."""
    return frozenset(f for kind in ("llm", "classic") if (f := family_of(hint, kind)))


def choose(found: Sequence[Match], context: Context, framework: str) -> Match | None:
    """The one alias of a tool that the context decides for; None when it decides for none."""
    low, high = context.releases.get(framework, ((0.0,), NEWEST))
    inside = [m for m in found if _in_release(m, low, high)] or list(found)
    if context.algorithm is not None:
        levels = [_level(m, context.algorithm) for m in inside]
        top = max(levels)
        inside = [m for m, level in zip(inside, levels, strict=True) if level == top]
    elif tags := context.tags.get(framework):
        tagged = [m for m in inside if tags & set(m.alias.algorithms)]
        plain = [m for m in inside if not m.alias.algorithms]
        inside = tagged or plain or inside
    first = inside[0]
    return first if all(same(first.alias, m.alias) for m in inside) else None


def _in_release(match: Match, low: Version, high: Version) -> bool:
    span = version_range(match.alias.versions)
    if span is None:
        return True
    return span[0] <= high and (span[1] > low or span[0] == span[1])


def _level(match: Match, algorithm: str) -> int:
    tags = match.alias.algorithms
    return max((match_level(algorithm, tag) for tag in tags), default=1)


def same(a: object, b: object) -> bool:
    """Whether two aliases claim the same metric with the same sign and scale."""
    return all(getattr(a, f) == getattr(b, f) for f in ("metric", "scale", "transform"))
