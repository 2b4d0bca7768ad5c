"""What the other names of a run say: which tool wrote it, which algorithm, which release."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runvitals.catalog.definitions.algorithms import (
    common_kind,
    family_of,
    match_level,
    plain_algorithm,
)
from runvitals.catalog.resolving.aliases import (
    NEWEST,
    FrameworkIndex,
    Match,
    Version,
    version_range,
)
from runvitals.catalog.resolving.by_words.log import WordLog
from runvitals.catalog.resolving.names import without_train_prefix

# times as many names as the smallest; judgement: ten more would have been logged
MAX_EXPECTED = 2.5


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
    alone: bool = True
    families: frozenset[str] = frozenset()
    tags: dict[str, frozenset[str]] = field(default_factory=dict)
    releases: dict[str, tuple[Version, Version]] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    log: WordLog | None = None  # what reading by words needs to know; made when it is first needed


def plausible_tags(
    names: Collection[str], chain: Sequence[FrameworkIndex], *, algorithms_only: bool = False
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Algorithm tags that explain most of the names that only some algorithms log.

    A name that an algorithm always logs, and that is missing, speaks against it. Some tags are no
    algorithms but say when a name is logged, as "with EvalCallback" does.
    """
    evidence = _names_by_tag(names, chain, algorithms_only=algorithms_only)
    if not evidence:
        return frozenset(), ()
    counts = Counter({tag: len(found) for tag, found in evidence.items()})
    counts.subtract(_missing(names, chain, counts))
    top = max(counts.values())
    best = [tag for tag, count in counts.items() if count == top]
    if common_kind({plain_algorithm(tag) or tag for tag in best}) is not None:
        return frozenset(best), tuple(evidence[best[0]])
    if top < 2 and len(counts) > 1:
        return frozenset(), ()
    chosen = _least_expecting(best, chain)
    return frozenset(chosen), tuple(evidence[chosen[0]])


def _names_by_tag(
    names: Collection[str], chain: Sequence[FrameworkIndex], *, algorithms_only: bool
) -> dict[str, list[str]]:
    """Per tag, the logged names that only some algorithms log and that this one does."""
    evidence: dict[str, list[str]] = defaultdict(list)
    for name in names:
        place = look_up(name, chain)
        found = place[1] if place else []
        if not found or any(not match.alias.algorithms for match in found):
            continue
        if plain_below(name, chain):
            continue  # any algorithm of the tool below logs it
        for tag in {tag for match in found for tag in match.alias.algorithms}:
            if not algorithms_only or plain_algorithm(tag) is not None:
                evidence[tag].append(name)
    return evidence


def _missing(
    names: Collection[str], chain: Sequence[FrameworkIndex], tags: Collection[str]
) -> Iterator[str]:
    """Yields a tag once for each name that it always logs and that is missing."""
    logged = {form for name in names for form in (name, *(without_train_prefix(name) or ())[:1])}
    for index in chain:
        for alias in index.framework.aliases:
            if alias.always and not alias.versions and alias.name not in logged:
                yield from (t for t in alias.algorithms if t in tags and _home(t, chain) is index)


def _least_expecting(tags: Sequence[str], chain: Sequence[FrameworkIndex]) -> list[str]:
    """Of tags that explain the same names, those that would not also log many others."""
    size = {
        tag: len({n for index in chain for n in index.names_by_tag.get(tag, ())}) for tag in tags
    }
    most = MAX_EXPECTED * min(size.values())
    return [tag for tag in tags if size[tag] <= most]


def _home(tag: str, chain: Sequence[FrameworkIndex]) -> FrameworkIndex | None:
    """The nearest tool with this algorithm; it may log it differently from the tool below."""
    return next((index for index in chain if tag in index.names_by_tag), None)


def look_up(
    name: str, chain: Sequence[FrameworkIndex]
) -> tuple[FrameworkIndex, list[Match], dict[str, str]] | None:
    """Where a tool or one below it has a name, what it finds there, and labels of a prefix.

    Exact names come first, with and without a tracker's prefix: `train/loss` is the `loss` of
    Transformers in TensorBoard, and not its `train_loss`.
    """
    below, labels = without_train_prefix(name) or (name, {})
    for form in dict.fromkeys((name, below)):
        for index in chain:
            if form in index.exact:
                return index, index.exact[form], labels if form != name else {}
    for form in dict.fromkeys((name, below)):
        for index in chain:
            found = index.find(form)
            if found:
                return index, found, labels if form != name else {}
    return None


def plain_below(name: str, chain: Sequence[FrameworkIndex]) -> list[Match]:
    """The meaning of a name in this tool or its parents when the algorithm is unknown."""
    below = (without_train_prefix(name) or (name, {}))[0]
    for form in dict.fromkeys((name, below)):
        for index in chain:
            plain = [m for m in index.exact.get(form, ()) if not m.alias.algorithms]
            if plain:
                return plain[:1]
    return []


def release_bounds(
    names: Sequence[str], chain: Sequence[FrameworkIndex], tags: frozenset[str]
) -> tuple[Version, Version]:
    """Oldest and newest release that logs all of these names, and misses what they lack."""
    low: Version = (0.0,)
    high: Version = NEWEST
    for name in names:
        place = look_up(name, chain)
        ranges = [version_range(m.alias.versions) for m in (place[1] if place else ())]
        known = [r for r in ranges if r is not None]
        if known and len(known) == len(ranges):
            low = max(low, min(r[0] for r in known))
            high = min(high, max(r[1] for r in known))
    logged = {form for name in names for form in (name, *(without_train_prefix(name) or ())[:1])}
    for alias in (alias for index in chain for alias in index.framework.aliases if alias.always):
        span = version_range(alias.versions)
        if span and tags and tags <= set(alias.algorithms) and alias.name not in logged:
            high = min(high, span[0])
    return (low, high) if low <= high else ((0.0,), NEWEST)


def likely_families(
    names: Iterable[str], owners: Mapping[str, Sequence[tuple[FrameworkIndex, Match]]]
) -> frozenset[str]:
    """Families of algorithms that the names speak for, over all tools; one tool proves nothing."""
    votes: dict[str, float] = defaultdict(float)
    tools: dict[str, set[str]] = defaultdict(set)
    for name in names:
        families: set[str] = set()
        if any(not match.alias.algorithms for _, match in owners.get(name.lower(), ())):
            continue  # `Epoch` and `Loss` are what everybody logs, however they are spelled
        for index, match in owners.get(name, ()):
            if not match.alias.algorithms:
                families.clear()
                break
            kind = index.framework.kind
            named = {f for t in match.alias.algorithms if (f := family_of(t, kind))}
            families |= named
            for family in named:
                tools[family].add(index.id)
        for family in families:
            votes[family] += 1 / len(families)
    total = sum(votes.values())
    return frozenset(
        f for f, v in votes.items() if v >= 0.45 * total and v >= 1 and len(tools[f]) >= 2
    )


def choose(found: Sequence[Match], context: Context, framework: str, kind: str) -> Match | None:
    """The alias that the context selects; None if it does not decide."""
    low, high = context.releases.get(framework, ((0.0,), NEWEST))
    inside = [m for m in found if _in_release(m, low, high)] or list(found)
    tags = context.tags.get(framework, frozenset())
    inside = [m for m in inside if not _foreign(m, context.algorithm, tags, kind)]
    if not inside:
        return None
    if context.algorithm is not None:
        levels = [_level(m, context.algorithm) for m in inside]
        top = max(levels)
        inside = [m for m, level in zip(inside, levels, strict=True) if level == top]
    elif tags:
        tagged = [m for m in inside if tags & set(m.alias.algorithms)]
        plain = [m for m in inside if not m.alias.algorithms]
        inside = tagged or plain or inside
    else:
        inside = [m for m in inside if not m.alias.algorithms] or inside
    first = inside[0]
    return first if all(same(first.alias, m.alias) for m in inside) else None


def _in_release(match: Match, low: Version, high: Version) -> bool:
    span = version_range(match.alias.versions)
    if span is None:
        return True
    return span[0] <= high and (span[1] > low or span[0] == span[1])


def _foreign(match: Match, algorithm: str | None, tags: frozenset[str], kind: str) -> bool:
    """True if only algorithms of another family log this, such as `accuracy` in a run of SAC."""
    ours = _families([algorithm] if algorithm else tags, kind)
    theirs = _families(match.alias.algorithms, kind)
    return bool(ours and theirs) and not ours & theirs


def _families(tags: Iterable[str], kind: str) -> set[str]:
    found = {family_of(tag, kind) for tag in tags}
    return set() if None in found else {family for family in found if family}


def _level(match: Match, algorithm: str) -> int:
    tags = match.alias.algorithms
    return max((match_level(algorithm, tag) for tag in tags), default=1)


def same(a: object, b: object) -> bool:
    """True if two aliases stand for the same metric with the same sign and scale."""
    return all(getattr(a, f) == getattr(b, f) for f in ("metric", "scale", "transform"))
