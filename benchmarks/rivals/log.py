"""A run as it is handed to a rival: plain lists under the catalog's names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Points = tuple[Sequence[int], Sequence[float]]  # steps and values
Row = dict[str, float]


@dataclass(frozen=True)
class Log:
    """What a run logged, as far as any rival reads it."""

    key: str
    kind: str  # of training
    algorithm: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    series: Mapping[str, Points] = field(default_factory=dict)
    components: Mapping[str, Points] = field(default_factory=dict)  # parts of the reward

    def to_json(self) -> str:
        """One line; NaN and infinity stay what they are."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Log:
        """The reverse."""
        return cls(**json.loads(line))

    def first(self, metrics: Sequence[str]) -> Points | None:
        """The first of these metrics that was logged."""
        return next((self.series[metric] for metric in metrics if metric in self.series), None)

    def named(self, names: Mapping[str, Sequence[str]]) -> dict[str, Points]:
        """Series under a tool's own names, each with the metrics it may be, best first."""
        found = {name: self.first(metrics) for name, metrics in names.items()}
        return {name: points for name, points in found.items() if points is not None}


def rows(series: Mapping[str, Points]) -> list[Row]:
    """One row per step with what was logged there, as most tools want it.

    >>> rows({"loss": ([1, 2], [0.5, 0.4]), "eval_loss": ([2], [0.6])})
    [{'step': 1, 'loss': 0.5}, {'step': 2, 'loss': 0.4, 'eval_loss': 0.6}]
    """
    table: dict[int, Row] = {}
    for name, (steps, values) in series.items():
        for step, value in zip(steps, values, strict=True):
            table.setdefault(step, {"step": step})[name] = value
    return [table[step] for step in sorted(table)]


LOSS = ("lm/loss", "preference/loss", "rm/loss", "optim/loss", "policy/loss_total", "policy/loss")
EVAL_LOSS = ("eval/loss", "eval/lm/loss", "eval/rm/loss")
LEARNING_RATE = ("optim/learning_rate", "policy/learning_rate")
GRAD_NORM = ("optim/grad_norm", "policy/grad_norm", "rm/grad_norm")
REWARD = ("reward/mean", "reward/score_mean", "outcome/return_mean")
KL = ("policy/kl_ref", "policy/approx_kl")
SUPERVISED = frozenset({"sft", "preference", "reward-model"})
LLM_RL = frozenset({"llm-rl"})
