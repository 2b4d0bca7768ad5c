"""From a name that some tool logged to the canonical metric, its unit and its sign.

A wrong match is worse than none: where the context does not decide, the answer is None.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from runvitals.catalog.definitions.algorithms import families_of, family_of
from runvitals.catalog.definitions.metrics import load_metrics
from runvitals.catalog.resolving.aliases import (
    FrameworkIndex,
    Match,
    PatternFinder,
    fill,
    parse_transform,
)
from runvitals.catalog.resolving.aliases import find_framework as _find_framework
from runvitals.catalog.resolving.by_words.log import (
    Domain,
    WordLog,
    domain_of,
    log_of,
    scale_if_it_fits,
    transform_if_it_turns,
)
from runvitals.catalog.resolving.by_words.read import FactsOf, Reading, of_one_step, read
from runvitals.catalog.resolving.context import (
    Context,
    choose,
    likely_families,
    look_up,
    plain_below,
    plausible_tags,
    release_bounds,
    same,
)
from runvitals.catalog.resolving.names import (
    meaning_key,
    vague,
    without_eval_prefix,
    without_train_prefix,
)
from runvitals.catalog.resolving.tool_guess import MAX_LENGTH, chain_ids, guess_plausible, telling
from runvitals.model import Alias, Certainty, Framework, split_labels

How = Literal["canonical", "alias", "pattern", "agreed", "words"]
_SURE = 0.7


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a logged name is: `canonical value = scale * logged value`, or `transform` of it.

    `how` says what the answer rests on: the name is canonical; an `alias` or `pattern` of the
    run's own tool; all tools that have the name `agreed`; or its `words`, beside the other names of
    the run. `sure` says how far to trust it.
    """

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    transform: str = ""
    framework: str | None = None
    alias: Alias | None = None
    how: How = "alias"
    sure: Certainty = "likely"
    phrase: str = ""  # what its words say, where they decided

    @property
    def is_identity(self) -> bool:
        """True if logged values are canonical as they are."""
        return self.scale == 1.0 and not self.transform

    def apply(self, values: Any) -> Any:
        """Logged values (a number or a NumPy array) in the canonical unit and sign."""
        if self.transform:
            return parse_transform(self.transform)(values)
        return values if self.scale == 1.0 else values * self.scale


class _Meaningless(Exception):  # noqa: N818 - a signal, not an error
    """The run's own tool logs the name and it has no general meaning: stop looking."""


class _Undecided(Exception):  # noqa: N818 - a signal, not an error
    """Tools have the name, and the context does not decide which of these metrics it is."""

    def __init__(self, metrics: Iterable[str | None] = (), *, own: bool = False) -> None:
        self.doubt = Doubt(frozenset(one for one in metrics if one is not None), own)


@dataclass(frozen=True, slots=True)
class Doubt:
    """What tools leave open about a name: the metrics it may be, or nothing at all (`closed`).

    `own` if it is the run's own tool that does.
    """

    metrics: frozenset[str] = frozenset()
    own: bool = False
    closed: bool = False


_DIFFER = ("one metric", "another")  # tools that do not agree, whatever they mean
_USERS_OWN = "supervised/metric"  # whatever a user of the tool computes and names
# Metrics that say no more than a name says, and so contradict no tool.
_LEAVES_OPEN = frozenset({"optim/loss", "eval/loss"})


def word_log(context: Context, metrics: Iterable[str]) -> WordLog:
    """The context for reading by words, given the metrics of the other names."""
    known = context.algorithm is not None or bool(context.plausible)
    domain = domain_of(context.names, context.families, metrics, known=known)
    return log_of(context.names, domain, alone=context.alone)


def checked(
    found: Resolution, name: str, facts_of: FactsOf | None, domain: Domain
) -> Resolution | None:
    """The answer, unless the numbers contradict it; a tool's own names are always believed."""
    if facts_of is None or found.sure == "certain" or (facts := facts_of(name)) is None:
        return found
    metric = of_one_step(found.metric, facts, domain)
    if metric != found.metric:
        return replace(found, metric=metric, how="words", sure="likely")
    if found.transform or found.scale != 1.0:
        return found
    scale = scale_if_it_fits(metric, facts)
    if scale is None:
        return None
    return replace(found, scale=scale, transform=transform_if_it_turns(metric, facts))


class Resolver:
    """Names against a set of tools; the functions below use one with every known tool."""

    def __init__(self, frameworks: Mapping[str, Framework]) -> None:
        self.frameworks = frameworks
        self.metrics = load_metrics()
        self.indexes = {i: FrameworkIndex(f) for i, f in frameworks.items()}
        self.owners: dict[str, list[tuple[FrameworkIndex, Match]]] = defaultdict(list)
        for index in self.indexes.values():
            for name, matches in index.exact.items():
                self.owners[name] += [(index, match) for match in matches]

    @cached_property
    def pattern_finder(self) -> PatternFinder:
        """Which tools may have a pattern that fits a name."""
        return PatternFinder(self.indexes.values())

    # ---- context

    def chain(self, framework: str) -> list[FrameworkIndex]:
        """A tool and the tools whose names it logs too."""
        return [self.indexes[i] for i in chain_ids(framework, self.indexes)]

    def context(
        self, names: Sequence[str], framework: str | None, algorithm: str | None
    ) -> Context:
        """What is known about a run with these names; a given tool is believed."""
        hinted = _find_framework(framework, self.frameworks.values()) if framework else None
        context = Context(hinted=hinted, algorithm=algorithm)
        names = telling(names)
        context.names = tuple(names)
        context.alone = len(names) < 2
        if hinted:
            context.plausible, context.confidence = (hinted,), 1.0
        elif len(names) > 1:
            context.plausible, context.confidence, _ = guess_plausible(names, self.indexes)
        if algorithm:
            context.families = families_of(algorithm)
        elif len(names) > 1:
            context.families = likely_families(names, self.owners)
        if len(names) > 1:
            for one in context.plausible:
                chain = self.chain(one)
                context.tags[one] = plausible_tags(names, chain)[0]
                context.releases[one] = release_bounds(names, chain, context.tags[one])
        return context

    # ---- one name

    def resolve(
        self, name: str, context: Context, facts_of: FactsOf | None = None
    ) -> Resolution | None:
        """What the name is in this context, or None; `facts_of` tells its numbers, if there are any."""
        found = self.explain(name, context)
        if isinstance(found, Resolution):
            return checked(found, name, facts_of, frozenset())
        if context.log is None:
            context.log = self._log(context)
        return self.by_words(name, found, context.log, facts_of)

    def known(
        self, name: str, found: Resolution, log: WordLog, facts_of: FactsOf | None
    ) -> Resolution | None:
        """What tools said of a name, if the numbers agree.

        Where the tool only knows that it is some metric of its user's, as `eval_f1` of the Hugging
        Face Trainer, the words may say which.
        """
        if found.metric.endswith(_USERS_OWN):
            found = self.by_words(name, Doubt(), log, facts_of) or found
        return checked(found, name, facts_of, log.domain)

    def explain(self, name: str, context: Context) -> Resolution | Doubt:
        """What tools say about a name; failing that, what remains for its words to decide."""
        if not name or len(name) > MAX_LENGTH:
            return Doubt(closed=True)
        try:
            found = (
                self._by_tool(name, context)
                or self._canonical(name)
                or self._by_agreement(name, context)
                or self._by_weak_pattern(name, context)
            )
        except _Meaningless:
            return Doubt(closed=True)
        except _Undecided as undecided:
            return undecided.doubt
        return found or Doubt()

    def _log(self, context: Context) -> WordLog:
        """What the names of the run speak of, in the light of those that are explained."""
        found = (self.explain(name, context) for name in context.names)
        return word_log(context, (one.metric for one in found if isinstance(one, Resolution)))

    def by_words(
        self, name: str, doubt: Doubt, log: WordLog, facts_of: FactsOf | None
    ) -> Resolution | None:
        """Reads the name by its words, restricted to the metrics that a tool leaves open."""
        if doubt.closed:
            return None
        found = read(name, log, self.metrics, facts_of)
        if found is None:
            return None
        if doubt.own and doubt.metrics and found.metric not in doubt.metrics | _LEAVES_OPEN:
            return None
        if facts_of is None and not _undisputed(found, doubt, log):
            return None
        sure: Certainty = "likely" if found.surely else "guess"
        return Resolution(
            found.metric,
            found.labels,
            found.scale,
            found.transform,
            how="words",
            sure=sure,
            phrase=found.phrase,
        )

    def _canonical(self, name: str) -> Resolution | None:
        bare, labels = split_labels(name)
        if bare in self.metrics or (
            bare.startswith("eval/") and bare.removeprefix("eval/") in self.metrics
        ):
            return Resolution(bare, labels, how="canonical", framework="runvitals", sure="certain")
        return None

    def _by_tool(self, name: str, context: Context) -> Resolution | None:
        """The meaning in the run's own tool; several plausible tools must agree."""
        answers: list[Resolution] = []
        doubts: list[_Undecided] = []
        for one in context.plausible:
            try:
                answer = self._in_chain(name, one, context)
            except _Undecided as undecided:
                doubts.append(undecided)
                continue
            except _Meaningless:
                if len(context.plausible) == 1:
                    raise
                doubts.append(_Undecided())
                continue
            if answer:
                answers.append(answer)
        differ = any(not same(answers[0], other) for other in answers[1:])
        if differ or (doubts and (not answers or len(context.plausible) == 1)):
            said = {metric for one in doubts for metric in one.doubt.metrics}
            raise _Undecided(said | {answer.metric for answer in answers}, own=True)
        return answers[0] if answers else None

    def _in_chain(self, name: str, framework: str, context: Context) -> Resolution | None:
        place = look_up(name, self.chain(framework))
        if place:
            index, found, labels = place
            if all(match.alias.algorithms for match in found):
                found = [*found, *plain_below(name, self.chain(framework))]
            answer = self._pick(found, context, framework, index)
            return replace(answer, labels={**answer.labels, **labels}) if labels else answer
        below, labels = without_train_prefix(name) or ("", {})
        if below and (inner := self._in_chain(below, framework, context)):
            return replace(inner, labels={**inner.labels, **labels})
        rest = without_eval_prefix(name)
        if rest and (inner := self._in_chain(rest, framework, context)):
            return self._as_eval(inner)
        return None

    def _pick(
        self, found: Sequence[Match], context: Context, framework: str, index: FrameworkIndex
    ) -> Resolution:
        match = choose(found, context, framework, index.framework.kind)
        if match is None:
            raise _Undecided((one.alias.metric for one in found), own=True)
        if match.alias.metric is None:
            raise _Meaningless
        how: How = "pattern" if match.values else "alias"
        return _resolution(match, index.id, how, "certain")

    def _by_agreement(self, name: str, context: Context) -> Resolution | None:
        """Exact names and clear patterns on which all tools that have them agree."""
        found, how = self._claims(name)
        if not found:
            rest = without_eval_prefix(name)
            inner = self._by_agreement(rest, context) if rest else None
            return self._as_eval(inner) if inner else None
        if context.algorithm or context.families:
            found = self._of_family(found, context) or found
        if not context.alone:
            found = _settle_twins(found)
        index, first = found[0]
        if first.alias.metric is None or any(
            not same(first.alias, match.alias) for _, match in found[1:]
        ):
            raise _Undecided(_DIFFER)
        tools = {index.id for index, _ in found}
        if _one_vague_word(name) and (
            "/" not in name or len(tools) < 3 or meaning_key(name) == {"loss"}
        ):
            raise _Undecided(_DIFFER)
        if len(tools) < 2 and (vague(name) or ("/" not in name and len(meaning_key(name)) < 3)):
            # One tool's use of common words proves little: the words decide.
            plain = first.alias.scale == 1.0 and not first.alias.transform
            raise _Undecided([first.alias.metric] if plain else _DIFFER)
        found_in = index.id if len(tools) == 1 else None
        return _resolution(first, found_in, how)

    def _claims(self, name: str) -> tuple[list[tuple[FrameworkIndex, Match]], How]:
        """All tools that log a name: exactly, or else by a pattern."""
        if exact := self.owners.get(name, []):
            return exact, "agreed"
        patterns = [
            (index, match)
            for index in self.pattern_finder.candidates(name)
            for match in index.find_pattern(name)
        ]
        return patterns, "pattern"

    def _of_family(
        self, found: Sequence[tuple[FrameworkIndex, Match]], context: Context
    ) -> list[tuple[FrameworkIndex, Match]]:
        return [
            (index, match)
            for index, match in found
            if not match.alias.algorithms
            or context.families
            & {family_of(tag, index.framework.kind) for tag in match.alias.algorithms}
        ]

    def _by_weak_pattern(self, name: str, context: Context) -> Resolution | None:
        """Patterns such as `{group}/{key}`, which only a known tool makes meaningful."""
        if len(context.plausible) != 1 or context.confidence < _SURE:
            return None
        return self._weakly(name, context.plausible[0], context)

    def _weakly(self, name: str, framework: str, context: Context) -> Resolution | None:
        for index in self.chain(framework):
            found = index.find_pattern(name, weak=True)
            if found:
                return replace(self._pick(found, context, framework, index), sure="likely")
        below = without_train_prefix(name)
        if below and (answer := self._weakly(below[0], framework, context)):
            return replace(answer, labels={**answer.labels, **below[1]})
        rest = without_eval_prefix(name)
        if rest and (answer := self._weakly(rest, framework, context)):
            return self._as_eval(answer)
        return None

    def _as_eval(self, answer: Resolution) -> Resolution | None:
        metric = self.eval_id(answer.metric)
        if metric is not None:
            return replace(answer, metric=metric)
        if answer.metric.startswith("progress/"):  # a counter is the same wherever it is logged
            return replace(answer, labels={**answer.labels, "split": "eval"})
        return None

    def eval_id(self, metric: str) -> str | None:
        """The evaluation-split id of a metric; None where that is wrong."""
        subject, _, quantity = metric.partition("/")
        if subject in {"eval", "progress", "time", "throughput", "system"}:
            return None
        if metric in {"optim/loss", "lm/loss"}:
            return "eval/loss"
        if subject in {"outcome", "lm"} and f"eval/{quantity}" in self.metrics:
            return f"eval/{quantity}"
        return f"eval/{metric}"


def _undisputed(found: Reading, doubt: Doubt, log: WordLog) -> bool:
    """True if no tool contradicts a reading that the numbers cannot check."""
    if log.alone:
        return found.plainly and doubt.metrics <= {found.metric}
    return not doubt.own


_TWINS = {"policy/grad_norm": "optim/grad_norm", "policy/learning_rate": "optim/learning_rate"}


def _settle_twins(
    found: Sequence[tuple[FrameworkIndex, Match]],
) -> list[tuple[FrameworkIndex, Match]]:
    """Picks `optim/` where tools differ only in saying `policy/` or `optim/`."""
    metrics = {match.alias.metric for _, match in found}
    general = {_TWINS.get(metric, metric) for metric in metrics if metric}
    if len(metrics) == 2 and len(general) == 1:
        return [pair for pair in found if pair[1].alias.metric in general]
    return list(found)


def _one_vague_word(name: str) -> bool:
    return len(meaning_key(name)) == 1 and vague(name)


def _resolution(
    match: Match, framework: str | None, how: How, sure: Certainty = "likely"
) -> Resolution:
    alias = match.alias
    if alias.metric is None:
        raise _Meaningless
    return Resolution(
        alias.metric,
        fill(alias.labels, match.values),
        alias.scale,
        alias.transform,
        framework,
        alias,
        how,
        sure,
    )
