"""Reads a name by its words: the last resort, for names that no known tool explains.

A name is read only if one phrase of `concepts` covers it and every word that is left over is known to
say nothing about the quantity; then the numbers have to agree (`values`).
"""

from __future__ import annotations

from collections.abc import Callable, Container

from runvitals.catalog.resolving.by_words.concepts import VOCABULARY, Concept
from runvitals.catalog.resolving.by_words.cover import HARMLESS, covering, meaning
from runvitals.catalog.resolving.by_words.domain import Domain
from runvitals.catalog.resolving.by_words.log import Log
from runvitals.catalog.resolving.by_words.parse import (
    SPELLINGS,
    STATISTICS,
    Parsed,
    parse,
    spoken,
)
from runvitals.catalog.resolving.by_words.parts import BENCHMARKS, Reading, named_part
from runvitals.catalog.resolving.by_words.values import (
    MIN_CONSTANT,
    OFTEN_FALLS,
    Facts,
    alike,
    scale_if_it_fits,
)

_TIME_UNITS = {"s": 1.0, "ms": 1e-3, "minute": 60.0, "hour": 3600.0}
_MEMORY_UNITS = {"gb": 1.0, "mb": 1e-3}
_NEEDS_NUMBERS = (
    "progress/episodes", "progress/tokens", "progress/samples", "time/elapsed_s", "progress/env_steps",
    "progress/step",
)  # fmt: skip
FactsOf = Callable[[str], Facts | None]
MAY_COUNT = frozenset({"correct"})  # answers, one by one or as a share; beyond 1 they are counted


def read(
    name: str,
    log: Log,
    metrics: Container[str],
    facts_of: FactsOf | None = None,
) -> Reading | None:
    """What the words of a name say it is, if only one thing fits and its numbers agree."""
    parsed = parse(name)
    if parsed is None:
        return None
    found = covering(parsed)
    in_rewards = frozenset(parsed.head) - HARMLESS == {"reward"}
    if found is None or (in_rewards and "reward" not in found[0].phrase):
        part = named_part(parsed, log, metrics)
        return None if part is None else _agreed(part, parsed, facts_of, log)
    concept, sure = found
    domain = log.domain
    if "control" in domain and ("mean" in parsed.tail or parsed.window):
        domain = domain | {"averaged"}
    if "off-policy" in domain and "actor" in name.lower():
        domain = domain | {"actor"}  # half of the tools mean the loss with all its regularisers
    if parsed.doubtful and domain & {"control", "rl", "llm-rl"}:
        return None
    if concept.phrase == MAY_COUNT and not _within_one(parsed.name, facts_of):
        return None
    base = meaning(concept, domain)
    metric = None if base is None else _with_statistic(base, concept, parsed, domain, metrics)
    if metric is None:
        return None
    said = {"window": parsed.window, "index": parsed.index, "axis": parsed.axis}
    labels = {key: text for key, text in said.items() if text is not None}
    if parsed.whose is not None:
        labels[parsed.whose[0]] = parsed.whose[1]
    return _agreed(Reading(metric, labels, 1.0, sure), parsed, facts_of, log)


def _within_one(name: str, facts_of: FactsOf | None) -> bool:
    facts = facts_of(name) if facts_of is not None else None
    return facts is None or (facts.low >= 0 and facts.high <= 1)


def says_something(name: str, log: Log, metrics: Container[str]) -> bool:
    """Whether the words of a name say anything at all; most names of a huge run do not."""
    said = spoken(name)
    if not all(words.isdisjoint(said) for words in (VOCABULARY, SPELLINGS.keys(), BENCHMARKS)):
        parsed = parse(name)
        return parsed is not None and (
            covering(parsed) is not None or named_part(parsed, log, metrics) is not None
        )
    return False


_ENDINGS = (
    "_mean", "mean", "", "_s", "_gb", "_percent", "_ratio", "_rate", "_fraction", "_std",
)  # fmt: skip


def _with_statistic(
    base: str, concept: Concept, parsed: Parsed, domain: Domain, metrics: Container[str]
) -> str | None:
    left = [word for word in (*parsed.head, *parsed.tail) if word not in concept.phrase]
    statistics = {STATISTICS[word] for word in left if word in STATISTICS} - {"mean"}
    if len(statistics) > 1:
        return None
    if parsed.held_out:
        held = _held_out(base, domain)
        if held is None:
            return None
        base = held
    for statistic in statistics:
        joined = base + statistic if base.endswith("/") else f"{base}_{statistic}"
        return joined if _known(joined, metrics) else None
    return next((base + end for end in _ENDINGS if _known(base + end, metrics)), None)


def _known(metric: str, metrics: Container[str]) -> bool:
    return metric in metrics or (
        metric.startswith("eval/") and metric.removeprefix("eval/") in metrics
    )


_EVAL_OF = {
    "optim/loss": "eval/loss", "lm/loss": "eval/loss", "preference/loss": "eval/loss",
    "rm/loss": "eval/loss", "lm/perplexity": "eval/perplexity", "outcome/return": "eval/return",
    "outcome/success_rate": "eval/success_rate", "outcome/win_rate": "eval/win_rate",
    "outcome/score": "eval/score", "outcome/episode_length": "eval/episode_length",
    "reward/score": "eval/score", "eval/score": "eval/score", "time/elapsed": "time/eval",
    "progress/episodes": "eval/episode_count", "policy/nll_mean": "eval/loss",
}  # fmt: skip
_HAVE_EVAL = ("lm/", "preference/", "rm/", "supervised/", "length/response", "outcome/")


def _held_out(base: str, domain: Domain) -> str | None:
    """The held-out version of a metric, for what is measured on held-out data at all."""
    if base == "reward/":
        if "held-out-return-elsewhere" in domain:
            return "eval/reward/"
        return "eval/score" if "llm-rl" in domain else "eval/return"
    if base in _EVAL_OF:
        return _EVAL_OF[base]
    return f"eval/{base}" if base.startswith(_HAVE_EVAL) else None


def _agreed(reading: Reading, parsed: Parsed, facts_of: FactsOf | None, log: Log) -> Reading | None:
    """The reading in the catalog's unit, if the numbers can be that; None if they cannot."""
    metric, scale = reading.metric, 1.0
    if parsed.unit == "percent" and not _is_share(metric):
        return None
    if metric.startswith("time/"):
        scale = _TIME_UNITS.get(parsed.unit or "s", 1.0)
    elif metric.endswith("_gb"):
        scale = _MEMORY_UNITS.get(parsed.unit or "gb", 1.0)
    facts = facts_of(parsed.name) if facts_of is not None else None
    if facts is None:
        counts = bool(set(parsed.tail) & {"num", "total", "token"})
        counts = counts and "timestep" not in parsed.tail
        ambiguous = metric in _NEEDS_NUMBERS and counts
        return None if ambiguous else Reading(metric, reading.labels, scale)
    if metric == "lm/loss" and facts.low < 0:
        metric = "optim/loss"
    if metric == "reward/mean" and facts_of is not None and parsed.name not in log.returns:
        paid = [facts_of(name) for name in log.returns]
        if any(one is not None and alike(facts, one) for one in paid):
            metric = "outcome/return_mean"
    metric = of_one_step(metric, facts, log.domain)
    fits = scale_if_it_fits(metric, facts)
    return None if fits is None else Reading(metric, reading.labels, scale * fits, reading.surely)


def _is_share(metric: str) -> bool:
    return metric.endswith(("rate", "ratio", "fraction", "accuracy", "percent", "epsilon"))


_PER_EPISODE = {
    "time/elapsed_s": "time/episode_s",
    "progress/env_steps": "outcome/episode_length_mean",
    "progress/step": "outcome/episode_length_mean",
}
_PER_STEP = {
    "time/elapsed_s": "time/step_s",
    "progress/episodes": "outcome/episode_count",
    "progress/tokens": "data/tokens_per_step",
    "progress/samples": "data/samples_per_step",
}


def of_one_step(metric: str, facts: Facts, domain: Domain) -> str:
    """Totals never fall, amounts of one step do: the same words, two metrics."""
    if facts.climbs:
        return metric
    constant = facts.count >= MIN_CONSTANT and facts.low == facts.high
    if "by-episode" in domain and metric in _PER_EPISODE:
        return _PER_EPISODE[metric] if constant or facts.falls > OFTEN_FALLS else metric
    if constant and metric in ("progress/step", "progress/env_steps"):
        return "progress/total_steps"  # what does not move was planned
    if facts.falls <= OFTEN_FALLS:
        return metric
    return _PER_STEP.get(metric, metric)
