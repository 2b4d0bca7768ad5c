"""Metrics in the order in which a run is read, and the rows in which tools are compared."""

from collections.abc import Mapping
from typing import Literal, get_args

Group = Literal["outcome", "eval", "health", "data", "speed", "system", "progress", "other"]
GROUPS: tuple[Group, ...] = get_args(Group)
_TITLES: dict[str, str] = {"eval": "evaluation"}

_SUBJECTS: dict[Group, str] = {
    "outcome": "outcome",
    "eval": "eval",
    "health": "policy value advantage returns reward preference rm lm optim mismatch async distill "
    "moe explore aux control supervised net preflight",
    "data": "length agent data balance replay obs curriculum",
    "speed": "time throughput rollout",
    "system": "system",
    "progress": "progress",
}
_BY_SUBJECT: dict[str, Group] = {
    subject: group for group, subjects in _SUBJECTS.items() for subject in subjects.split()
}
# Where no task truth is logged, the reward is the outcome that people look at.
_PAID = frozenset(
    {"reward/mean", "reward/score_mean", "reward/component_mean", "reward/trend", "reward/median"}
)


def group_of(metric_id: str) -> Group:
    """The group a metric is shown in.

    >>> group_of("policy/approx_kl"), group_of("reward/mean"), group_of("eval/rm/accuracy")
    ('health', 'outcome', 'eval')
    """
    if metric_id in _PAID:
        return "outcome"
    return _BY_SUBJECT.get(metric_id.partition("/")[0], "other")


def group_title(group: str) -> str:
    """What a group is called where people read it.

    >>> group_title("eval"), group_title("health")
    ('evaluation', 'health')
    """
    return _TITLES.get(group, group)


# What a person looks at first, group by group: the truth about the task, then whether the learner is
# well, then whether time is wasted. What is not listed comes behind, settings last.
_FIRST_READ = """
    outcome/success_rate outcome/win_rate outcome/return_mean outcome/score_mean reward/score_mean
    reward/mean outcome/episode_length_mean eval/mean_at_n eval/pass_at_k eval/success_rate
    eval/return_mean eval/score_mean eval/win_rate eval/lm/loss eval/preference/accuracy
    eval/rm/accuracy policy/entropy policy/approx_kl policy/kl_old policy/kl_ref
    policy/kl_ref_sequence policy/clip_fraction value/loss value/explained_variance
    preference/margin preference/accuracy preference/loss rm/accuracy rm/margin rm/loss lm/loss
    lm/token_accuracy policy/grad_norm optim/grad_norm policy/loss policy/loss_total optim/loss
    reward/zero_std_fraction value/q_mean advantage/std policy/ratio_max value/grad_norm
    length/response_mean length/response_clip_ratio length/aborted_ratio agent/turns_mean
    balance/seqlen_diff throughput/env_steps_per_s throughput/updates_per_s
    throughput/tokens_per_s_per_device throughput/tokens_per_s throughput/generation_tokens_per_s
    throughput/samples_per_s time/step_s time/generation_s throughput/mfu
    system/gpu_utilization_percent system/gpu_memory_percent system/cpu_percent
    system/memory_percent
""".split()
_PLACE = {metric_id: place for place, metric_id in enumerate(_FIRST_READ)}
_SETTINGS = ("_coef", "_range", "learning_rate", "_target", "weight_decay", "_threshold", "beta")
_DEEPER = ("net/", "preflight/")  # for a close look: they are many, one for each block
_SPREADS = ("std", "var", "min", "max", "median")


def reading_position(metric_id: str) -> int:
    """Where a metric stands in the order in which people read: a smaller number comes first.

    >>> entropy, mean, std = map(reading_position, ("policy/entropy", "value/mean", "value/std"))
    >>> entropy < mean < std
    True
    """
    listed = _PLACE.get(metric_id)
    if listed is not None:
        return listed
    behind = metric_id.endswith(_SPREADS) + 2 * metric_id.endswith(_SETTINGS)
    return len(_PLACE) + behind + 4 * metric_id.startswith(_DEEPER)


# What most tools log, and the metrics that it may be: rows for comparing the names of
# tools. The first seven are the table of the Training Metrics Glossary, in its order.
COMPARED: Mapping[str, tuple[str, ...]] = {
    "Policy entropy": ("policy/entropy",),
    "KL divergence": (
        "policy/kl_old", "policy/approx_kl", "policy/kl_ref", "policy/kl_ref_sequence",
    ),
    "Gradient norm": ("policy/grad_norm", "optim/grad_norm"),
    "Response length": ("length/response_mean",),
    "Generation time": ("time/generation_s",),
    "Reward mean": ("reward/mean", "reward/score_mean", "outcome/return_mean"),
    "DPO margin": ("preference/margin",),
    "Policy loss": ("policy/loss", "policy/loss_total"),
    "Clip fraction": ("policy/clip_fraction",),
    "Value loss": ("value/loss",),
    "Explained variance": ("value/explained_variance",),
    "Learning rate": ("policy/learning_rate", "optim/learning_rate"),
    "Loss": ("optim/loss",),
}  # fmt: skip


def compared_metrics(text: str) -> tuple[str, ...]:
    """The metrics of the row whose title has these words; none if no row or several have them.

    >>> compared_metrics("entropy"), compared_metrics("KL")[0]
    (('policy/entropy',), 'policy/kl_old')
    """
    wanted = set(text.casefold().split())
    if same := [ids for title, ids in COMPARED.items() if title.casefold() == text.casefold()]:
        return same[0]
    found = [ids for title, ids in COMPARED.items() if wanted <= set(title.casefold().split())]
    return found[0] if len(found) == 1 and wanted else ()
