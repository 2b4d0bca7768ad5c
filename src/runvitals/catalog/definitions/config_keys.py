"""Which setting a key of a run's config is, in whatever tool's spelling."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

from runvitals.catalog.definitions.algorithms import families_of
from runvitals.catalog.definitions.settings import CONFIG_KEYS
from runvitals.model import ConfigKey

__all__ = ["CONFIG_KEYS", "find_config_key", "possible_config_keys", "resolve_config"]

# One short name, several meanings: the other settings of the run decide.
_GRPO = frozenset({"num_generations", "rloo_k", "epsilon_high"})
_DPO = frozenset(
    {
        "reference_free",
        "precompute_ref_log_probs",
        "dpo_alpha",
        "desirable_weight",
        "label_smoothing",
        "simpo_gamma",
        "cpo_alpha",
        "max_prompt_length",
        "loss_type",
    }
)
_PPO = frozenset({"num_ppo_epochs", "clip_range", "clip_coef", "cliprange", "clip_param"})
_DQN = frozenset({"exploration_fraction", "target_update_interval", "epsilon_decay", "buffer_size"})
_OPENRLHF = frozenset({"init_kl_coef", "eps_clip", "generate_max_len", "n_samples_per_prompt"})
_PYMARL = frozenset({"test_nepisode", "batch_size_run"})
_SCHEDULER = frozenset({"qps_sensitivity", "balance_weight", "latency_weight"})
_CONDITIONAL: Mapping[str, tuple[tuple[str, frozenset[str], frozenset[str]], ...]] = {
    "beta": (
        ("kl_coef", _GRPO | {"@llm-rl"}, frozenset({"@preference"})),
        ("preference_beta", _DPO | {"@preference"}, _GRPO | _PPO | {"@llm-rl"}),
        ("reward_beta", _SCHEDULER, _GRPO | _DPO),
    ),
    # Passes over the data set, where there is one; a loop of PPO may mean those over a batch.
    "epochs": (
        ("total_epochs", frozenset({"epochs"}), _PPO | _DQN | {"gamma", "@on-policy", "@llm-rl"}),
        ("total_epochs", frozenset({"steps_per_epoch"}), frozenset()),
    ),
    "epsilon": (("clip_range", _GRPO | {"ppo_epochs"}, _DQN),),
    # GRPO's passes over a batch; in CleanRL the number of updates of the whole run.
    "num_iterations": (("epochs_per_batch", _GRPO, _PPO | {"total_timesteps"}),),
    "max_epochs": (
        ("epochs_per_batch", _OPENRLHF, frozenset()),
        ("total_epochs", frozenset({"max_epochs"}), _OPENRLHF),
    ),
    # RLlib limits the step from the old policy, OpenRLHF the distance from the reference.
    "kl_target": (
        ("target_kl", frozenset({"kl_coeff", "clip_param"}), _OPENRLHF),
        ("target_kl_ref", _OPENRLHF, frozenset({"kl_coeff"})),
    ),
    # In A3C's loops it is the length of a rollout.
    "t_max": (("total_steps", _PYMARL, frozenset()),),
    "target": (("target_kl_ref", frozenset({"adap_kl_ctrl"}), frozenset()),),
    "alpha": (("entropy_coef", frozenset({"autotune", "alpha_lr", "q_lr"}), frozenset()),),
}
# Switches that are off and the part of a key that is then idle.
_SWITCHES = {"use_kl_in_reward": "kl_ctrl", "use_kl_loss": "kl_loss_coef"}
# Numbers below zero that tools take for "not set".
_UNSET_BELOW_ZERO = frozenset({"total_steps", "max_response_length", "max_length", "seed"})

# Settings below these belong to something else than the training of the main model.
_ELSEWHERE = frozenset(
    {
        "val_kwargs",
        "eval",
        "evaluation",
        "validation",
        "val",
        "test",
        "ref",
        "reward_model",
        "reference",
        "teacher",
        "logger",
        "eval_config",
    }
)
_SEPARATORS = re.compile(r"[./\s]+|__")


@cache
def _aliases() -> dict[tuple[str, ...], str]:
    return {
        _segments(alias): key.id for key in CONFIG_KEYS.values() for alias in (key.id, *key.aliases)
    }


def _segments(key: str) -> tuple[str, ...]:
    parts = _SEPARATORS.split(key.strip().lower().replace("-", "_"))
    return tuple(part for part in parts if part)


def resolve_config(
    flat_config: Mapping[str, Any], algorithm: str | None = None
) -> dict[str, tuple[str, Any]]:
    """Settings by their canonical key: the original key and its value.

    The end of a key decides, the longest known end first. Two keys with different values for one
    setting are ambiguous: the shorter key wins only if it is the whole name, else neither does.
    The algorithm, if known, tells what a short name such as `beta` is.

    >>> resolve_config({"actor_rollout_ref.actor.optim.lr": 1e-6, "critic.optim.lr": 1e-5})
    {'learning_rate': ('actor_rollout_ref.actor.optim.lr', 1e-06),
     'critic_learning_rate': ('critic.optim.lr', 1e-05)}
    """
    candidates: dict[str, list[tuple[int, str, Any]]] = defaultdict(list)
    leaves = {_segments(str(key))[-1:] for key in flat_config}
    present = {leaf[0] for leaf in leaves if leaf}
    present |= {f"@{family}" for family in families_of(algorithm)}
    idle = _idle(flat_config)
    for key, value in flat_config.items():
        segments = _segments(str(key))
        found = _match(segments, present)
        if found and value is not None and not idle & set(segments):
            canonical, length = found
            if canonical in _UNSET_BELOW_ZERO and isinstance(value, int | float) and value < 0:
                continue
            candidates[canonical].append((len(segments) - length, str(key), value))
    winners = {canonical: _winner(canonical, options) for canonical, options in candidates.items()}
    return {canonical: winner for canonical, winner in winners.items() if winner is not None}


def _idle(flat_config: Mapping[str, Any]) -> set[str]:
    """The parts of keys that mean nothing here, because what they set is switched off."""
    off = (_segments(str(key)) for key, value in flat_config.items() if value is False)
    return {_SWITCHES[segments[-1]] for segments in off if segments and segments[-1] in _SWITCHES}


def _winner(canonical: str, options: list[tuple[int, str, Any]]) -> tuple[str, Any] | None:
    """The key that decides a setting, with its value; None where several contradict each other.

    An option is how many parts of its key are beyond the name that was recognised, the key, its value.
    """
    options = sorted(options, key=lambda option: (option[0], len(option[1])))
    rest, key, value = options[0]
    rivals = [option for option in options[1:] if option[2] != value]
    if not rivals or (rest == 0 and all(rival[0] > 0 for rival in rivals)):
        return key, value
    if rest == 0:
        return next(((key, value) for _, key, value in options if key == canonical), None)
    return None


def find_config_key(name: str) -> ConfigKey | None:
    """The setting that a name means by itself, in words or as a key, or None.

    >>> find_config_key("entropy coefficient").id, find_config_key("algo.eps_clip").id
    ('entropy_coef', 'clip_range')
    """
    plain = name.strip().replace(" ", "_")
    for one in (plain, plain.removesuffix("s")):
        found = _match(_segments(one), set())
        if found:
            return CONFIG_KEYS[found[0]]
    return None


def possible_config_keys(name: str) -> list[ConfigKey]:
    """The settings that a name may mean: one, or several of which the run's other settings decide.

    >>> [key.id for key in possible_config_keys("beta")]
    ['kl_coef', 'preference_beta', 'reward_beta']
    """
    found = find_config_key(name)
    if found is not None:
        return [found]
    choices = _CONDITIONAL.get("".join(_segments(name.strip())), ())
    return [CONFIG_KEYS[one] for one in dict.fromkeys(canonical for canonical, _, _ in choices)]


def _match(segments: tuple[str, ...], present: set[str]) -> tuple[str, int] | None:
    aliases = _aliases()
    for length in range(len(segments), 0, -1):
        canonical = aliases.get(segments[-length:])
        if canonical is not None:
            above = set(segments[:-length])
            return (
                None if above & _ELSEWHERE or _of_critic(above, canonical) else (canonical, length)
            )
    if segments and segments[-1] in _CONDITIONAL and not set(segments) & _ELSEWHERE:
        fitting = [
            canonical
            for canonical, needs, forbids in _CONDITIONAL[segments[-1]]
            if present & needs and not present & forbids
        ]
        if len(set(fitting)) == 1:
            return fitting[0], 1
    return None


def _of_critic(above: set[str], canonical: str) -> bool:
    """`critic.optim.weight_decay` says nothing about the policy."""
    return bool(above & {"critic", "value"}) and canonical not in {
        "critic_learning_rate",
        "clip_range_vf",
        "value_coef",
    }
