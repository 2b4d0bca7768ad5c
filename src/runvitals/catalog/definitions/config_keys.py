"""Which setting a key of a run's config is, in whatever tool's spelling.

`clip_coef`, `cliprange` and `eps_clip` are one setting. An entry of the page is `id: meaning`, with
`names` (its aliases) and a `note` on when to change it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from runvitals.catalog.definitions.algorithms import families_of
from runvitals.catalog.definitions.pages import entries, fields
from runvitals.model import ConfigKey

__all__ = ["CONFIG_KEYS", "find_config_key", "possible_config_keys", "resolve_config"]

_PAGE = """
algorithm: The training algorithm
  names: algo algo_name algorithm_name algorithm.adv_estimator rl_algorithm trainer_type
    training_method rl_type
env_id: The environment
  names: env env_name environment gym_id task_name env.id env.name
model: The model that is trained
  names: model_name model_name_or_path model_path model_id pretrain actor_rollout_ref.model.path
    actor.model.path policy.model_name base_model _name_or_path actor.path
dataset: The training data
  names: dataset_name train_files data.train_files prompt_data dataset_mixer_list train_dataset
    train_dataset.path
seed: Random seed
  names: random_seed rng_seed training_seed
learning_rate: Learning rate of the model, or of the actor where there are two
  names: lr actor_learning_rate actor_lr policy_lr pi_lr lr_actor optim.lr optimizer.lr
    actor.optim.lr policy.optimizer.kwargs.lr optimizer.learning_rate policy_learning_rate base_lr
    init_lr current_lr
critic_learning_rate: Learning rate of the critic
  names: critic_lr vf_lr value_lr q_lr lr_critic critic.optim.lr critic.optimizer.lr
    value.optimizer.kwargs.lr value_learning_rate critic.lr
optimizer: Name of the optimizer
  names: optim optimizer_name optimizer_type optimizer_class optimizer.name optimizer.type
    optim.name
lr_schedule: Shape of the learning-rate schedule
  names: lr_scheduler_type lr_scheduler learning_rate_schedule lr_decay_style anneal_lr schedule
    optim.lr_warmup_style warmup_style
warmup_steps: Steps over which the learning rate rises
  names: lr_warmup_steps num_warmup_steps lr_warmup_iters
warmup_ratio: Share of the run over which the learning rate rises
  names: lr_warmup_ratio lr_warmup_steps_ratio lr_warmup_fraction
weight_decay: Weight decay
  names: l2 adam_weight_decay wd
max_grad_norm: Gradient norm at which gradients are clipped
  names: grad_clip clip_grad grad_clip_norm gradient_clipping max_norm clip_grad_norm
    gradient_clip_val grad_norm_clip max_gradient_norm gradient_clip_norm
  note: Norms far above it: the clip sets the size of every step; lower the learning rate.
clip_range: Clip range of the policy ratio
  names: clip_epsilon clip_coef clip_ratio cliprange clip_param eps_clip ppo_clip e_clip clip_eps
    ppo_epsilon ratio_clip clip_ratio_low ppo_clip_coef ppo_clip_ratio ratio_clip_min
  note: While much is clipped, lower the learning rate or the epochs first; a narrower range clips
    still more.
clip_range_high: Upper clip range, where it differs from the lower
  names: epsilon_high clip_ratio_high eps_clip_high clip_higher ratio_clip_max cliprange_high
clip_range_vf: Clip range of the value function
  names: cliprange_value value_clip vf_clip_param cliprange_vf vf_clip value_clip_range vf_clip_coef
target_kl: KL at which an update stops or a controller aims
  names: desired_kl kl_threshold max_kl target_kl_div
  note: KL above it for long: raise kl_coef, lower the learning rate or use fewer epochs.
target_kl_ref: KL to the reference model at which the controller of the KL weight aims
  names: kl_ctrl.target_kl
kl_coef: Weight of the KL penalty
  names: kl_coeff init_kl_coef init_kl_coeff kl_loss_coef kl_beta initial_kl_coef kl_penalty_coef
    kl_ctrl.kl_coef reference_policy_kl_penalty kl_loss_coeff kl_ctl
  note: Raise it while KL is above its target; lower it while hardly anything is clipped and little
    is learned.
entropy_coef: Weight of the entropy bonus
  names: ent_coef entropy_coeff entropy_loss_scale entropy_cost entropy_loss_coef
    entropy_coefficient exploration_loss_coeff ent_loss_coef
entropy_min: Floor of the policy entropy
  names: min_entropy
  note: Entropy below it for long: the policy is held too tightly; check the temperature.
target_entropy: Entropy that SAC aims at
  names: entropy_target
value_coef: Weight of the value loss
  names: vf_coef value_loss_coef vf_loss_coeff critic_coef critic_coeff value_loss_scale
    value_loss_coeff baseline_cost vf_coefficient value_coefficient
gamma: Discount factor
  names: discount discount_factor discounting
  note: Beside a beta in the reward of a scheduler it is the weight of a score that fell.
gae_lambda: Lambda of generalised advantage estimation
  names: lam lmbda lambd gae_lam lambda_ lambda
epochs_per_batch: Passes over one batch of experience
  names: n_epochs update_epochs ppo_epochs num_ppo_epochs num_sgd_iter num_epochs noptepochs
    num_learning_epochs mini_epochs learning_epochs train_pi_iters repeat_per_collect
    num_updates_per_batch k_epochs
batch_size: Samples in one batch of training
  names: train_batch_size per_device_train_batch_size global_batch_size train_global_batch_size
    data.train_batch_size train_batch_size_per_learner
minibatch_size: Samples in one optimiser step
  names: mini_batch_size sgd_minibatch_size ppo_mini_batch_size mini_batch policy_mini_batch_size
    ppo_minibatch_size
num_minibatches: Minibatches that one batch is cut into
  names: num_mini_batches mini_batches nminibatches n_minibatches
micro_batch_size: Samples that one device holds at a time; several make an optimiser step
  names: micro_train_batch_size ppo_micro_batch_size_per_gpu train_micro_batch_size
    micro_batch_size_per_gpu micro_train_batch_size_per_gpu
rollout_batch_size: Prompts that are sampled before an update
  names: num_prompts_per_step num_unique_prompts_rollout
gradient_accumulation_steps: Batches whose gradients are summed before a step
  names: accumulate_grad_batches grad_accum_steps
rollout_steps: Environment steps collected per environment and update
  names: n_steps num_steps horizon rollout_fragment_length num_steps_per_env horizon_length rollouts
    nsteps unroll_length steps_per_epoch rollout_length
n_envs: Parallel environments
  names: num_envs num_actors nenvs num_env n_env training_num
reward_weights: Weights of the parts of the reward, in the order of its functions
group_size: Responses sampled for one prompt
  names: num_generations rollout.n n_samples_per_prompt grpo_samples rloo_k num_samples_per_prompt
    num_generations_per_prompt grpo_size num_samples_per_prompt_rollout rollouts_per_example
    gconfig.n_samples
total_steps: Planned length of the run, in the tool's own steps
  names: total_timesteps max_steps total_training_steps num_train_steps max_iterations
    num_iterations_total train_for_env_steps num_timesteps total_episodes training_steps
    max_num_steps max_train_steps
total_epochs: Planned passes over the data set
  names: num_train_epochs max_num_epochs
max_prompt_length: Longest prompt in tokens
  names: prompt_max_len max_prompt_len max_prompt_token_length max_query_length
max_response_length: Longest response in tokens
  names: max_completion_length max_new_tokens generate_max_len response_length max_generated_tokens
    rollout_max_response_len max_tokens max_generate_length generation.max_new_tokens
max_length: Longest sequence in tokens
  names: max_seq_length max_len max_seq_len cutoff_len max_total_sequence_length sequence_len
temperature: Sampling temperature
  names: sampling_temperature rollout_temperature gen_temperature
preference_beta: Temperature of a preference loss
  names: dpo_beta pref_beta simpo_beta kto_beta orpo_beta
buffer_size: Capacity of the replay buffer
  names: replay_buffer_size replay_size memory_size buffer_capacity
learning_starts: Steps before the first update
  names: start_steps random_steps num_steps_sampled_before_learning_starts min_replay_size
    update_after
tau: Step of the target network
  names: target_update_tau soft_target_tau
exploration_final_eps: Final exploration rate
  names: end_e epsilon_end epsilon_finish eps_end final_epsilon epsilon_final
base_temperature: Sampling temperature without pressure
  note: Guide: docs/lab/temperature_controller_parameters.md.
min_temperature: Lowest sampling temperature
  note: Raise it when the entropy collapses while the temperature is low. Guide:
    docs/lab/temperature_controller_parameters.md.
max_temperature: Highest sampling temperature, except for pulses
  note: Guide: docs/lab/temperature_controller_parameters.md.
qps_sensitivity: How strongly load lowers the temperature
  note: Lower it when the entropy collapses while the temperature is low. Guide:
    docs/lab/temperature_controller_parameters.md.
latency_sensitivity: How strongly late answers lower the temperature
  note: Lower it when the temperature takes long to come back after a latency spike. Guide:
    docs/lab/temperature_controller_parameters.md.
pulse_patience: Updates without a better reward before a temperature pulse
  note: Raise it when pulses come while the reward rises. Guide:
    docs/lab/temperature_controller_parameters.md.
pulse_updates: How many updates a temperature pulse lasts
  note: Guide: docs/lab/temperature_controller_parameters.md.
pulse_factor: What a pulse multiplies the temperature by
  note: Guide: docs/lab/temperature_controller_parameters.md.
reward_beta: Weight of a score that rose, in the reward of a scheduler
  names: reward.beta reward_config.beta
  note: Tune it when the total reward is negative while the absolute score is positive. Guide:
    docs/lab/reward_config_guide.md.
reward_gamma: Weight of a score that fell, in the reward of a scheduler
  names: reward.gamma reward_config.gamma
  note: Tune it when the total reward is negative while the absolute score is positive. Guide:
    docs/lab/reward_config_guide.md.
balance_weight: Weight of the penalty for uneven load, in the reward of a scheduler
  names: balance_penalty_weight load_balance_penalty
  note: Raise it when the balance penalty stays high. Guide: docs/lab/reward_config_guide.md.
latency_target: Seconds on which a scheduler's reward judges latencies
  note: Guide: docs/lab/reward_config_guide.md.
grad_spike_factor: Times its usual level, a gradient norm is a spike, and the trainer adapts its steps
  note: 0 switches the adaptation off. Guide: docs/lab/training_monitoring_guide.md.
spike_lr_factor: What a gradient spike multiplies the learning rate by
  note: Guide: docs/lab/training_monitoring_guide.md.
spike_batch_factor: What a gradient spike multiplies the minibatch size by
  note: Guide: docs/lab/training_monitoring_guide.md.
spike_levels: How many gradient spikes add up
  note: Guide: docs/lab/training_monitoring_guide.md.
spike_recovery: Calm updates after which one gradient spike is forgotten
  note: Guide: docs/lab/training_monitoring_guide.md.
kl_coef_min: The weight of an adaptive KL penalty never falls below it
  note: Guide: docs/lab/kl_regularization_guide.md.
kl_coef_max: The weight of an adaptive KL penalty never rises above it
  note: Raise it when the KL is above its target while the weight is at this limit. Guide:
    docs/lab/kl_regularization_guide.md.
kl_early_stop: Whether an update ends when the KL is well above its target
  note: Guide: docs/lab/kl_regularization_guide.md.
warm_start_rollouts: Batches routed by a rule first, to settle the statistics of the inputs
  note: Raise it when the first updates have large value losses and KL. Guide:
    docs/lab/statistics_stabilization_guide.md.
monitoring: What a scheduler's run writes beside its log: TensorBoard events, CSV tables, how often
  names: monitoring_config
  note: Guide: docs/lab/training_monitoring_guide.md.
metrics_export_enabled: Whether the tables metrics/*.csv are written
  note: Guide: docs/lab/training_monitoring_guide.md.
metrics_export_interval: Updates between two rows of metrics/*.csv
  note: Guide: docs/lab/training_monitoring_guide.md.
reward_scale: Factor on the reward
  names: reward_scaling reward_factor
precision: Number format of the training
  names: dtype bf16 fp16
"""


def _keys() -> Iterator[ConfigKey]:
    for head, lines in entries(_PAGE):
        id, _, meaning = head.partition(": ")
        known = fields(lines, "names", "note")
        names = (id, *known.get("names", "").split())
        yield ConfigKey(id, meaning, names, known.get("note", ""))


CONFIG_KEYS: Mapping[str, ConfigKey] = {key.id: key for key in _keys()}

# One short name, several meanings: the other settings of the run decide.
_GRPO = frozenset({"num_generations", "rloo_k", "epsilon_high"})
_DPO = frozenset(
    "reference_free precompute_ref_log_probs dpo_alpha desirable_weight label_smoothing simpo_gamma "
    "cpo_alpha max_prompt_length loss_type".split()
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
    "val_kwargs eval evaluation validation val test ref reward_model reference teacher logger "
    "eval_config".split()
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
    """Key parts that have no effect here because their feature is switched off."""
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
