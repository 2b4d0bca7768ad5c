"""A run with its diagnosis: what every report is made from. Light enough to send between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runvitals.model import Diagnosis, Finding, Run, Series


@dataclass(frozen=True)
class Evidence:
    """A series that a finding points at, and what its name means."""

    series: Series
    metric: str | None
    tool: str | None


@dataclass(frozen=True)
class Judged:
    """A run that was examined. `shown` is its path as the user gave it."""

    shown: str
    name: str
    diagnosis: Diagnosis
    framework: str | None = None
    algorithm: str | None = None
    status: str = "unknown"
    last_step: int | None = None
    metrics: int = 0  # how many names were logged
    evidence: Mapping[str, Evidence] = field(default_factory=dict)

    @property
    def nothing_to_judge(self) -> str | None:
        """Why there was nothing to judge; None if at least one rule ran."""
        if self.diagnosis.clear or self.diagnosis.findings:
            return None
        if not self.metrics:
            return "no metrics were logged"
        return "no rule could be run on what was logged"


def judged(run: Run, diagnosis: Diagnosis, shown: str) -> Judged:
    """Keep of a run what reports need."""
    names = {finding.series for finding in all_findings(diagnosis.findings)}
    return Judged(
        shown=shown,
        name=run.name or run.id,
        diagnosis=diagnosis,
        framework=run.framework,
        algorithm=run.algorithm,
        status=run.status,
        last_step=run.last_step,
        metrics=len(run),
        evidence={
            name: _evidence(run, series) for name in names if (series := run.get(name)) is not None
        },
    )


def _evidence(run: Run, series: Series) -> Evidence:
    binding = run.bindings.get(series.name)
    if binding is None:
        return Evidence(series, None, None)
    return Evidence(series, binding.metric, binding.framework)


def all_findings(findings: tuple[Finding, ...]) -> list[Finding]:
    """Findings with those they explain, one after the other."""
    flat: list[Finding] = []
    for finding in findings:
        flat.append(finding)
        flat += all_findings(finding.follows)
    return flat
