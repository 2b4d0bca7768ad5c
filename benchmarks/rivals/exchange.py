"""Labelled runs as logs that rivals can be asked about."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import runvitals as rv
from benchmarks.judging.labels import Labelled
from benchmarks.rivals.log import Log, Points
from benchmarks.rivals.tools import ALL
from runvitals.catalog.definitions.kinds import kind_of
from runvitals.model import RunvitalsError, Series


def tools(names: tuple[str, ...] = ALL) -> dict[str, ModuleType]:
    """The files of the rivals by name."""
    return {name: import_module(f"benchmarks.rivals.tools.{name}") for name in names}


def metrics_read() -> list[str]:
    """All metrics that any rival reads."""
    found = {
        metric
        for tool in tools().values()
        for metrics in (tool.NEEDS, *tool.NAMES.values())
        for metric in metrics
    }
    return sorted(found)


def key_of(run: Labelled) -> str:
    """A run as it is on disk now: another one once its files have changed."""
    files = [path for path in sorted(run.path.rglob("*")) if path.is_file()]
    states = [(str(p.relative_to(run.path)), (s := p.stat()).st_size, s.st_mtime_ns) for p in files]
    return f"{run.source}/{run.path.name}@{hashlib.sha256(repr(states).encode()).hexdigest()[:16]}"


def log_of(run: Labelled) -> Log | None:
    """What the run logged, or None if it cannot be read."""
    try:
        opened = rv.open_runs(run.path)
    except RunvitalsError:
        return None
    if not opened:
        return None
    found = opened[-1]
    series = {metric: found.get(metric) for metric in metrics_read()}
    return Log(
        key=key_of(run),
        kind=kind_of(found),
        algorithm=found.algorithm or "",
        settings={k: v for k, v in found.settings.items() if isinstance(v, str | int | float)},
        series={metric: _points(one) for metric, one in series.items() if one is not None},
        components={
            one.labels["component"]: _points(one)
            for one in found.select("reward/component_mean")
            if "component" in one.labels
        },
    )


def _points(series: Series) -> Points:
    return series.steps.tolist(), series.values.tolist()


def write_logs(runs: list[Labelled], path: Path) -> None:
    """One line per run that can be read."""
    with path.open("w", encoding="utf-8") as file:
        for run in runs:
            if (log := log_of(run)) is not None:
                file.write(log.to_json() + "\n")
