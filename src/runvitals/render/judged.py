"""A judged run: its line in a table, what was said of it, and what reports show as evidence."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np

from runvitals import catalog
from runvitals.model import Diagnosis, Finding, IntArray, Run, Series
from runvitals.vitals import Vital, vitals_of

MIN_ROWS = 3  # with fewer no rule can tell anything
MAX_ASKED = 2_000  # names without a meaning that are asked whether they look like an outcome
MAX_SETTINGS = 500  # of one run; more are data and not settings
SPARK = 48  # values of a curve of the size of a word
_MAX_TEXT = 300  # characters of a setting

# `int` has its own place: pydantic warns where a whole number is kept as a float
Setting = str | int | float | bool | None


@dataclass(frozen=True)
class RunFacts:
    """A judged run as a line of a table. `rules` are the codes of its alarms, the worst story first."""

    id: str
    name: str
    project: str
    path: str
    status: str
    framework: str | None = None
    algorithm: str | None = None
    started: float | None = None
    ended: float | None = None
    last_step: int | None = None
    verdict: str = ""
    reason: str = ""
    outcome: str | None = None
    start: float | None = None
    best: float | None = None
    now: float | None = None
    rules: tuple[str, ...] = ()
    message: str = ""  # of the first of them
    partial: bool = False  # whether points are missing
    settings: Mapping[str, Setting] = field(default_factory=dict)
    curve: tuple[float | None, ...] = ()  # the outcome as a few means over equal parts of its steps
    curve_steps: tuple[int, int] | None = None  # the first and the last of them

    def setting(self, key: str) -> Setting:
        """A setting by the catalog's name or as the run wrote it."""
        return self.settings.get(key)


@dataclass(frozen=True)
class Evidence:
    """A series that a finding points at, and the tool that its name is of."""

    series: Series
    tool: str | None


@dataclass(frozen=True)
class Judged:
    """A judged run, light enough to send between processes. `shown` is its path as it was given."""

    run: RunFacts
    shown: str
    diagnosis: Diagnosis
    exit_code: int | None = None  # of its process, where that is known
    names: tuple[str, ...] = ()  # that were logged
    known: int = 0  # how many of them mean something to the catalog
    not_understood: tuple[str, ...] = ()  # those of the others that speak of a loss or an outcome
    rows: int = 0  # points of the longest series
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    vitals: tuple[Vital, ...] = ()  # in reading order
    warnings: tuple[str, ...] = ()  # what the recorder and the reader said about the data

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

    def held_against(self, said: Diagnosis) -> Self:
        """The same with what rules about its siblings say, who could not be asked before."""
        asked = {*said.clear, *(f.code for f in said.findings), *(r.code for r in said.not_checked)}
        before = self.diagnosis
        joined = replace(
            before,
            findings=(*before.findings, *said.findings),
            not_checked=(
                *(one for one in before.not_checked if one.code not in asked),
                *said.not_checked,
            ),
            clear=(*before.clear, *said.clear),
        )
        return replace(self, diagnosis=joined)


def judged(run: Run, diagnosis: Diagnosis, shown: str) -> Judged:
    """Keep of a run what reports and tables need."""
    names = {finding.series for finding in diagnosis.all_findings}
    outcome = diagnosis.verdict.outcome
    return Judged(
        run=facts_of(run, diagnosis),
        shown=shown,
        diagnosis=diagnosis,
        exit_code=run.exit_code,
        names=tuple(run.names()),
        known=len(run.bindings.keys() & set(run.names())),
        not_understood=tuple(name for name in unexplained_outcomes(run) if name != outcome),
        rows=max(map(len, _clocks(run)), default=0),
        vitals=tuple(vitals_of(run, diagnosis.findings)),
        warnings=tuple(map(str, run.warnings)),
        evidence={
            name: _evidence(run, series) for name in names if (series := run.get(name)) is not None
        },
    )


def facts_of(run: Run, found: Diagnosis) -> RunFacts:
    """The line of a run that was judged."""
    verdict, alarms = found.verdict, found.alarms
    levels = verdict.levels
    outcome = None if verdict.outcome is None else run.get(verdict.outcome)
    finite = None if outcome is None else outcome.finite()
    span = None if finite is None or not len(finite) else finite.span()
    return RunFacts(
        id=run.id,
        name=run.name or run.id,
        project=run.project,
        path="" if run.path is None else str(run.path),
        status=run.status,
        framework=run.framework,
        algorithm=run.algorithm,
        started=run.started,
        ended=run.ended,
        last_step=run.last_step,
        verdict=verdict.word,
        reason=verdict.reason,
        outcome=verdict.outcome,
        start=None if levels is None else levels.start,
        best=None if levels is None else levels.best,
        now=None if levels is None else levels.now,
        rules=tuple(dict.fromkeys(finding.code for finding in alarms)),
        message=alarms[0].message if alarms else "",
        partial=bool(run.missing),
        settings=settings_of(run),
        curve=() if finite is None else tuple(means(finite)),
        curve_steps=None if span is None else (span.first, span.last),
    )


def settings_of(run: Run) -> dict[str, Setting]:
    """What the run was configured with: flat, by its own names and by the catalog's."""
    flat: dict[str, Setting] = {}
    for source in (run.settings, run.config):
        for key, value in _flat(source):
            if len(flat) >= MAX_SETTINGS:
                return flat
            flat.setdefault(key, value)
    return flat


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Setting]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, bool | int | float) or value is None:
            yield name, value
        else:
            from runvitals.model.secrets import redacted  # its patterns take long to compile

            yield name, str(redacted(value, name))[:_MAX_TEXT]


def means(finite: Series) -> list[float | None]:
    """A series as means over equal parts of its steps; straight lines where it has fewer points.

    >>> means(Series("x", np.array([0, 470]), np.array([0.0, 47.0]), np.zeros(2)))[:3]
    [0.0, 1.0, 2.0]
    """
    if not len(finite):
        return []
    order = np.argsort(finite.steps, kind="stable")
    at, values = finite.steps[order].astype(np.float64), finite.values[order]
    grid = np.linspace(at[0], at[-1], SPARK) if at[-1] > at[0] else at[:1]
    with np.errstate(over="ignore", invalid="ignore"):
        if len(at) > SPARK:
            edges = (grid[1:] + grid[:-1]) / 2
            starts = np.concatenate([[0], np.searchsorted(at, edges)])
            counts = np.diff(np.append(starts, len(at)))
            filled = counts > 0
            values = np.add.reduceat(values, starts[filled]) / counts[filled]
            at = grid[filled]
        shown = np.interp(grid, at, values)
    return [float(f"{value:.5g}") if math.isfinite(value) else None for value in shown.tolist()]


def unexplained_outcomes(run: Run) -> list[str]:
    """Names without a meaning that speak of a loss or an outcome: what a judge would want to know."""
    unknown = (name for name in run.names() if name not in run.bindings)
    return [name for name in islice(unknown, MAX_ASKED) if looks_like_an_outcome(name)]


def looks_like_an_outcome(name: str) -> bool:
    """Whether the words of a name speak of a loss, a reward, a score or a rate of success.

    >>> [looks_like_an_outcome(name) for name in ("my_loss", "evalScore", "reward_std", "SINR")]
    [True, True, False, False]
    """
    return catalog.speaks_of(name) in ("loss", "outcome")


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
    return 2 if any(one.run.partial or one.diagnosis.problems for one in judged) else 0


def serious(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Warnings and worse, also those about the log."""
    return tuple(finding for finding in findings if finding.severity != "notice")


def shown_path(run: Run) -> str:
    """Where a run lies, as the user said it; its name where that would only be a dot."""
    if run.path is None:
        return "-"
    return run.name if run.path == Path() else str(run.path)


def _few(words: tuple[str, ...]) -> str:
    return ", ".join(words[:3]) + (", ..." if len(words) > 3 else "")


def _clocks(run: Run) -> Iterator[IntArray]:
    """The steps of every series: of stored ones that is far less to read than their values."""
    for name in run.names():
        for rank in run.points.ranks(name):
            yield run.points.clock(name, rank)[0]


def _evidence(run: Run, series: Series) -> Evidence:
    binding = run.bindings.get(series.name)
    return Evidence(series, None if binding is None else binding.framework)


def fields(record: object, names: str) -> dict[str, Any]:
    """These attributes of a record, under their names; what is a tuple becomes a list.

    >>> fields(RunFacts("a", "A", "p", "/a", "finished"), "name status rules")
    {'name': 'A', 'status': 'finished', 'rules': []}
    """
    found = ((name, getattr(record, name)) for name in names.split())
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found}
