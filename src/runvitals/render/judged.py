"""A run with its diagnosis: what every report is made from. Light enough to send between processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runvitals.model import Diagnosis, Finding, IntArray, Run, Series
from runvitals.render.names import unexplained_outcomes
from runvitals.vitals import Vital, vitals_of

MIN_ROWS = 3  # with fewer no rule can tell anything


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
    exit_code: int | None = None  # of its process, where that is known
    last_step: int | None = None
    names: tuple[str, ...] = ()  # that were logged
    known: int = 0  # how many of them mean something to the catalog
    not_understood: tuple[str, ...] = ()  # those of the others that speak of a loss or an outcome
    rows: int = 0  # points of the longest series
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    vitals: tuple[Vital, ...] = ()  # in reading order
    warnings: tuple[str, ...] = ()  # what the recorder and the reader said about the data
    partial: bool = False  # whether some of them say that points are missing

    @property
    def nothing_to_judge(self) -> str | None:
        """Why nothing can be said about the run; None if there is something to say.

        A run without alarms is only well if there was something that could have raised one.
        """
        if self.diagnosis.alarms:
            return None
        if not self.names:
            return "no metrics were logged"
        if not self.known and self.diagnosis.verdict.outcome is None:
            return f"none of its metrics is known ({_few(self.names)}); --map says what they mean"
        if self.rows < MIN_ROWS:
            return f"only {self.rows} {'row was' if self.rows == 1 else 'rows were'} logged"
        if not self.diagnosis.clear and not self.diagnosis.findings:
            reasons = dict.fromkeys(rule.reason for rule in self.diagnosis.not_checked)
            return f"no rule could be run: {_few(tuple(reasons))}"
        return None


def exit_code(
    judged: Sequence[Judged], *, unread: bool = False, fail_on_telemetry: bool = False
) -> int:
    """0: nothing found, 1: alarms, 2: something could not be checked, or parts of it are missing.

    What could not be checked is not well: that counts for more than findings in other runs. Findings
    about the log count only if asked for, and then from warnings on.
    """
    if unread or not judged or any(one.nothing_to_judge is not None for one in judged):
        return 2
    diagnoses = [one.diagnosis for one in judged]
    if any(found.alarms for found in diagnoses):
        return 1
    if fail_on_telemetry and any(serious(found.telemetry) for found in diagnoses):
        return 1
    return 2 if any(one.partial or one.diagnosis.problems for one in judged) else 0


def serious(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Warnings and worse, also those about the log."""
    return tuple(finding for finding in findings if finding.severity != "notice")


def _few(words: tuple[str, ...]) -> str:
    return ", ".join(words[:3]) + (", ..." if len(words) > 3 else "")


def judged(run: Run, diagnosis: Diagnosis, shown: str) -> Judged:
    """Keep of a run what reports need."""
    names = {finding.series for finding in diagnosis.all_findings}
    return Judged(
        shown=shown,
        name=run.name or run.id,
        diagnosis=diagnosis,
        framework=run.framework,
        algorithm=run.algorithm,
        status=run.status,
        exit_code=run.exit_code,
        last_step=run.last_step,
        names=tuple(run.names()),
        known=len(run.bindings.keys() & set(run.names())),
        not_understood=tuple(
            name for name in unexplained_outcomes(run) if name != diagnosis.verdict.outcome
        ),
        rows=max(map(len, _clocks(run)), default=0),
        vitals=tuple(vitals_of(run, diagnosis.findings)),
        warnings=tuple(map(str, run.warnings)),
        partial=bool(run.missing),
        evidence={
            name: _evidence(run, series) for name in names if (series := run.get(name)) is not None
        },
    )


def _clocks(run: Run) -> Iterator[IntArray]:
    """The steps of every series: of stored ones that is far less to read than their values."""
    for name in run.names():
        for rank in run.points.ranks(name):
            yield run.points.clock(name, rank)[0]


def _evidence(run: Run, series: Series) -> Evidence:
    binding = run.bindings.get(series.name)
    if binding is None:
        return Evidence(series, None, None)
    return Evidence(series, binding.metric, binding.framework)
