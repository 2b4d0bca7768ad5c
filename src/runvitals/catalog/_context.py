"""What the other names of a run say: which tool wrote it, which algorithm, which release."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runvitals.catalog._algorithms import family_of, match_level
from runvitals.catalog._index import NEWEST, FrameworkIndex, Match, Version, version_range
from runvitals.catalog._names import without_eval_prefix, without_train_prefix
from runvitals.catalog._own_loop import OwnLoop
from runvitals.catalog._structure import vague

# A guess counts only if it explains this share of the names, and nothing else does nearly as well.
_COVERAGE = 0.5
_RIVAL = 0.75
_SURE = 0.75
_LITERAL = 8  # characters a loose pattern has to spell out to count as evidence
_MANY = 4  # names of common words that prove a tool together, though none does alone


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
    own_loop: OwnLoop | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One tool, how much of the run it explains, and the names that speak for it alone."""

    id: str
    score: float
    coverage: float
    own: tuple[str, ...]


def rank_frameworks(names: Sequence[str], indexes: Mapping[str, FrameworkIndex]) -> list[Ranked]:
    """Tools by the names they and the tools below them log; a name that few tools log counts more.

    A tool built on another one ranks above it only if some names are its own.
    """
    chains = {one: frozenset(chain_ids(one, indexes)) for one in indexes}
    owners = {name: found for name in names if (found := _owners(name, indexes))}
    ranking = []
    for one, chain in chains.items():
        mine = [name for name, who in owners.items() if one in who]
        parents = chain - {one}
        added = [name for name in mine if not parents & owners[name]]
        if not mine or (parents and not added):
            continue
        covered = [name for name, who in owners.items() if chain & who]
        kin = chain | {other for other, below in chains.items() if one in below}
        own = tuple(name for name in covered if owners[name] <= kin)
        score = sum(1 / len(owners[name]) for name in covered)
        ranking.append(Ranked(one, score, len(covered) / len(names), own))
    return sorted(ranking, key=lambda ranked: -ranked.score)


def _owners(name: str, indexes: Mapping[str, FrameworkIndex]) -> frozenset[str]:
    """Tools that log a name, as it is or below a prefix that marks training or evaluation."""
    below = without_train_prefix(name)
    for one in (name, below[0] if below else None, without_eval_prefix(name)):
        if one:
            owners = frozenset(i for i, index in indexes.items() if one in index.exact)
            owners = owners or frozenset(i for i, x in indexes.items() if x.find_pattern(one))
            if owners:
                return owners
    return frozenset()


def guess_plausible(
    names: Sequence[str], indexes: Mapping[str, FrameworkIndex]
) -> tuple[tuple[str, ...], float, tuple[str, ...]]:
    """Tools that may have written these names, the best first; how sure; and the evidence."""
    ranking = rank_frameworks(names, indexes)
    if not ranking:
        return (), 0.0, ()
    best = ranking[0]
    chain = [indexes[one] for one in chain_ids(best.id, indexes)]
    loosely = sum(1 for name in names if _fits_loosely(name, chain)) / len(names)
    best = replace(best, coverage=max(best.coverage, loosely))
    kin = set(chain_ids(best.id, indexes))
    kin |= {one for one in indexes if best.id in chain_ids(one, indexes)}
    second = next((other.score for other in ranking[1:] if other.id not in kin), 0.0)
    confidence = best.coverage * (1 - second / best.score / 2)
    clear = len(best.own) >= 8 and best.score >= 3 * second
    if clear:
        confidence = max(confidence, _SURE)
    accepted = (
        (best.coverage >= _SURE and len(best.own) >= 1)
        or (best.coverage >= _COVERAGE and len(best.own) >= 3)
        or (best.coverage >= _COVERAGE / 2 and clear)
    )
    if not accepted or _only_common_words(names, best.own):
        return (), confidence, best.own
    below = set(chain_ids(best.id, indexes)) - {best.id}
    rivals = [
        other.id
        for other in ranking
        if other.score >= _RIVAL * best.score and other.id not in below
    ]
    return tuple(rivals), confidence, best.own


def _only_common_words(names: Sequence[str], own: Sequence[str]) -> bool:
    """Whether a tool is guessed from columns that anybody's loop may have, such as `mean_reward`."""
    loop = OwnLoop.of(names)
    if loop is None or loop.pairs or not loop.words & {"reward", "return", "episode"}:
        return False
    return len(own) < _MANY and all("/" not in name and vague(name) for name in own)


def _fits_loosely(name: str, chain: Sequence[FrameworkIndex]) -> bool:
    """Whether the tool logs a name, families such as `rewards/{func}` included."""
    below = without_train_prefix(name)
    forms = {name, below[0] if below else name, without_eval_prefix(name) or name}
    return any(
        index.find(form) or index.find_pattern(form, weak=True, least=_LITERAL)
        for form in forms
        for index in chain
    )


def chain_ids(framework: str, indexes: Mapping[str, FrameworkIndex]) -> list[str]:
    """A tool and the tools whose names it logs too, nearest first."""
    chain = [framework]
    for one in chain:
        if one in indexes:
            chain += [i for i in indexes[one].framework.inherits if i in indexes and i not in chain]
    return chain


def plausible_tags(
    names: Iterable[str], chain: Sequence[FrameworkIndex]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Algorithm tags that explain most of the names that only some algorithms log."""
    counts: Counter[str] = Counter()
    evidence: dict[str, list[str]] = defaultdict(list)
    for name in names:
        place = look_up(name, chain)
        found = place[1] if place else []
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


def first_tag(tags: frozenset[str], chain: Sequence[FrameworkIndex]) -> str:
    """The plainest of several tags: PPO before MaskablePPO, then in the tool's own order."""
    listed = [t for index in chain for alias in index.framework.aliases for t in alias.algorithms]
    return min(tags, key=lambda tag: (len(tag), listed.index(tag) if tag in listed else 0))


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
    logged = {below[0] if (below := without_train_prefix(name)) else name for name in names}
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


def families_of_hint(hint: str) -> frozenset[str]:
    """The families an algorithm name may mean; PPO means two."""
    return frozenset(f for kind in ("llm", "classic") if (f := family_of(hint, kind)))


def choose(found: Sequence[Match], context: Context, framework: str, kind: str) -> Match | None:
    """The one alias of a tool that the context decides for; None when it decides for none."""
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
    first = inside[0]
    return first if all(same(first.alias, m.alias) for m in inside) else None


def _in_release(match: Match, low: Version, high: Version) -> bool:
    span = version_range(match.alias.versions)
    if span is None:
        return True
    return span[0] <= high and (span[1] > low or span[0] == span[1])


def _foreign(match: Match, algorithm: str | None, tags: frozenset[str], kind: str) -> bool:
    """Whether only algorithms of quite another family log this, as `accuracy` in a run of SAC."""
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
    """Whether two aliases claim the same metric with the same sign and scale."""
    return all(getattr(a, f) == getattr(b, f) for f in ("metric", "scale", "transform"))
