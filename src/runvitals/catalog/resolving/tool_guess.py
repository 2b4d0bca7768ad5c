"""Guesses which tool wrote a log from its names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from runvitals.catalog.definitions.algorithms import plain_algorithm
from runvitals.catalog.resolving.aliases import FrameworkIndex
from runvitals.catalog.resolving.names import (
    meaning_key,
    vague,
    without_eval_prefix,
    without_train_prefix,
    words,
)

# A guess counts only if it explains this share of the names, and nothing else does nearly as well.
_COVERAGE = 0.5
_NEAR = 0.6
_PROVEN = 0.6
_RIVAL = 0.75
_SURE = 0.75
_LITERAL = 8  # characters a loose pattern has to spell out to count as evidence
_MANY = 4  # names of common words that prove a tool together, though none does alone
# Weight of the names that prove a tool whatever else was logged, and of those that a tool built on
# another has to add to be told from it.
_PROOF = 3.0
_ADDED = 1.0


_NO_TRAINERS = frozenset({"glossary", "wandb"})  # a document, and who keeps what others log
_PAIRS = words("chosen rejected margin preference pair pairs")
_PLAYED = words("reward return episode")
MAX_LENGTH = 300  # nobody names a metric longer than this
_ENOUGH = 1000  # names that are looked at
_DIGITS = re.compile(r"\d+")
LARGE_NUMBER = re.compile(r"\d{2,}")


def telling(names: Iterable[str]) -> list[str]:
    """Names that tell something new: `layer_1/norm` and `layer_2/norm` say the same of a tool."""
    seen = {_DIGITS.sub("0", name): name for name in names if len(name) <= MAX_LENGTH}
    return list(seen.values())[:_ENOUGH]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One tool, how much of the run it explains, and the names that speak for it alone.

    `score` and `coverage` count all names that it or a tool below it logs; `near` is the coverage of
    the names that stand beside its own, below the same prefix; `proof` weighs names by how unlikely
    another tool or a loop of one's own is to have them; `spelled` are those of its own names that it
    writes just so, and not below another prefix; `added` are those beyond the tools below it.
    """

    id: str
    score: float
    coverage: float
    near: float
    proof: float
    own: tuple[str, ...]
    spelled: tuple[str, ...]
    added: tuple[str, ...]


def chain_ids(framework: str, indexes: Mapping[str, FrameworkIndex]) -> list[str]:
    """A tool and the tools whose names it logs too, nearest first."""
    chain = [framework]
    for one in chain:
        if one in indexes:
            chain += [i for i in indexes[one].framework.inherits if i in indexes and i not in chain]
    return chain


def rank_frameworks(names: Sequence[str], indexes: Mapping[str, FrameworkIndex]) -> list[Ranked]:
    """Tools by the names they and the tools below them log; a name that few tools log counts more.

    A tool built on another one ranks above it only if some names are its own.
    """
    indexes = {one: index for one, index in indexes.items() if one not in _NO_TRAINERS}
    chains = {one: frozenset(chain_ids(one, indexes)) for one in indexes}
    owners = {name: found for name in names if (found := _owners(name, indexes))}
    roots = {one: chain_ids(one, indexes)[-1] for one in indexes}
    lineages = {name: len({roots[one] for one in who}) for name, who in owners.items()}
    ranking = []
    for one, chain in chains.items():
        mine = [name for name, who in owners.items() if one in who]
        parents = chain - {one}
        added = tuple(name for name in mine if not parents & owners[name])
        if not mine or (parents and not added):
            continue
        covered = [name for name, who in owners.items() if chain & who]
        kin = chain | {other for other, below in chains.items() if one in below}
        own = tuple(name for name in covered if owners[name] <= kin)
        spelled = tuple(name for name in own if not _other_prefix(name, owners[name], indexes))
        measured = _measured(covered, names, owners, lineages)
        ranking.append(Ranked(one, *measured, own, spelled, added))
    return sorted(ranking, key=lambda ranked: -ranked.score)


def _measured(
    covered: Sequence[str],
    names: Sequence[str],
    owners: Mapping[str, frozenset[str]],
    lineages: Mapping[str, int],
) -> tuple[float, float, float, float]:
    """The score of a tool, its coverage of all names and of those near by, and its proof."""
    score = sum(1 / len(owners[name]) for name in covered)
    proof = sum(weight(name) / lineages[name] for name in covered)
    return score, len(covered) / len(names), len(covered) / _near(covered, names), proof


def _near(covered: Sequence[str], names: Sequence[str]) -> int:
    """How many names lie in the same folders as these."""
    heads = {name.partition("/")[0] for name in covered}
    return sum(name.partition("/")[0] in heads for name in names)


def weight(name: str) -> float:
    """How distinctive a name is, from 0 (anybody might choose it) to 1."""
    path = "/" in name
    if not vague(name) and (path or len(meaning_key(name)) > 1):
        return 1.0
    return 0.5 if path or len(meaning_key(name)) > 1 else 0.25


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


def _other_prefix(name: str, owners: frozenset[str], indexes: Mapping[str, FrameworkIndex]) -> bool:
    """True if its owners log it only without its prefix, such as `val_`, which anybody may add."""
    rest = without_eval_prefix(name)
    if not rest or name.lower().startswith("eval"):
        return False
    found = (indexes[one] for one in owners)
    return not any(name in index.exact or index.find_pattern(name) for index in found)


def guess_plausible(
    names: Sequence[str], indexes: Mapping[str, FrameworkIndex], base: str | None = None
) -> tuple[tuple[str, ...], float, tuple[str, ...]]:
    """Tools that may have written these names, the best first; how sure; and the evidence.

    `base` is a tool that certainly did, or on which the one that did is built.
    """
    ranking = rank_frameworks(names, indexes)
    marked, marks = _marked(names, indexes, ranking)
    if marked is not None and (base is None or base in chain_ids(marked, indexes)):
        base = marked
    if base is not None:
        return _built_on(base, marks, ranking, indexes)
    if not ranking:
        return (), 0.0, ()
    best = ranking[0]
    chain = [indexes[one] for one in chain_ids(best.id, indexes)]
    loosely = sum(1 for name in names if _fits_loosely(name, chain)) / len(names)
    best = replace(best, coverage=max(best.coverage, loosely))
    kin = set(chain_ids(best.id, indexes))
    kin |= {one for one in indexes if best.id in chain_ids(one, indexes)}
    second = next((other for other in ranking[1:] if other.id not in kin), None)
    other_score, other_proof = (second.score, second.proof) if second else (0.0, 0.0)
    confidence = best.coverage * (1 - other_score / best.score / 2)
    proven = _is_proven(best, other_proof)
    if proven:  # though not sure enough to claim the other names by loose patterns
        confidence = max(confidence, _PROVEN)
    if (
        not (proven or _covers_enough(best))
        or _only_common_words(names, best.own)
        or _of_two_trainers(best.own, chain)
    ):
        return (), confidence, best.own
    below = set(chain_ids(best.id, indexes)) - {best.id}
    rivals = [
        other.id
        for other in ranking
        if other.score >= _RIVAL * best.score and other.id not in below
    ]
    return tuple(rivals), confidence, best.own


def _is_proven(best: Ranked, other_proof: float) -> bool:
    """True if enough names belong to this tool alone, and custom names do not outnumber them."""
    enough = best.proof >= max(_PROOF, 1.5 * other_proof) and len(best.own) >= 3
    return enough and best.near >= _NEAR


def _covers_enough(best: Ranked) -> bool:
    """True if the tool logs most of the names, including some that no other tool logs."""
    # `val_ppl` is anybody's, even if only one tool is known to log `ppl` and `eval_ppl`
    if best.coverage >= _SURE and sum(map(weight, best.spelled)) >= _ADDED:
        return True
    return best.coverage >= _COVERAGE and len(best.own) >= 3


def _marked(
    names: Sequence[str], indexes: Mapping[str, FrameworkIndex], ranking: Sequence[Ranked]
) -> tuple[str | None, tuple[str, ...]]:
    """The tool that has a mark among the names; of several the one that explains most."""
    have = {form for name in names for form in (name, *(without_train_prefix(name) or ())[:1])}
    found: dict[str, tuple[str, ...]] = {}
    for one, index in indexes.items():
        for mark in index.framework.marks:
            parts = tuple(mark.split())
            if have.issuperset(parts):
                found[one] = tuple(dict.fromkeys((*found.get(one, ()), *parts)))
    if not found:
        return None, ()
    scores = {ranked.id: ranked.score for ranked in ranking}
    best = max(found, key=lambda one: (len(chain_ids(one, indexes)), scores.get(one, 0.0)))
    return best, found[best]


def _built_on(
    base: str,
    marks: tuple[str, ...],
    ranking: Sequence[Ranked],
    indexes: Mapping[str, FrameworkIndex],
) -> tuple[tuple[str, ...], float, tuple[str, ...]]:
    """The tool itself, or one built on it that logged names of its own."""
    best = base
    evidence = marks
    for ranked in ranking:
        chain = chain_ids(ranked.id, indexes)
        if best in chain[1:] and sum(map(weight, ranked.added)) >= _ADDED:
            best, evidence = ranked.id, ranked.added
    return (best,), 1.0, evidence


def _only_common_words(names: Sequence[str], own: Sequence[str]) -> bool:
    """True if the guess rests on names that any loop may have, such as `mean_reward`."""
    spoken = frozenset(word for name in names for word in meaning_key(name))
    if 2 * sum("/" in name for name in names) > len(names) or spoken & _PAIRS:
        return False
    if not spoken & _PLAYED:
        return False
    return len(own) < _MANY and all("/" not in name and vague(name) for name in own)


def _of_two_trainers(own: Sequence[str], chain: Sequence[FrameworkIndex]) -> bool:
    """True if the guess rests on a few names that none of the tool's algorithms logs together.

    `mean_reward` of a reward model beside `completion_length` of GRPO is somebody's own loop.
    """
    if len(own) >= _MANY:
        return False
    common: frozenset[str] | None = None
    for name in own:
        below = without_train_prefix(name)
        forms = {name, below[0] if below else name, without_eval_prefix(name) or name}
        matches = [match for index in chain for form in forms for match in index.find(form)]
        tags = {tag for match in matches for tag in match.alias.algorithms or ("",)}
        algorithms = {plain_algorithm(tag) for tag in tags}
        if None in algorithms:
            continue  # whatever is trained may log it
        said = frozenset(one for one in algorithms if one is not None)
        common = said if common is None else common & said
    return common is not None and not common


def _fits_loosely(name: str, chain: Sequence[FrameworkIndex]) -> bool:
    """True if the tool logs a name, including families such as `rewards/{func}`."""
    below = without_train_prefix(name)
    forms = {name, below[0] if below else name, without_eval_prefix(name) or name}
    return any(
        index.find(form) or index.find_pattern(form, weak=True, least=_LITERAL)
        for form in forms
        for index in chain
    )
