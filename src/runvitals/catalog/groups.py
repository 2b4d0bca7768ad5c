"""Metrics in the order in which a run is read: outcome, health, data, speed, system."""

from __future__ import annotations

from typing import Literal, get_args

Group = Literal["outcome", "eval", "health", "data", "speed", "system", "progress", "other"]
GROUPS: tuple[Group, ...] = get_args(Group)

_SUBJECTS: dict[Group, str] = {
    "outcome": "outcome",
    "eval": "eval",
    "health": "policy value advantage returns reward preference rm lm optim mismatch async distill "
    "moe explore aux control supervised",
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
