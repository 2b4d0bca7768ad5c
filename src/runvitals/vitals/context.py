"""What is known about a run beside its series: kind, algorithm, plan; so which ranges hold for it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from runvitals import catalog
from runvitals.catalog.definitions.kinds import KINDS, algorithm_key, kind_of
from runvitals.model import Band, Run, Series
from runvitals.signals.late import TENTH, early_median

# Larger values mean nothing: nobody can tell them apart, and their squares are infinite.
MAX_VALUE = 1e100
HALF_WAY = 0.5  # of the plan: what has to hold "later in training" holds from here (judgement)
BELOW_ZERO = -0.01  # an entropy that rounding cannot explain
SCALE_SLACK = 0.02  # of its width, by which a scale may be left: rounding and noise (judgement)


def has_continuous_actions(run: Run, entropy: Series | None) -> bool:
    """True if its actions are real numbers, as far as the log tells.

    Only such a policy can have an entropy below zero.
    """
    if "policy/action_std" in run:
        return True
    lowest = 0.0 if entropy is None else np.min(entropy.finite().values, initial=0.0)
    return bool(lowest < BELOW_ZERO)


def setting_number(run: Run, key: str) -> float | None:
    """A setting of the run that is a finite number, or None."""
    value = run.settings.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= MAX_VALUE else None


@dataclass(frozen=True)
class RunContext:
    """The facts about a run that rules and ranges ask for, each derived once."""

    run: Run

    @cached_property
    def kind(self) -> str:
        """What kind of training this is: `on-policy`, `llm-rl`, `preference`, ... or `unknown`."""
        return kind_of(self.run)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kind of training, and the wider families it belongs to."""
        return _with_families(self.kind)

    @cached_property
    def algorithm(self) -> str:
        """Its plain name in capitals, without spaces and hyphens; empty if unknown."""
        return algorithm_key(self.run)

    @cached_property
    def last_step(self) -> int:
        """The last step that was logged."""
        return self.run.last_step or 0

    @cached_property
    def planned_steps(self) -> int | None:
        """How many steps the run was meant to have, in the unit of its steps; None if unknown."""
        told = self.run.progress.get("total_steps"), setting_number(self.run, "total_steps")
        for value in told:
            if isinstance(value, int | float) and math.inf > value >= self.last_step > 0:
                return int(value)
        return self.run.last_step if self.run.status == "finished" else None

    @cached_property
    def late(self) -> bool:
        """True in the second half of training; a log whose writer is gone is at its end."""
        if not self.planned_steps:
            return self.run.status != "running"
        return self.last_step >= HALF_WAY * self.planned_steps

    @cached_property
    def actions(self) -> str:
        """`continuous` or `discrete`."""
        continuous = has_continuous_actions(self.run, self.run.get("policy/entropy"))
        return "continuous" if continuous else "discrete"

    def tool_of(self, name: str) -> str | None:
        """The tool that this name speaks of, or else that of the run."""
        binding = self.run.bindings.get(name)
        known = None if binding is None else binding.framework
        return known if known not in (None, "glossary", "runvitals") else self.run.framework

    def kinds_for(self, name: str) -> frozenset[str]:
        """The same for one name: what a tool for language models calls PPO is not a control task."""
        tool = catalog.FRAMEWORKS.get(self.tool_of(name) or "")
        open_kind = self.kinds & {"on-policy", "unknown"}
        of_language = tool is not None and tool.kind == "llm" and open_kind
        return _with_families("llm-rl") if of_language else self.kinds

    def holds(self, band: Band, series: Series, *, set_by_run: bool = False) -> bool:
        """Whether a band of the catalog is meant for this series."""
        if band.kinds and not self.kinds_for(series.name) & set(band.kinds):
            return False
        if band.actions and band.actions != self.actions:
            return False
        if not _has(series.labels, band.labels) or not _on_scale(band, series):
            return False
        if set_by_run:
            return True
        if band.algorithms and self.algorithm not in {_key(name) for name in band.algorithms}:
            return False
        return self._of_its_tools(band, series.name)

    def _of_its_tools(self, band: Band, name: str) -> bool:
        if not band.tools and not band.names:
            return True
        tool = self.tool_of(name)
        return tool in band.tools if tool is not None else name in band.names


def _with_families(kind: str) -> frozenset[str]:
    return KINDS.get(kind, frozenset()) | {kind}


def _key(algorithm: str) -> str:
    return "".join(mark for mark in algorithm.upper() if mark not in " -_.")


def _has(labels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in wanted.items())


def _on_scale(band: Band, series: Series) -> bool:
    """Whether the series begins within the band's scale; one that has no values yet may."""
    values = series.finite().values
    if band.scale is None or not len(values):
        return True
    low, high = band.scale
    slack = SCALE_SLACK * (high - low)
    return low - slack <= early_median(values, TENTH) <= high + slack
