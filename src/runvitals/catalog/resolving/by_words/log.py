"""Context for reading one name: the kind of training, the other names of the run, its numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runvitals.catalog.resolving.aliases import MAX_SHARE
from runvitals.catalog.resolving.by_words.parse import HARMLESS, STATISTICS, Parsed, parse
from runvitals.catalog.resolving.names import words

# ---- the kind of training

Domain = frozenset[str]

_OF_FAMILY = {
    "on-policy": words("control on-policy"),
    "actor-critic": words("control off-policy"),
    "q-learning": words("control off-policy q-learning"),
    "llm-rl": words("llm-rl"),
    "preference": words("preference"),
    "reward-model": words("reward-model"),
    "supervised": words("lm"),
    "distillation": words("lm"),
}
# Words that only language models, only pairs of answers, only played episodes have.
_LLM = words(
    "response prompt perplexity rouge bleu tokenizer chrf grpo rloo verifier lm vllm turn tool"
)
_LLM_TOO = words("token logprob reference")  # seen elsewhere as well
_KL_REF = words("kl reference")
_OF_POLICIES = words("logprob logits reference dpo kto orpo simpo beta")
_PLAYED = words("episode epsilon td replay gae exploration frame")
_PAID = words("reward return")
_BARE = frozenset({"mean"})  # of a loop that plays: what it prints without a name is its return
_OF_ANY = words("mean max min std train total")
_MEANT = words("gold true real quality actual")
_SINGLE_STEP = (frozenset({"action"}), frozenset({"done"}), frozenset({"state"}))
_CLASSES = words("accuracy f1 auc classification precision recall mse rmse mae error iou")
_ADVERSARIES = (words("g generator generation"), words("d discriminator"))
_OFF = words("q td replay alpha")
_ON = words("clip approx gae advantage explained surrogate")
_EXPLORING = (frozenset({"epsilon"}), frozenset({"eps"}), frozenset({"exploration", "rate"}))


def domain_of(
    names: Iterable[str], families: frozenset[str], metrics: Iterable[str], *, known: bool = True
) -> Domain:
    """Tags for the kind of training; empty if nothing indicates one.

    `families` are those of the algorithm, `known` or only suggested by names that tools share;
    `metrics` are what surer ways said of other names.

    >>> sorted(domain_of(["episode", "reward", "epsilon"], frozenset(), ()))
    ['by-episode', 'control', 'exploring', 'off-policy', 'q-learning']
    >>> sorted(domain_of(["iter", "loss", "val_loss"], frozenset(), ()))
    ['supervised']
    """
    parsed = [one for name in names if (one := parse(name)) is not None]
    keys = {one.words for one in parsed}
    every = frozenset(word for key in keys for word in key)
    meant = tuple(metrics)
    told = _of_families(families)
    split = any(one.held_out for one in parsed)
    spoken = _by_words(every, keys, meant, split=split)
    tags = set(told if known and told else spoken or told)
    if "control" in told and "llm-rl" in spoken and every & {"response", "prompt"}:
        tags = spoken  # PPO of a language model
    if "control" in tags or "rl" in tags:
        tags |= _details(every, keys, meant) | _returns(parsed)
    return frozenset(tags)


def _of_families(families: frozenset[str]) -> frozenset[str]:
    if len(families) == 1:
        return _OF_FAMILY.get(next(iter(families)), frozenset())
    played = bool(families) and families <= {"on-policy", "actor-critic", "q-learning"}
    return words("control") if played else frozenset()


def _by_words(
    every: frozenset[str], keys: set[frozenset[str]], known: tuple[str, ...], *, split: bool
) -> set[str]:
    def has(*prefixes: str) -> bool:
        return any(metric.startswith(prefixes) for metric in known)

    played = bool(every & _PLAYED)
    played = played or _plays_without_saying_so(every, keys)
    llm = bool(every & _LLM) or has("length/response", "policy/kl_ref", "reward/zero_std", "lm/")
    llm = llm or (not played and bool(every & _LLM_TOO)) or any(key >= _KL_REF for key in keys)
    paid = bool(every & _PAID) or any(key - _OF_ANY == {"r"} for key in keys)
    paid = paid or has("reward/", "outcome/return", "eval/return")
    if (pairs := _of_pairs(every, paid=paid, reward_model=has("rm/"))) is not None:
        return {pairs}
    if "proxy" in every and every & _MEANT:  # a study of over-optimisation (Gao et al. 2022)
        return {"llm-rl", "proxied"}
    if paid:
        if llm:
            return {"llm-rl"}
        return {"control"} if played else {"rl"}
    if played and _BARE in keys and not every & words("score loss"):
        return {"control", "unnamed-return"}
    if played and every & words("score epsilon q win success"):
        return {"control"}
    if {"policy", "loss"} <= every and every & {"entropy", "value"} and not llm:
        return {"rl"}
    if all(any({word, "loss"} <= key for word in side for key in keys) for side in _ADVERSARIES):
        return {"gan"}
    if {"teacher", "student"} <= every or "distill" in every:
        return {"lm", "distill"}
    if llm:
        return {"lm"}
    learned = every & _CLASSES or (split and every & words("loss nll"))
    return {"supervised"} if learned else set()


def _of_pairs(every: frozenset[str], *, paid: bool, reward_model: bool) -> str | None:
    """The kind of preference learning, if it is any."""
    if every & {"chosen", "rejected", "preference"} or ("margin" in every and not paid):
        rewarding = reward_model or (not every & _OF_POLICIES and "rm" in every)
        return "reward-model" if rewarding else "preference"
    if {"positive", "negative", "score"} <= every and not paid:
        return "reward-model"
    scored = {"margin", "accuracy", "reward"} <= every and not every & words("response prompt kl")
    return "reward-model" if (reward_model and not paid) or scored else None


def _plays_without_saying_so(every: frozenset[str], keys: set[frozenset[str]]) -> bool:
    """True if the names imply episodes: a length beside a reward, a replay buffer, Q values."""
    if every & words("q noise buffer fps") or {"env", "step"} <= every:
        return True
    return any(key - words("mean train") in ({"length"}, {"l"}) for key in keys)


def _details(every: frozenset[str], keys: set[frozenset[str]], known: tuple[str, ...]) -> set[str]:
    """Finer tags of reinforcement learning."""
    tags: set[str] = set()
    plain = {key - words("mean train total num smooth") for key in keys}
    if any(key in plain for key in _EXPLORING) and not every & {"clip", "kl", "advantage"}:
        tags.add("exploring")
    if every & _OFF or "exploring" in tags:
        tags.add("off-policy")
        if not every & {"policy", "alpha", "entropy", "kl", "advantage"}:
            tags.add("q-learning")
    elif every & _ON or {"policy", "value", "loss"} <= every:
        tags.add("on-policy")
    counted = frozenset({"episode"}) in plain or frozenset({"i", "episode"}) in plain
    lasting = any(frozenset({word}) in plain for word in ("length", "l"))
    statistics = any("episode" in key and key & words("reward return length score") for key in keys)
    if (counted or statistics or lasting) and not any(key in plain for key in _SINGLE_STEP):
        tags.add("by-episode")
    if any(one.startswith("outcome/return") for one in known):
        tags.add("return-elsewhere")
    return tags


_OF_A_RETURN = words("episode reward return total sum mean train rollout env")


def _returns(parsed: list[Parsed]) -> set[str]:
    """True if an episode return is logged, in which case a plain reward is something else."""
    tags: set[str] = set()
    for one in parsed:
        episodic = "episode" in one.words and one.words & {"reward", "return"}
        if (episodic or set(one.tail) == {"return"}) and set(one.tail) <= _OF_A_RETURN:
            tags.add("held-out-return-elsewhere" if one.held_out else "return-elsewhere")
    return tags


# ---- the other names

_TOTAL = words("reward total return")
_HELD_OUT_COLUMNS = words("val valid validation test eval")
_OTHER_STATISTICS = frozenset(STATISTICS) - {"mean", "smooth"}


@dataclass(frozen=True, slots=True)
class WordLog:
    """What the reading of one name needs to know of the others."""

    domain: Domain
    reward_names: int = 0
    has_total_reward: bool = False
    returns: tuple[str, ...] = ()  # names that speak of whole episodes
    others: frozenset[str] = frozenset()  # words of names that speak of no reward
    alone: bool = False  # one name, of which nothing else is known
    sides: bool = False  # columns `train` and `val` beside a perplexity: losses


def log_of(names: Iterable[str], domain: Domain, *, alone: bool = False) -> WordLog:
    """What the names of a run speak of."""
    names = tuple(names)
    bare = {name.lower() for name in names}
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
        tail = set(parsed.tail)
        if "episode" in parsed.words and not tail & _OTHER_STATISTICS:
            returns.append(name)
        rewards += not tail & _OTHER_STATISTICS
        total = total or tail - set(STATISTICS) - HARMLESS <= _TOTAL
    sides = "perplexity" in others and "train" in bare and bool(bare & _HELD_OUT_COLUMNS)
    return WordLog(domain, rewards, total, tuple(returns), frozenset(others), alone, sides)


# ---- the numbers

FEW_FALLS = 0.02  # share of a counter's steps that may go down: restarts happen
MIN_CONSTANT = 5  # points that show that a number does not count anything
OFTEN_FALLS = 0.25  # what is measured anew at each step falls half of the time
MAX_LEARNING_RATE = 1.0
SLACK = 1e-6
# One row in twenty beyond 1 may be a slip in a log of shares, where the others are worth the name: as
# percents nearly all of them would be next to nothing (judgement).
FEW_SLIPS, WORTH_A_SHARE = 0.05, 0.05
SIZE_OF_TURN = 3.0  # how far a rate itself may move where shares turn to percents (judgement)
SIZE_OF_ONE = 2.0  # an episode of two steps is the shortest that is worth a mean
_RATES = (
    "success_rate", "win_rate", "accuracy", "collision_rate", "termination_rate", "clip_fraction",
    "clip_fraction_low", "clip_fraction_high", "clip_fraction_dual", "zero_std_fraction",
    "response_clip_ratio", "stop_rate", "explore/epsilon", "progress/fraction", "fill_fraction",
)  # fmt: skip
_OFTEN_PERCENT = ("success_rate", "win_rate", "accuracy", "collision_rate")
_COUNTERS = (
    "progress/epoch", "progress/step", "progress/optimizer_steps", "progress/env_steps",
    "progress/episodes", "progress/samples", "progress/tokens", "time/elapsed_s",
)  # fmt: skip
_NOT_NEGATIVE = (
    "_std", "/std", "grad_norm", "param_norm", "_length_mean", "_length_min", "_length_max", "_gb",
    "_per_s", "length/", "replay/size", "update_norm", "supervised/error", "_percent", "clip_range",
    "agent/",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """The properties of a series that help to tell what it measures."""

    low: float
    high: float
    falls: float  # share of its steps down
    rises: float  # share of its steps up
    count: int
    middle: float = 0.0  # the median
    climbs: bool = False  # whether its last quarter lies above all of its first
    beyond_one: float = 1.0  # share of its values above 1
    turns_percent: bool = False  # shares up to some row and percents from there on, or the reverse


def facts_of(values: NDArray[np.float64]) -> Facts | None:
    """The facts of a series; None if it has no finite value."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    steps = np.diff(finite)
    n = max(len(steps), 1)
    quarter = max(1, len(finite) // 4)
    # quantiles, as `np.median` would import `numpy.ma`, and the first page wait for that
    return Facts(
        float(finite.min()),
        float(finite.max()),
        float(np.count_nonzero(steps < 0)) / n,
        float(np.count_nonzero(steps > 0)) / n,
        len(finite),
        float(np.quantile(finite, 0.5)),
        bool(np.quantile(finite[-quarter:], 0.5) > finite[:quarter].max()),
        float(np.count_nonzero(finite > 1 + SLACK)) / len(finite),
        _turns_percent(finite),
    )


def _turns_percent(values: NDArray[np.float64]) -> bool:
    """True if all values on one side of some row are shares, and nearly all on the other percents.

    The size has to change at that row, by about a hundred: a return that grows past 1 does not.
    """
    beyond = values > MAX_SHARE
    if not MIN_CONSTANT <= int(beyond.sum()) <= len(values) - MIN_CONSTANT or values.min() < -SLACK:
        return False
    if beyond[0]:
        values, beyond = values[::-1], beyond[::-1]
    turn = int(np.argmax(beyond))
    before, after = values[:turn], values[turn:]
    if (
        not turn
        or before.max() > 1 + SLACK
        or after.max() > 100 + SLACK
        or (after <= 1).mean() > FEW_SLIPS
    ):
        return False
    left, now = np.median(before[-10:]), np.median(after[:10])
    return bool(left > 0 and 100 / SIZE_OF_TURN < now / left < 100 * SIZE_OF_TURN)


def alike(one: Facts, other: Facts) -> bool:
    """True if two series are of one size: the rewards of steps and of whole episodes are not."""
    if one.middle * other.middle <= 0:
        return one.middle == other.middle
    return 1 / SIZE_OF_ONE < one.middle / other.middle < SIZE_OF_ONE


def scale_if_it_fits(metric: str, facts: Facts) -> float | None:
    """The factor that brings the values to the catalog's unit; None if they cannot be that metric.

    >>> scale_if_it_fits("outcome/success_rate", Facts(0.0, 87.5, 0.4, 0.6, 20))
    0.01
    >>> scale_if_it_fits("outcome/success_rate", Facts(0.1, 1.02, 0.4, 0.6, 20))
    1.0
    >>> scale_if_it_fits("optim/learning_rate", Facts(-3.0, 1.0, 0.5, 0.5, 20)) is None
    True
    """
    low, high = facts.low, facts.high
    if metric.endswith(_RATES):
        if low < -SLACK or high > 100 + SLACK:
            return None
        if high <= 1 + SLACK:
            return 1.0
        return _share_or_percent(facts) if metric.endswith(_OFTEN_PERCENT) else None
    if metric.endswith("supervised/score"):  # some are below 0 where guessing is better
        if high <= MAX_SHARE:
            return 1.0
        return _share_or_percent(facts) if low >= 0 and high <= 100 + SLACK else None
    if metric.endswith("learning_rate"):
        return 1.0 if low >= 0 and high <= MAX_LEARNING_RATE else None
    if metric in _COUNTERS:
        return 1.0 if low >= 0 and facts.falls <= FEW_FALLS else None
    if metric.endswith("explained_variance"):
        return 1.0 if high <= 1 + SLACK else None
    if metric.endswith("perplexity"):
        return 1.0 if low >= 1 - SLACK else None
    if metric == "lm/loss":
        return 1.0 if low >= 0 else None
    if metric.startswith("time/") and low < 0:
        return None
    if any(part in metric for part in _NOT_NEGATIVE) and low < 0:
        return None
    return 1.0


def transform_if_it_turns(metric: str, facts: Facts) -> str:
    """The transform for a rate that switches from fractions to percents within the log; else empty."""
    return "share(x)" if facts.turns_percent and metric.endswith(_OFTEN_PERCENT) else ""


def _share_or_percent(facts: Facts) -> float:
    """Whether values from 0 to 100 are shares or percents; a few rows above 1 leave them shares."""
    slips = facts.beyond_one <= FEW_SLIPS and facts.middle >= WORTH_A_SHARE
    return 1.0 if facts.high <= MAX_SHARE or slips else 0.01
