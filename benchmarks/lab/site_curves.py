"""Curves of sick runs beside their healthy twins, small enough to keep: docs/curves.json.

    python -m benchmarks.lab.site_curves           all of them; some minutes of one core
    python -m benchmarks.lab.site_curves KL001     those of some rules

The site draws them beside symptoms, rules and the gallery. Each is a real training that one command
makes again, of the series in which a rule found something.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import runvitals as rv
from benchmarks.lab.site_runs import RUNS
from runvitals.lab.registry import faults_of, trainer
from runvitals.lab.running import Case, run_case
from runvitals.model import Run, Series
from runvitals.model.finding import Finding, all_findings
from runvitals.rollouts.series import with_text

FILE = Path(__file__).parents[2] / "docs" / "curves.json"
LAB = "runvitals lab run "
MAX_POINTS = 72
DIGITS = 4


def main() -> None:
    """Train what shows the wanted rules, and write their curves."""
    wanted: dict[str, list[str]] = {}
    for code in sys.argv[1:] or RUNS:
        wanted.setdefault(RUNS[code], []).append(code)
    for command, codes in wanted.items():
        keep(dict(curves_of(command, codes)))
        print(command, *codes, flush=True)


def keep(new: dict[str, dict[str, Any]]) -> None:
    """Put curves into the file, one line each, beside those that are there."""
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in sorted((known | new).items())]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def curves_of(command: str, codes: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """By code: what the rule found in the run that this command makes."""
    with TemporaryDirectory() as folder:
        case = case_of(command)
        sick, twin = _trained(case, folder), _trained(Case(case.trainer, case.task), folder)
        diagnosis = rv.judge(sick)
        found = {one.code: one for one in reversed([*all_findings(diagnosis.findings)])}
        for code in codes:
            name = _shown(sick, found[code], diagnosis.verdict.outcome)
            words = {"command": command, "fault": fault_title(case), "message": found[code].message}
            yield code, curve(sick, twin, name) | words


def curve(sick: Run, twin: Run, name: str) -> dict[str, Any]:
    """A series of a sick run and of its twin, thinned."""
    healthy = twin[name] if name in twin.names() else None
    return {
        "series": name,
        "last": int(sick[name].steps[-1]),
        "sick": thinned(sick[name]),
        "healthy": [] if healthy is None else thinned(healthy),
    }


def case_of(command: str) -> Case:
    """The case that `runvitals lab run TRAINER ...` trains."""
    name, *options = command.removeprefix(LAB).split()
    given = dict(zip(options[::2], options[1::2], strict=True))
    return Case(
        name,
        given.get("--task"),
        fault=given["--fault"],
        strength=given.get("--strength", "clear"),  # type: ignore[arg-type]
        onset=float(given.get("--onset", 0)),
    )


def fault_title(case: Case) -> str:
    """What is wrong in this case, in words."""
    return next(one.title for one in faults_of(trainer(case.trainer)) if one.name == case.fault)


def thinned(series: Series) -> list[float | None]:
    """At most `MAX_POINTS` values: the lowest and the highest of each stretch, in their order."""
    values = [float(f"{one:.{DIGITS}g}") if math.isfinite(one) else None for one in series.values]
    if len(values) <= MAX_POINTS:
        return values
    stretches = MAX_POINTS // 2
    kept: list[float | None] = []
    for k in range(stretches):
        part = values[k * len(values) // stretches : (k + 1) * len(values) // stretches]
        known = [one for one in part if one is not None]
        ends = {part.index(min(known)), part.index(max(known))} if known else {0}
        kept += [part[at] for at in sorted(ends)]
    return kept


def _shown(run: Run, finding: Finding, outcome: str | None) -> str:
    """The series of a finding; where it is not about one, the outcome."""
    for name in (finding.series, *finding.also, outcome):
        if name is not None and name in run.names() and len(run[name]):
            return name
    return run.names()[0]


def _trained(case: Case, folder: str) -> Run:
    quiet = {"console": False, "tensorboard": False, "judge": False, "handle_signals": False}
    return with_text(rv.open_run(run_case(case, folder, system=0.5, **quiet).folder))


if __name__ == "__main__":
    main()
