"""Guesses the algorithm of a run from its settings, its metric names and its title."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from runvitals.catalog.definitions.algorithms import (
    common_kind,
    family_of,
    named_in,
    plain_algorithm,
    plainest,
)
from runvitals.catalog.resolving.ask import default_resolver
from runvitals.catalog.resolving.context import Guess, plausible_tags
from runvitals.catalog.resolving.names import spellings, tokens
from runvitals.catalog.resolving.tool_guess import telling
from runvitals.catalog.tools import frameworks

_UNKNOWN = Guess(None, 0.0)
_FEW = 3  # algorithms that fit equally well and are still named
# Settings whose value names an algorithm, by their last word, in the order they are believed.
_TELLING = (
    "stage", "rlhf_type", "rl", "algo_class", "trainer_class", "trainer", "trainer_cls", "run",
    "method", "train_method", "agent", "agent_name", "agent_class", "agent_type", "train_type",
    "training_type", "model_class", "policy_class", "experiment", "exp_name", "experiment_name",
    "run_name", "name", "wandb_project", "project_name", "project", "output_dir", "save_dir",
    "logging_dir", "log_dir", "tb_log_name",
)  # fmt: skip
_PATHS = frozenset(_TELLING[_TELLING.index("experiment") :])  # names that people choose freely


def _only(table: str) -> dict[str, str]:
    return {setting: " ".join(algorithm) for setting, algorithm in spellings(table).items()}


# Settings that only one algorithm has, and those that only one of Hugging Face's trainers has: loops
# of all kinds normalise advantages and scale rewards.
_ONLY_IN_TRL = _only("""
SFT: completion_only_loss dataset_text_field; GRPO: importance_sampling_level scale_rewards;
RLOO: normalize_advantages
""")
_ONLY = _only("""
reward model: center_rewards_coefficient; CPO: cpo_alpha; KTO: desirable_weight undesirable_weight;
DQN: exploration_fraction; DPO: f_divergence_type rpo_alpha;
TD3: noise_clip policy_noise target_policy_noise; PPO: num_ppo_epochs; RLOO: rloo_k; GKD: seq_kd;
SimPO: simpo_gamma
""")
_WRITES = re.compile(r"ForCausalLM|LMHead|ForConditionalGeneration")  # models that write text
_SUPERVISED = frozenset({"transformers", "llamafactory", "axolotl", "unsloth", "ms-swift"})


def algorithm_of(
    names: Iterable[str],
    framework: str | None,
    config: Mapping[str, Any],
    *,
    setting: tuple[str, Any] | None = None,
    called: Sequence[str] = (),
    metrics: Collection[str] = (),
) -> Guess:
    """The algorithm and the evidence for it; no id if there is no evidence, or if it is contradictory.

    `setting` is the key and value of a setting that names the algorithm; `called` what the run and
    its folders are called, the surest first; `metrics` what its names were found to mean. Variants
    are not different things: where PPO and five kinds of PPO log the same, it is PPO.
    """
    names = telling(names)
    told = _first(_by_setting(setting), _by_config(config, free=False))
    if told.id is not None:
        return told
    fitting, evidence = _by_names(names, framework)
    said = _first(
        _by_own_settings(config, framework), _by_config(config, free=True), _by_title(called)
    )
    if fitting:
        one = common_kind(fitting)
        if said.id is not None and _among(said.id, fitting):
            return said
        if one is not None:
            return Guess(one, 1.0, evidence)
        few = plainest(fitting)
        if len(few) < _FEW:
            return Guess(" or ".join(sorted(few, reverse=True)), 0.5, evidence)
        return _UNKNOWN
    if said.id is not None and _fits(said.id, names, framework):
        return said
    if framework not in frameworks() or frameworks()[framework].kind == "general":
        return _by_words(names, metrics)
    return _supervised(names, framework, config)


def _first(*guesses: Guess) -> Guess:
    return next((guess for guess in guesses if guess.id is not None), _UNKNOWN)


def _by_setting(setting: tuple[str, Any] | None) -> Guess:
    if setting is None or not isinstance(setting[1], str):
        return _UNKNOWN
    plain = plain_algorithm(setting[1])
    return Guess(plain, 1.0, (f"config {setting[0]}",)) if plain else _UNKNOWN


def _by_config(config: Mapping[str, Any], *, free: bool) -> Guess:
    """The algorithm that a setting names; in names that people choose, only clear words count."""
    found: dict[str, tuple[str, str]] = {}
    for key, value in config.items():
        leaf = str(key).replace("/", ".").rpartition(".")[2].lower()
        if leaf in _TELLING and isinstance(value, str) and (leaf in _PATHS) is free:
            found.setdefault(leaf, (str(key), value))
    for leaf in _TELLING:
        if leaf in found:
            key, value = found[leaf]
            if free:
                named = named_in(value)
                plain = named.pop() if len(named) == 1 else None
            else:
                plain = plain_algorithm(value)
            if plain is not None:
                return Guess(plain, 1.0, (f"config {key}",))
    return _UNKNOWN


def _by_title(called: Sequence[str]) -> Guess:
    """The algorithm in the first title that names any; unknown if it names several."""
    for title in called:
        named = named_in(title)
        if len(named) == 1:
            return Guess(named.pop(), 0.8, (f"it is called {title}",))
        if named:
            return _UNKNOWN
    return _UNKNOWN


def _by_own_settings(config: Mapping[str, Any], framework: str | None) -> Guess:
    tool = frameworks().get(framework or "")
    hugging_face = tool is not None and "transformers" in (tool.id, *tool.inherits)
    only = {**_ONLY, **_ONLY_IN_TRL} if hugging_face else _ONLY
    found: dict[str, str] = {}
    for key, value in config.items():
        leaf = str(key).replace("/", ".").rpartition(".")[2].lower()
        if leaf in only and value is not None:
            found.setdefault(only[leaf], str(key))
    if len(found) != 1:
        return _UNKNOWN
    [(algorithm, key)] = found.items()
    return Guess(algorithm, 0.8, (f"config {key}",))


def _by_names(names: Sequence[str], framework: str | None) -> tuple[set[str], tuple[str, ...]]:
    """The algorithms of the tool that fit the names equally well."""
    if framework not in frameworks():
        return set(), ()
    chain = default_resolver().chain(framework)
    tags, evidence = plausible_tags(names, chain, algorithms_only=True)
    known = {plain for tag in tags if (plain := plain_algorithm(tag))}
    return known, evidence[:8]


def _among(algorithm: str, fitting: Collection[str]) -> bool:
    return algorithm in fitting or any(
        common_kind({algorithm, other}) is not None for other in fitting
    )


def _fits(algorithm: str, names: Sequence[str], framework: str | None) -> bool:
    """True if a run of this tool with these names could use this algorithm."""
    kind = frameworks()[framework].kind if framework in frameworks() else None
    if kind == "classic":
        return family_of(algorithm, "classic") in ("on-policy", "actor-critic", "q-learning")
    words = {word for name in names for word in tokens(name)}
    if framework == "transformers" and family_of(algorithm, "llm") == "llm-rl":
        return "reward" in words
    return True


def _by_words(names: Sequence[str], metrics: Collection[str]) -> Guess:
    """For hand-written loops: an algorithm in the names, or metrics that only one algorithm logs."""
    named: dict[str, str] = {}
    for name in names:
        for algorithm in named_in(name.replace("_", " ")):
            named.setdefault(algorithm, name)
    if len(named) == 1:
        [(algorithm, name)] = named.items()
        return Guess(algorithm, 0.7, (name,))
    have = set(metrics)
    clipped = have & {"policy/clip_fraction", "policy/ratio_mean", "policy/clip_range"}
    clipped |= {name for name in names if "surrogate" in tokens(name)}
    grouped = have & {"reward/zero_std_fraction", "reward/group_std_mean"}
    if clipped and have & {"value/loss", "value/explained_variance"}:
        return Guess("PPO", 0.6, tuple(sorted(clipped)))
    if grouped:
        return Guess("GRPO", 0.6, tuple(sorted(grouped)))
    if have >= {"explore/epsilon", "value/loss"} and not any(m.startswith("policy/") for m in have):
        return Guess("DQN", 0.6, ("explore/epsilon", "value/loss"))
    return _UNKNOWN


def _supervised(names: Sequence[str], framework: str, config: Mapping[str, Any]) -> Guess:
    """SFT, if a Hugging Face trainer logs neither rewards nor preference pairs.

    What the model is, where its config was logged, says whether these are texts.
    """
    if framework not in _SUPERVISED:
        return _UNKNOWN
    words = {word for name in names for word in tokens(name)}
    if words & {"reward", "chosen", "rejected", "margin", "kl", "accuracy", "f1", "precision"}:
        return _UNKNOWN
    if "perplexity" in words:
        return Guess("SFT", 0.8, ("perplexity", "neither rewards nor pairs are logged"))
    if "id2label.0" in config and "id2label.1" not in config:
        return Guess("reward model", 0.6, ("config id2label: one score",))
    if "architectures" in config:
        if not _WRITES.search(str(config["architectures"])):
            return _UNKNOWN
        return Guess("SFT", 0.8, ("config architectures", "neither rewards nor pairs are logged"))
    return Guess("SFT", 0.5, ("neither rewards nor pairs are logged",))
