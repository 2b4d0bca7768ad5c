"""Reads a name by its words: the last resort, for names that no known tool explains.

A name is read only if one phrase of `concepts` covers it and every word that is left over is known to
say nothing about the quantity; then the numbers have to agree (`values`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field

from runvitals.catalog._names import tokens, words
from runvitals.catalog._structure import VAGUE
from runvitals.catalog.by_words.concepts import CONCEPTS, VOCABULARY, Concept
from runvitals.catalog.by_words.domain import Domain
from runvitals.catalog.by_words.parse import SPELLINGS, STATISTICS, Parsed, parse
from runvitals.catalog.by_words.values import (
    MIN_CONSTANT,
    OFTEN_FALLS,
    Facts,
    alike,
    scale_if_it_fits,
)

# Words that say where or how a number was logged and change nothing about what it is.
_HARMLESS = words(
    "train metrics metric charts default info stats stat misc diagnostics main learner learners "
    "scalars "
    "scalar summary the of in to at is current latest last model agent online global local log logs "
    "monitor minibatch mini over across and each history my custom debugger debug overall sim profile "
    "ppo grpo a2c a3c sac td3 ddpg dqn trpo dpo kto orpo simpo rloo rlhf rl reinforce vpg mappo "
    "standard performance perf runner runners worker workers objective smooth mean"
)
# Harmless in front of the last segment only: there they change what is counted.
_IN_FRONT = words(
    "episode iteration step epoch update rollout env environment final batch loss policy value reward "
    "time optimizer sampling throughput system data progress score entropy advantage length actor "
    "critic learning network coef s exploration token response generation all running"
)
# Words that make it another quantity unless a phrase has them.
_CHANGES = words(
    "reference old target teacher student baseline random human opponent expert demo best initial rm "
    "discriminator intrinsic extrinsic aux auxiliary world raw shaped normalized normalised scaled "
    "discounted penalty bonus coef scale weight histogram hist threshold limit budget planned expected "
    "delta change difference correlation correction corr gap ratio fraction num total per offpolicy "
    "offline mismatch speed center format positive negative pass true false incorrect"
)
# Below `reward/` these are no part of it; elsewhere no word that has a meaning of its own is one.
_NOT_A_PART = _CHANGES | words(
    "loss kl time step iteration accuracy margin chosen rejected entropy advantage length return"
)
_PARTS = words("penalty bonus format answer")
_COUNTED = words("iteration episode timestep")
_TIME_UNITS = {"s": 1.0, "ms": 1e-3, "minute": 60.0, "hour": 3600.0}
_MEMORY_UNITS = {"gb": 1.0, "mb": 1e-3}
_NEEDS_NUMBERS = (
    "progress/episodes", "progress/tokens", "progress/samples", "time/elapsed_s", "progress/env_steps",
    "progress/step",
)  # fmt: skip
_LOSS_IS_A_FOLDER = frozenset(
    frozenset(phrase.split())
    for phrase in ("entropy", "kl", "approx kl", "clip fraction", "policy entropy")
)


Look = Callable[[str], Facts | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name was read as; `surely` if its numbers were looked at and every word is explained."""

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    surely: bool = False


@dataclass(frozen=True, slots=True)
class Log:
    """What the reading of one name needs to know of the others."""

    domain: Domain
    reward_names: int = 0
    has_total_reward: bool = False
    returns: tuple[str, ...] = ()  # names that speak of whole episodes
    others: frozenset[str] = frozenset()  # words of names that speak of no reward


def log_of(names: Iterable[str], domain: Domain) -> Log:
    """What the names of a run speak of."""
    rewards = 0
    total = False
    returns: list[str] = []
    others: set[str] = set()
    for name in names:
        parsed = parse(name)
        if parsed is None:
            continue
        if parsed.held_out or not parsed.words & {"reward", "return"}:
            others |= parsed.words
            continue
        if "episode" in parsed.words and not set(parsed.tail) & set(STATISTICS) - {"mean"}:
            returns.append(name)
        rewards += not set(parsed.tail) & {"std", "min", "max", "variance"}
        total = total or set(parsed.tail) - set(STATISTICS) - _HARMLESS <= {
            "reward",
            "total",
            "return",
        }
    return Log(domain, rewards, total, tuple(returns), frozenset(others))


def read(
    name: str,
    log: Log,
    metrics: Container[str],
    look: Look | None = None,
) -> Reading | None:
    """What the words of a name say it is, if only one thing fits and its numbers agree."""
    parsed = parse(name)
    if parsed is None:
        return None
    found = _covering(parsed)
    in_rewards = frozenset(parsed.head) - _HARMLESS == {"reward"}
    if found is None or (in_rewards and "reward" not in found[0].phrase):
        part = _named_part(parsed, log, metrics)
        return None if part is None else _agreed(part, parsed, look, log)
    concept, sure = found
    domain = log.domain
    if "control" in domain and ("mean" in parsed.tail or parsed.window):
        domain = domain | {"averaged"}
    if "off-policy" in domain and "actor" in name.lower():
        domain = domain | {"actor"}  # half of the tools mean the loss with all its regularisers
    if parsed.doubtful and domain & {"control", "rl", "llm-rl"}:
        return None
    base = _meaning(concept, domain)
    metric = None if base is None else _with_statistic(base, concept, parsed, domain, metrics)
    if metric is None:
        return None
    said = {"window": parsed.window, "index": parsed.index, "axis": parsed.axis}
    labels = {key: text for key, text in said.items() if text is not None}
    return _agreed(Reading(metric, labels, 1.0, sure), parsed, look, log)


def says_something(name: str, log: Log, metrics: Container[str]) -> bool:
    """Whether the words of a name say anything at all; most names of a huge run do not."""
    if not VOCABULARY.isdisjoint(tokens(name)) or not SPELLINGS.keys().isdisjoint(tokens(name)):
        parsed = parse(name)
        return parsed is not None and (
            _covering(parsed) is not None or _named_part(parsed, log, metrics) is not None
        )
    return False


def _covering(parsed: Parsed) -> tuple[Concept, bool] | None:
    """The one longest phrase that covers the name, and whether all of its words are explained."""
    tail, every = frozenset(parsed.tail), parsed.words
    found: dict[frozenset[str], Concept] = {}
    for word in every:
        for concept in CONCEPTS.get(word, ()):
            phrase = concept.phrase
            if phrase <= every and phrase & tail and _left_is_harmless(tail - phrase):
                found[phrase] = concept
    if len(found) > 1 and "loss" not in tail:
        # `Loss/entropy` is the entropy, in a folder of losses
        bare = {phrase: one for phrase, one in found.items() if "loss" not in phrase}
        if any(phrase in _LOSS_IS_A_FOLDER or len(phrase & tail) > 1 for phrase in bare):
            found = bare
    if not found:
        return None
    longest = max(map(len, found))
    top = [concept for phrase, concept in found.items() if len(phrase) == longest]
    if any(other.meanings != top[0].meanings for other in top[1:]):
        return None
    phrase = top[0].phrase
    head = frozenset(parsed.head) - phrase
    if head & _CHANGES or ("time" in head and not _is_time(top[0])):
        return None
    if "time" in phrase and "time" not in tail and tail & _COUNTED and len(phrase) == 2:
        return None  # `time/episodes` counts episodes, `time/step` times a step: nobody can tell
    if "alpha" in tail and "loss" in parsed.head:
        return None
    strange = head - _HARMLESS - _IN_FRONT - set(STATISTICS)
    if strange and (_is_time(top[0]) or (phrase <= VAGUE and len(phrase) < 3)):
        return None
    return top[0], not strange


def _left_is_harmless(left: frozenset[str]) -> bool:
    return all(word in STATISTICS or word in _HARMLESS for word in left)


def _is_time(concept: Concept) -> bool:
    return all(
        base.startswith(("time/", "throughput/", "progress/")) for _, base in concept.meanings
    )


def _meaning(concept: Concept, domain: Domain) -> str | None:
    found = next((base for tag, base in concept.meanings if tag == "*" or tag in domain), None)
    return None if found == "none" else found


_ENDINGS = (
    "_mean",
    "mean",
    "",
    "_s",
    "_gb",
    "_percent",
    "_ratio",
    "_rate",
    "_fraction",
    "_std",
    "_limit",
)


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


def _named_part(parsed: Parsed, log: Log, metrics: Container[str]) -> Reading | None:
    """Names with a word of their own: a part of the reward, a score of one set of tasks."""
    head = frozenset(parsed.head)
    left = [word for word in parsed.tail if word not in STATISTICS]
    if parsed.held_out:
        return _score_of_some(parsed, left)
    own = [word for word in left if word != "reward"]
    if not own:
        return None
    in_rewards = head - _HARMLESS == {"reward"}
    if log.domain & {"preference", "pairs"} or ("reward" not in left and not in_rewards):
        return None
    if set(own) & (_NOT_A_PART if in_rewards else VOCABULARY | _CHANGES) - _PARTS:
        return None
    if not in_rewards and set(own) & log.others:
        return None  # `agent_reward` beside `agent_steps`: whose reward, not which part
    said = {STATISTICS[word] for word in parsed.tail if word in STATISTICS} | {"mean"}
    statistic = max(said, key=lambda one: (one != "mean", one))
    if log.has_total_reward or log.reward_names > 1:
        metric = f"reward/component_{statistic}"
        labels = {"component": "_".join(own)}
    else:
        metric = (
            f"outcome/return_{statistic}" if "by-episode" in log.domain else f"reward/{statistic}"
        )
        labels = {}
    return Reading(metric, labels) if metric in metrics else None


_SHARES = (
    (words("success rate"), "eval/success_rate"),
    (words("win rate"), "eval/win_rate"),
    (words("score"), "eval/score_mean"),
)


def _score_of_some(parsed: Parsed, left: list[str]) -> Reading | None:
    """A held-out rate or score of some of the tasks, by the words that say of which."""
    for phrase, metric in _SHARES:
        own = [word for word in left if word not in phrase]
        if phrase <= set(left) and not set(own) & (VOCABULARY | _CHANGES):
            return Reading(metric, {"of": "_".join((*parsed.head, *own))})
    return None


def _agreed(reading: Reading, parsed: Parsed, look: Look | None, log: Log) -> Reading | None:
    """The reading in the catalog's unit, if the numbers can be that; None if they cannot."""
    metric, scale = reading.metric, 1.0
    if parsed.unit == "percent" and not _is_share(metric):
        return None
    if metric.startswith("time/"):
        scale = _TIME_UNITS.get(parsed.unit or "s", 1.0)
    elif metric.endswith("_gb"):
        scale = _MEMORY_UNITS.get(parsed.unit or "gb", 1.0)
    facts = look(parsed.name) if look is not None else None
    if facts is None:
        counts = bool(set(parsed.tail) & {"num", "total", "token"})
        counts = counts and "timestep" not in parsed.tail
        ambiguous = metric in _NEEDS_NUMBERS and counts
        return None if ambiguous else Reading(metric, reading.labels, scale)
    if metric == "lm/loss" and facts.low < 0:
        metric = "optim/loss"
    if metric == "reward/mean" and look is not None and parsed.name not in log.returns:
        paid = [look(name) for name in log.returns]
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
