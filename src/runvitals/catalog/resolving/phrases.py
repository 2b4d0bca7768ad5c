"""Words that mean one thing wherever they are logged, with the statistic taken apart."""

from __future__ import annotations

from collections.abc import Container

from runvitals.catalog.resolving.names import meaning_key, tokens, words

# What the words are, without the words that only say where (`_PLACES`) or which statistic.
_PHRASES: dict[frozenset[str], str] = {
    words(phrase): metric
    for metric, phrases in {
        "outcome/return": "episode reward|episode return|episode reward sum",
        "outcome/episode_length": "episode length",
        "outcome/success_rate": "success rate",
        "outcome/win_rate": "win rate",
        "policy/approx_kl": "approx kl|policy approx kl|approx kl divergence",
        "policy/clip_fraction": "clip fraction|policy clip fraction",
        "policy/clip_range": "clip range|policy clip range",
        "policy/loss": "policy loss|policy grad loss",
        "policy/kl_coef": "kl coef|policy kl coef",
        "policy/entropy_coef": "entropy coef|policy entropy coef",
        "policy/learning_rate": "policy learning rate",
        "policy/grad_norm": "policy grad norm",
        "value/loss": "value loss|value function loss",
        "value/clip_fraction": "value clip fraction",
        "value/explained_variance": "explained variance|value explained variance",
        "value/learning_rate": "value learning rate",
        "value/grad_norm": "value grad norm",
        "optim/learning_rate": "learning rate|current learning rate",
        "optim/grad_norm": "grad norm|grad global norm",
        "advantage": "advantage",
        "length/response": "response length",
        "length/prompt": "prompt length",
        "agent/turns": "num turn",
        "throughput/samples_per_s": "sample per s",
        "throughput/tokens_per_s": "token per s",
        "throughput/generation_tokens_per_s": "generation token per s",
        "system/gpu_memory_allocated_gb": "max memory allocated gb|device memory allocated gb",
        "system/gpu_memory_reserved_gb": "max memory reserved gb|device memory reserved gb",
        "preference/margin": "reward margin",
        "preference/accuracy": "reward accuracy",
        "reward/zero_std_fraction": "fraction reward zero std|reward zero std fraction",
    }.items()
    for phrase in phrases.split("|")
}
_PLACES = words(
    "rollout rollouts ppo grpo a2c runners runner env environment objective perf performance "
    "update running"
)
_STATISTICS = frozenset({"min", "max", "std", "median", "p90"})
_EVAL_HEADS = frozenset({"eval", "evaluation", "test", "validation"})
# An actor loss of SAC is a different thing, and so is a reward margin of a reward model.
_ONLY_IN: dict[str, frozenset[str]] = {
    "policy/loss": frozenset({"on-policy", "llm-rl"}),
    "preference/margin": frozenset({"preference"}),
    "preference/accuracy": frozenset({"preference"}),
}


# Phrases clear enough to be believed below a head that nobody knows, and heads that change them.
_PLAIN = {
    words(phrase)
    for phrase in (
        "approx kl",
        "clip fraction",
        "explained variance",
        "episode reward",
        "episode return",
        "episode length",
        "success rate",
        "win rate",
        "grad norm",
        "learning rate",
    )
}
_QUALIFIERS = words(
    "eval evaluation test validation val reference target old value q rm reward teacher best expert "
    "demo baseline random human opponent aux generation policy discriminator model initial agent "
    "curiosity rnd encoder world meta offline correction hist histogram"
)
# Responses of a language model are not episodes.
_NOT_IN: dict[str, frozenset[str]] = {
    "outcome/return": frozenset({"llm-rl"}),
    "outcome/episode_length": frozenset({"llm-rl"}),
}


def read_phrase(name: str, families: frozenset[str], metrics: Container[str]) -> str | None:
    """The metric that the words of a name spell out, or None.

    >>> ids = {"outcome/return_max", "eval/return_mean"}
    >>> read_phrase("env_runners/EpisodeRewardMax", frozenset(), ids)
    'outcome/return_max'
    >>> read_phrase("eval/mean_ep_reward", frozenset(), ids)
    'eval/return_mean'
    """
    metric = _read(name, families, metrics)
    head, slash, rest = name.partition("/")
    while metric is None and slash and not set(tokens(head)) & _QUALIFIERS:
        # An unknown head such as `MyTrainer/` only says where; but then the rest must be plain.
        if meaning_key(rest) - _PLACES - _STATISTICS in _PLAIN:
            metric = _read(rest, families, metrics)
        head, slash, rest = rest.partition("/")
    return metric


def _read(name: str, families: frozenset[str], metrics: Container[str]) -> str | None:
    first = tokens(name)[:1]
    key = meaning_key(name)
    held_out = bool(first) and first[0] in _EVAL_HEADS
    if held_out:
        key -= {first[0]}
    statistics = key & _STATISTICS
    base = None
    if len(statistics) <= 1:
        # `max_memory_allocated` is a phrase of its own; elsewhere max is a statistic.
        base = _PHRASES.get(key - _PLACES)
        if base is None:
            base = _PHRASES.get(key - _PLACES - _STATISTICS)
        else:
            statistics = frozenset()
    if base is None or not (families <= _ONLY_IN.get(base, families)):
        return None
    if base in _ONLY_IN and not families:
        return None
    if families and families <= _NOT_IN.get(base, frozenset()):
        return None
    if base == "policy/loss" and "actor" in name.lower():
        return None  # half of the tools mean the loss with all its regularisers
    return _with_statistic(base, statistics, held_out, metrics)


def _with_statistic(
    base: str, statistics: frozenset[str], held_out: bool, metrics: Container[str]
) -> str | None:
    subject, _, quantity = base.partition("/")
    if held_out:
        if subject != "outcome":
            return None
        base = f"eval/{quantity}"
    joiner = "_" if quantity else "/"
    for statistic in statistics:
        found = f"{base}{joiner}{statistic}"
        return found if found in metrics else None
    for found in (f"{base}{joiner}mean", base):
        if found in metrics:
            return found
    return None
