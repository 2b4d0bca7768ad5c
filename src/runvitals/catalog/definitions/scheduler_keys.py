"""Settings of a PPO scheduler for a serving cluster; docs/lab has a guide to each group of them."""

from __future__ import annotations

from runvitals.model import ConfigKey

_REWARD = "docs/lab/reward_config_guide.md"
_TEMPERATURE = "docs/lab/temperature_controller_parameters.md"
_KL = "docs/lab/kl_regularization_guide.md"
_STATISTICS = "docs/lab/statistics_stabilization_guide.md"
_MONITORING = "docs/lab/training_monitoring_guide.md"


def _key(id: str, meaning: str, guide: str, note: str = "", *others: str) -> ConfigKey:
    return ConfigKey(id, meaning, (id, *others), note=f"{note} Guide: {guide}.".lstrip())


SCHEDULER_KEYS = (
    _key("base_temperature", "Sampling temperature without pressure", _TEMPERATURE),
    _key(
        "min_temperature",
        "Lowest sampling temperature",
        _TEMPERATURE,
        "Raise it when the entropy collapses while the temperature is low.",
    ),
    _key("max_temperature", "Highest sampling temperature, except for pulses", _TEMPERATURE),
    _key(
        "qps_sensitivity",
        "How strongly load lowers the temperature",
        _TEMPERATURE,
        "Lower it when the entropy collapses while the temperature is low.",
    ),
    _key(
        "latency_sensitivity",
        "How strongly late answers lower the temperature",
        _TEMPERATURE,
        "Lower it when the temperature takes long to come back after a latency spike.",
    ),
    _key(
        "pulse_patience",
        "Updates without a better reward before a temperature pulse",
        _TEMPERATURE,
        "Raise it when pulses come while the reward rises.",
    ),
    _key("pulse_updates", "How many updates a temperature pulse lasts", _TEMPERATURE),
    _key("pulse_factor", "What a pulse multiplies the temperature by", _TEMPERATURE),
    _key(
        "reward_beta",
        "Weight of a score that rose, in the reward of a scheduler",
        _REWARD,
        "Tune it when the total reward is negative while the absolute score is positive.",
        "reward.beta",
        "reward_config.beta",
    ),
    _key(
        "reward_gamma",
        "Weight of a score that fell, in the reward of a scheduler",
        _REWARD,
        "Tune it when the total reward is negative while the absolute score is positive.",
        "reward.gamma",
        "reward_config.gamma",
    ),
    _key(
        "balance_weight",
        "Weight of the penalty for uneven load, in the reward of a scheduler",
        _REWARD,
        "Raise it when the balance penalty stays high.",
        "balance_penalty_weight",
        "load_balance_penalty",
    ),
    _key("latency_target", "Seconds on which a scheduler's reward judges latencies", _REWARD),
    _key(
        "grad_spike_factor",
        "Times its usual level, a gradient norm is a spike, and the trainer adapts its steps",
        _MONITORING,
        "0 switches the adaptation off.",
    ),
    _key("spike_lr_factor", "What a gradient spike multiplies the learning rate by", _MONITORING),
    _key(
        "spike_batch_factor", "What a gradient spike multiplies the minibatch size by", _MONITORING
    ),
    _key("spike_levels", "How many gradient spikes add up", _MONITORING),
    _key("spike_recovery", "Calm updates after which one gradient spike is forgotten", _MONITORING),
    _key("kl_coef_min", "The weight of an adaptive KL penalty never falls below it", _KL),
    _key(
        "kl_coef_max",
        "The weight of an adaptive KL penalty never rises above it",
        _KL,
        "Raise it when the KL is above its target while the weight is at this limit.",
    ),
    _key("kl_early_stop", "Whether an update ends when the KL is well above its target", _KL),
    _key(
        "warm_start_rollouts",
        "Batches routed by a rule first, to settle the statistics of the inputs",
        _STATISTICS,
        "Raise it when the first updates have large value losses and KL.",
    ),
    _key(
        "monitoring",
        "What a scheduler's run writes beside its log: TensorBoard events, CSV tables, how often",
        _MONITORING,
        "",
        "monitoring_config",
    ),
    _key("metrics_export_enabled", "Whether the tables metrics/*.csv are written", _MONITORING),
    _key("metrics_export_interval", "Updates between two rows of metrics/*.csv", _MONITORING),
)
