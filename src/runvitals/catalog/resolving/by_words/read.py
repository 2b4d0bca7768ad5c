"""Reads a name by its words, for names that no known tool explains.

A name is read only if one phrase of `concepts` covers it and every word that is left over is known to
say nothing about the quantity; then the numbers have to agree (`log`).
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from runvitals.catalog.resolving.by_words.concepts import CONCEPTS, VOCABULARY, Concept
from runvitals.catalog.resolving.by_words.log import (
    MIN_CONSTANT,
    OFTEN_FALLS,
    Domain,
    Facts,
    WordLog,
    alike,
    scale_if_it_fits,
    transform_if_it_turns,
)
from runvitals.catalog.resolving.by_words.parse import (
    HARMLESS,
    SPELLINGS,
    STATISTICS,
    Parsed,
    parse,
    spoken,
)
from runvitals.catalog.resolving.names import VAGUE, words

# ---- which phrase covers the name

# Harmless in front of the last segment only: there they change what is counted.
_IN_FRONT = words(
    "episode iteration step epoch update rollout env environment final batch loss policy value reward "
    "time optimizer sampling throughput system data progress score entropy advantage length actor "
    "critic learning network coef s exploration token response generation all running"
)
# Words that make it another quantity unless a phrase has them.
CHANGES = words(
    "reference old target teacher student baseline random human opponent expert demo best initial rm "
    "discriminator intrinsic extrinsic aux auxiliary world raw shaped normalized normalised scaled "
    "discounted penalty bonus coef scale weight histogram hist threshold limit budget planned expected "
    "delta change improved improvement difference correlation correction corr gap ratio fraction num "
    "total per offpolicy offline mismatch speed center format positive negative pass true false "
    "incorrect"
)
_COUNTED = words("iteration episode timestep")
# Common words, but a phrase that means one thing below whatever head.
_PLAIN = frozenset(
    words(phrase)
    for phrase in (
        *("episode reward", "episode return", "episode length", "grad norm", "learning rate"),
        *("success rate", "win rate"),
    )
)
_LOSS_IS_A_FOLDER = frozenset(
    frozenset(phrase.split())
    for phrase in ("entropy", "kl", "approx kl", "clip fraction", "policy entropy")
)


def covering(parsed: Parsed) -> tuple[Concept, bool] | None:
    """The one longest phrase that covers the name, and whether all of its words are explained."""
    tail = frozenset(parsed.tail)
    found = _phrases_in(tail, parsed.words)
    if not found:
        return None
    longest = max(map(len, found))
    top = [concept for phrase, concept in found.items() if len(phrase) == longest]
    if any(other.meanings != top[0].meanings for other in top[1:]):
        return None
    phrase = top[0].phrase
    head = frozenset(parsed.head) - phrase
    if head & CHANGES or ("time" in head and not _is_time(top[0])):
        return None
    if "time" in phrase and "time" not in tail and tail & _COUNTED and len(phrase) == 2:
        return None  # `time/episodes` counts episodes, `time/step` times a step: nobody can tell
    if "alpha" in tail and "loss" in parsed.head and "loss" not in tail:
        return None
    strange = head - HARMLESS - _IN_FRONT - set(STATISTICS)
    vague = phrase <= VAGUE and len(phrase) < 3 and phrase not in _PLAIN
    if strange and (_is_time(top[0]) or vague):
        return None
    return top[0], not strange


def _phrases_in(tail: frozenset[str], every: frozenset[str]) -> dict[frozenset[str], Concept]:
    """Phrases of a name's words that take in part of its last word and leave nothing strange there."""
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
            return bare
    return found


def _left_is_harmless(left: frozenset[str]) -> bool:
    return all(word in STATISTICS or word in HARMLESS for word in left)


def _is_time(concept: Concept) -> bool:
    return all(
        base.startswith(("time/", "throughput/", "progress/")) for _, base in concept.meanings
    )


def meaning(concept: Concept, domain: Domain) -> str | None:
    """The metric that a phrase is in this kind of training, without its statistic; or None."""
    found = next((base for tag, base in concept.meanings if tag == "*" or tag in domain), None)
    return None if found == "none" else found


# ---- names with a word of their own

# Below `reward/` these words do not name a part of it. Elsewhere, no word with its own meaning does.
_NOT_A_PART = CHANGES | words(
    "loss kl time step iteration accuracy margin chosen rejected entropy advantage length return"
)
_PARTS = words("penalty bonus format answer goal")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a name was read as; `surely` if its numbers were looked at and every word is explained."""

    metric: str
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    surely: bool = False
    plainly: bool = False  # in whatever kind of training, by more than one common word
    phrase: str = ""  # the words that say it, and the kind of training in which they do
    transform: str = ""  # where the numbers need more than a factor


def named_part(parsed: Parsed, log: WordLog, metrics: Container[str]) -> Reading | None:
    """The metric of a name that has one word of its own, or None."""
    head = frozenset(parsed.head)
    left = [word for word in parsed.tail if word not in STATISTICS]
    if (found := _benchmark(parsed)) is not None:
        return found
    if parsed.held_out:
        return _score_of_some(parsed, left)
    own = [word for word in left if word != "reward"]
    if not own:
        return None
    in_rewards = head - HARMLESS == {"reward"}
    if log.domain & {"preference", "pairs"} or ("reward" not in left and not in_rewards):
        return None
    if set(own) & (_NOT_A_PART if in_rewards else VOCABULARY | CHANGES) - _PARTS:
        return None
    if not in_rewards and set(own) & log.others:
        return None  # `agent_reward` beside `agent_steps`: whose reward, not which part
    said = {STATISTICS[word] for word in parsed.tail if word in STATISTICS} | {"mean"}
    statistic = max(said, key=lambda one: (one != "mean", one))
    if log.has_total_reward or log.reward_names > 1:
        metric = f"reward/component_{statistic}"
        labels = {"component": "_".join(own) + (parsed.index or "")}
    else:
        metric = (
            f"outcome/return_{statistic}" if "by-episode" in log.domain else f"reward/{statistic}"
        )
        labels = {}
    return Reading(metric, labels) if metric in metrics else None


# Sets of tasks that models are tested on, and what is written beside their names.
BENCHMARKS = words(
    "hellaswag mmlu gsm8k math500 aime aime24 aime25 aime2024 aime2025 amc23 humaneval mbpp gpqa "
    "truthfulqa winogrande piqa boolq openbookqa lambada triviaqa bbh ifeval livecodebench "
    "olympiadbench minerva alpacaeval arenahard svamp asdiv commonsenseqa strategyqa"
)
_BESIDE_BENCHMARKS = words(
    "accuracy norm score rate success exact match em pass solve mean 1 easy hard main openai at"
)


def _benchmark(parsed: Parsed) -> Reading | None:
    """`gsm8k_acc`, `humaneval/pass@1`: the share of a known benchmark that was solved."""
    said = set(parsed.tail) | set(parsed.head)
    known = said & BENCHMARKS
    if not known or said - known - _BESIDE_BENCHMARKS - HARMLESS or "train" in said:
        return None
    return Reading("eval/success_rate", {"of": "_".join(sorted(known))})


_SHARES = (
    (words("accuracy"), "eval/supervised/accuracy"),
    (words("success rate"), "eval/success_rate"),
    (words("win rate"), "eval/win_rate"),
    (words("score"), "eval/score_mean"),
)


def _score_of_some(parsed: Parsed, left: list[str]) -> Reading | None:
    """A held-out rate or score of a subset of tasks, labelled with the words that name it.

    What is filed under baselines is theirs, and not the run's.
    """
    if "baseline" in parsed.head:
        return None
    for phrase, metric in _SHARES:
        own = [word for word in left if word not in phrase]
        if phrase <= set(left) and not set(own) & (VOCABULARY | CHANGES):
            index = parsed.index or next((word for word in own if word[-1:].isdigit()), None)
            labels = {"of": "_".join((*parsed.head, *(word for word in own if word != index)))}
            return Reading(metric, labels if index is None else {**labels, "index": index})
    return None


# ---- the reading

_TIME_UNITS = {"s": 1.0, "ms": 1e-3, "minute": 60.0, "hour": 3600.0}
_MEMORY_UNITS = {"gb": 1.0, "mb": 1e-3}
_NEEDS_NUMBERS = (
    "progress/episodes", "progress/tokens", "progress/samples", "time/elapsed_s", "progress/env_steps",
    "progress/step",
)  # fmt: skip
FactsOf = Callable[[str], Facts | None]
# Answers that are right, games that are won, as a share; beyond 1 they are counted, or paid for.
MAY_COUNT = tuple(map(words, ("correct", "reward accuracy", "win", "solved", "completed")))


def read(
    name: str, log: WordLog, metrics: Container[str], facts_of: FactsOf | None = None
) -> Reading | None:
    """The metric that the words of a name describe, if only one fits and the numbers agree."""
    parsed = parse(name)
    if parsed is None:
        return None
    if log.sides and set(parsed.head + parsed.tail) <= {"train"}:
        parsed = replace(parsed, tail=("loss",))
    found = covering(parsed)
    in_rewards = frozenset(parsed.head) - HARMLESS == {"reward"}
    if found is None or (in_rewards and not found[0].phrase & {"reward", "rate"}):
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
    if concept.phrase in MAY_COUNT and not _within_one(parsed.name, facts_of):
        return None
    base = meaning(concept, domain)
    metric = None if base is None else _with_statistic(base, concept, parsed, domain, metrics)
    if metric is None:
        return None
    found_labels = {"window": parsed.window, "index": parsed.index, "axis": parsed.axis}
    labels = {key: text for key, text in found_labels.items() if text is not None}
    if parsed.whose is not None:
        labels[parsed.whose[0]] = parsed.whose[1]
    plainly = concept.meanings[0][0] == "*" and (
        len(concept.phrase) > 1 or not concept.phrase <= VAGUE
    )
    said = Reading(metric, labels, 1.0, sure, plainly, _spoken_phrase(concept, parsed, domain))
    return _agreed(said, parsed, facts_of, log)


_KINDS = {
    "control": "reinforcement learning", "rl": "reinforcement learning",
    "llm-rl": "reinforcement learning of a language model", "preference": "learning from pairs",
    "reward-model": "training a reward model", "lm": "training a language model",
    "supervised": "supervised training",
}  # fmt: skip


def _spoken_phrase(concept: Concept, parsed: Parsed, domain: Domain) -> str:
    """`"episode reward"`, or `"kl" in training a language model` where that decides."""
    order = dict.fromkeys((*parsed.head, *parsed.tail))
    phrase = f'"{" ".join(word for word in order if word in concept.phrase)}"'
    if concept.meanings[0][0] == "*":
        return phrase
    return next((f"{phrase} in {kind}" for tag, kind in _KINDS.items() if tag in domain), phrase)


def _within_one(name: str, facts_of: FactsOf | None) -> bool:
    facts = facts_of(name) if facts_of is not None else None
    return facts is None or (facts.low >= 0 and facts.high <= 1)


def says_something(name: str, log: WordLog, metrics: Container[str]) -> bool:
    """True if any word of the name is meaningful; most names of a huge run have none."""
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
_HAVE_EVAL = ("lm/", "aux/", "preference/", "rm/", "supervised/", "length/response", "outcome/")


def _held_out(base: str, domain: Domain) -> str | None:
    """The held-out version of a metric, for what is measured on held-out data at all."""
    if base == "reward/":
        if "held-out-return-elsewhere" in domain:
            return "eval/reward/"
        return "eval/score" if "llm-rl" in domain else "eval/return"
    if base in _EVAL_OF:
        return _EVAL_OF[base]
    return f"eval/{base}" if base.startswith(_HAVE_EVAL) else None


def _agreed(
    reading: Reading, parsed: Parsed, facts_of: FactsOf | None, log: WordLog
) -> Reading | None:
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
        return None if ambiguous else replace(reading, scale=scale, surely=False)
    if metric == "lm/loss" and facts.low < 0:
        metric = "optim/loss"
    if metric == "reward/mean" and facts_of is not None and parsed.name not in log.returns:
        paid = [facts_of(name) for name in log.returns]
        if any(one is not None and alike(facts, one) for one in paid):
            metric = "outcome/return_mean"
    metric = of_one_step(metric, facts, log.domain)
    fits = scale_if_it_fits(metric, facts)
    if fits is None:
        return None
    transform = transform_if_it_turns(metric, facts)
    return replace(reading, metric=metric, scale=scale * fits, transform=transform)


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
    """Chooses between a running total and an amount per step: only a total never falls."""
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


Subject = Literal["loss", "outcome", "update"]

_SUBJECTS: tuple[tuple[Subject, frozenset[str]], ...] = (
    ("loss", words("loss nll perplexity mse rmse mae")),
    (
        "outcome",
        words(
            "reward return score success accuracy win elo exploitability correct solved f1 bleu rouge"
        ),
    ),
    ("update", words("entropy kl")),
)
# With these it is a setting, a limit or another statistic.
_OTHER = words(
    "coef scale weight target threshold limit std min max variance num time per s baseline penalty "
    "bonus"
)


def speaks_of(name: str) -> Subject | None:
    """True if the words of a name describe a loss, an outcome, or an update.

    >>> [speaks_of(name) for name in ("my_loss", "eval/chess_score", "loss_scale", "my/number")]
    ['loss', 'outcome', None, None]
    """
    parsed = parse(name)
    if parsed is None or set(parsed.tail) & _OTHER:
        return None
    said = set(parsed.tail)
    return next((subject for subject, its in _SUBJECTS if said & its), None)
