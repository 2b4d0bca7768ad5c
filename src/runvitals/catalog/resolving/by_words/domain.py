"""What kind of training a log is about, from all of its names: `reward` alone says nothing."""

from __future__ import annotations

from collections.abc import Iterable

from runvitals.catalog.resolving.by_words.parse import Parsed, parse
from runvitals.catalog.resolving.names import words

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
_OF_POLICIES = words("logprob logits reference dpo kto orpo simpo beta")
_PLAYED = words("episode epsilon td replay gae exploration frame")
_PAID = words("reward return")
_SINGLE_STEP = (frozenset({"action"}), frozenset({"done"}), frozenset({"state"}))
_CLASSES = words("accuracy f1 auc classification precision recall mse rmse mae error iou")
_OFF = words("q td replay alpha")
_ON = words("clip approx gae advantage explained surrogate")
_EXPLORING = (frozenset({"epsilon"}), frozenset({"eps"}), frozenset({"exploration", "rate"}))


def domain_of(
    names: Iterable[str],
    families: frozenset[str],
    metrics: Iterable[str],
    *,
    known: bool = True,
) -> Domain:
    """Tags for the kind of training; empty when nothing tells.

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
    llm = llm or (not played and bool(every & _LLM_TOO))
    paid = bool(every & _PAID) or has("reward/", "outcome/return", "eval/return")
    if (pairs := _of_pairs(every, paid=paid, reward_model=has("rm/"))) is not None:
        return {pairs}
    if paid:
        if llm:
            return {"llm-rl"}
        return {"control"} if played else {"rl"}
    if played and every & words("score epsilon q win success"):
        return {"control"}
    if {"policy", "loss"} <= every and every & {"entropy", "value"} and not llm:
        return {"rl"}
    if {"teacher", "student"} <= every or "distill" in every:
        return {"lm", "distill"}
    if llm:
        return {"lm"}
    learned = every & _CLASSES or (split and every & words("loss nll"))
    return {"supervised"} if learned else set()


def _of_pairs(every: frozenset[str], *, paid: bool, reward_model: bool) -> str | None:
    """Which kind of learning from pairs of answers it is, if it is any."""
    if every & {"chosen", "rejected", "preference"} or ("margin" in every and not paid):
        rewarding = reward_model or (not every & _OF_POLICIES and "rm" in every)
        return "reward-model" if rewarding else "preference"
    if {"positive", "negative", "score"} <= every and not paid:
        return "reward-model"
    scored = {"margin", "accuracy", "reward"} <= every and not every & words("response prompt kl")
    return "reward-model" if (reward_model and not paid) or scored else None


def _plays_without_saying_so(every: frozenset[str], keys: set[frozenset[str]]) -> bool:
    """A length beside a reward, a buffer, exploration noise, Q values: only episodes have them."""
    if every & words("q noise buffer fps") or {"env", "step"} <= every:
        return True
    return any(key - words("mean train") == {"length"} for key in keys)


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
    lasting = frozenset({"length"}) in plain
    statistics = any("episode" in key and key & words("reward return length score") for key in keys)
    if (counted or statistics or lasting) and not any(key in plain for key in _SINGLE_STEP):
        tags.add("by-episode")
    if any(one.startswith("outcome/return") for one in known):
        tags.add("return-elsewhere")
    return tags


_OF_A_RETURN = words("episode reward return total sum mean train rollout env")


def _returns(parsed: list[Parsed]) -> set[str]:
    """Whether a return of whole episodes is logged: then a plain reward is something else."""
    tags: set[str] = set()
    for one in parsed:
        episodic = "episode" in one.words and one.words & {"reward", "return"}
        if (episodic or set(one.tail) == {"return"}) and set(one.tail) <= _OF_A_RETURN:
            tags.add("held-out-return-elsewhere" if one.held_out else "return-elsewhere")
    return tags
