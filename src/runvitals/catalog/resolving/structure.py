"""Names no tool is known to log, read by their words, and only when nothing else fits them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from runvitals.catalog.definitions.algorithms import family_of
from runvitals.catalog.resolving.alias_index import FrameworkIndex
from runvitals.catalog.resolving.names import meaning_key, words
from runvitals.model import Alias

# Words too common to say alone what a number is.
VAGUE = words(
    "loss reward return returns score value entropy kl accuracy ratio time step epoch episode "
    "iteration min max std variance length learning rate margin token sample num total update "
    "policy grad norm coef alpha beta eval val test rollout q per s error size batch data delta "
    "final raw all chosen rejected penalty queue state env sft buffer replay device global "
    "perf throughput info"
)
_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Vote:
    """One tool's reading of a set of words."""

    framework: str
    families: frozenset[str]
    alias: Alias


def vague(name: str) -> bool:
    """Whether all words of a name are too common to trust one tool's reading of them."""
    return meaning_key(name) <= VAGUE


def _enough(key: frozenset[str], tools: int, share: float) -> bool:
    """The vaguer the words, the more tools have to agree on them."""
    clear = len(key - VAGUE)
    if clear == 0:
        return len(key) >= 2 and tools >= 3 and share == 1.0
    if tools == 1:
        return len(key) >= 3 and clear >= 2
    return share >= _SHARE


class Structure:
    """What the known tools mean by a set of words."""

    def __init__(self, indexes: Mapping[str, FrameworkIndex], metric_ids: Iterable[str]) -> None:
        self.votes: dict[frozenset[str], list[Vote]] = defaultdict(list)
        for index in indexes.values():
            for name, matches in index.exact.items():
                for match in matches:
                    kind = index.framework.kind
                    tags = match.alias.algorithms
                    families = frozenset(f for t in tags if (f := family_of(t, kind)))
                    self.votes[meaning_key(name)].append(Vote(index.id, families, match.alias))
        for metric in metric_ids:
            self.votes[meaning_key(metric)].append(
                Vote("runvitals", frozenset(), Alias(metric, metric))
            )

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that means something in some name."""
        return frozenset(word for key in self.votes for word in key)

    def read(self, name: str, families: frozenset[str]) -> Alias | None:
        """The alias that the known tools agree on for these words, or None.

        Votes of the run's own family of algorithms decide where there are any.
        """
        key = meaning_key(name)
        votes = self.votes.get(key)
        if not votes:
            return None
        if families:
            ours = [v for v in votes if not v.families or v.families & families]
            votes = ours
        by_tool: dict[str, list[Alias]] = defaultdict(list)
        for vote in votes:
            by_tool[vote.framework].append(vote.alias)
        tally: dict[tuple[str | None, float, str], float] = defaultdict(float)
        for aliases in by_tool.values():
            claims = {(a.metric, a.scale, a.transform) for a in aliases}
            for claim in claims:
                tally[claim] += 1 / len(claims)
        if not tally:
            return None
        claim, weight = max(tally.items(), key=lambda item: item[1])
        tools = len(by_tool)
        if claim[0] is None or not _enough(key, tools, weight / tools):
            return None
        for vote in votes:
            alias = vote.alias
            if (alias.metric, alias.scale, alias.transform) == claim:
                return alias
        return None
