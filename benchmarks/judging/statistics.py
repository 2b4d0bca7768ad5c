"""Shares and medians with bootstrap intervals over programs, since seeds of one program are alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

import numpy as np

from benchmarks.judging.runs import Judgement

DRAWS = 2000
INTERVAL = (0.025, 0.975)


class OfProgram(Protocol):
    """Anything that was found out about a run."""

    @property
    def run(self) -> Any:
        """The run; it has a `cluster`."""


@dataclass(frozen=True)
class Estimate:
    """A figure and its 95% interval."""

    value: float
    low: float
    high: float
    runs: int
    programs: int

    def __str__(self) -> str:
        return f"{self.value:.1%} ({self.low:.0%} to {self.high:.0%})"


def share(judged: Iterable[Any], hit: Callable[[Any], bool]) -> Estimate | None:
    """Mean over programs of the share of their runs that are a hit; None without runs.

    Where all programs agree, resampling would claim certainty: there the exact binomial bound stands.
    """
    programs = _by_program((one, float(hit(one))) for one in judged)
    means = np.array([np.mean(values) for values in programs.values()])
    found = _estimate(means, lambda drawn: drawn.mean(axis=1), programs)
    if found is None or found.value not in (0.0, 1.0):
        return found
    doubt = 1.0 - (1.0 - INTERVAL[1]) ** (1.0 / len(means))
    low, high = (0.0, doubt) if found.value == 0.0 else (1.0 - doubt, 1.0)
    return replace(found, low=low, high=high)


def median(found: Iterable[Any], number: Callable[[Any], float | None]) -> Estimate | None:
    """Median over programs of their median; runs without the number do not count."""
    pairs = ((one, number(one)) for one in found)
    programs = _by_program((one, value) for one, value in pairs if value is not None)
    medians = np.array([np.median(values) for values in programs.values()])
    return _estimate(medians, lambda drawn: np.median(drawn, axis=1), programs)


def precision(sick: Iterable[Judgement]) -> Estimate | None:
    """The share of findings on sick runs that name the fault, over runs where it has a name."""
    programs: dict[str, list[float]] = {}
    for one in sick:
        right = [float(code in one.run.right) for code in one.codes]
        if one.run.right and right:
            programs.setdefault(one.run.cluster, []).extend(right)
    if not programs:
        return None
    counts = np.array([(sum(values), len(values)) for values in programs.values()])
    picked = _draws(len(counts))
    drawn = counts[picked].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], INTERVAL)
    hits, findings = counts.sum(axis=0)
    return Estimate(float(hits / findings), float(low), float(high), int(findings), len(counts))


def _by_program(pairs: Iterable[tuple[OfProgram, float]]) -> dict[str, list[float]]:
    programs: dict[str, list[float]] = {}
    for one, value in pairs:
        programs.setdefault(one.run.cluster, []).append(value)
    return programs


def _estimate(
    values: np.ndarray[Any, Any],
    summary: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]],
    programs: dict[str, list[float]],
) -> Estimate | None:
    if not len(values):
        return None
    low, high = np.quantile(summary(values[_draws(len(values))]), INTERVAL)
    [value] = summary(values[np.newaxis])
    runs = sum(map(len, programs.values()))
    return Estimate(float(value), float(low), float(high), runs, len(programs))


def _draws(n: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(0, n, (DRAWS, n))


@dataclass(frozen=True)
class Figures:
    """How well a group of runs was judged."""

    sick: int
    healthy: int
    benign: int
    detected: Estimate | None
    named: Estimate | None
    named_strictly: Estimate | None
    named_or_accepted: Estimate | None
    precision: Estimate | None
    healthy_alarmed: Estimate | None
    benign_alarmed: Estimate | None
    well_alarmed: Estimate | None  # healthy and benign together
    delay: Estimate | None
    lead: Estimate | None

    def as_dict(self) -> dict[str, Any]:
        """For a JSON file."""
        return asdict(self)


def figures(judged: list[Judgement]) -> Figures:
    """All figures of a group of runs."""
    of = {
        name: [j for j in judged if j.run.label == name] for name in ("sick", "healthy", "benign")
    }
    sick = of["sick"]
    nameable = [one for one in sick if one.run.right]
    return Figures(
        sick=len(sick),
        healthy=len(of["healthy"]),
        benign=len(of["benign"]),
        detected=share(sick, lambda one: one.alarmed),
        named=share(nameable, lambda one: one.named),
        named_strictly=share(nameable, lambda one: one.named_strictly),
        named_or_accepted=share(nameable, lambda one: one.named_or_accepted),
        precision=precision(sick),
        healthy_alarmed=share(of["healthy"], lambda one: one.alarmed),
        benign_alarmed=share(of["benign"], lambda one: one.alarmed),
        well_alarmed=share(of["healthy"] + of["benign"], lambda one: one.alarmed),
        delay=median(sick, lambda one: one.delay),
        lead=median(sick, lambda one: one.lead_share),
    )
