"""`runvitals sweep`: which settings of many runs decide how they end."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import Format, described, log_path
from runvitals.cli.output import print_errors, print_json

if TYPE_CHECKING:
    from runvitals.diagnosis.judge import Settings
    from runvitals.fleet.table import Swept
    from runvitals.model import Run
    from runvitals.render.judged import RunFacts


@described("""
folder: A folder of runs that differ in some settings, or its address.
--metric (complete=metrics): Compare by this metric; by default the outcome that most runs have.
--project: Only runs of this project.
""")
def sweep(
    folder: str = "runs",
    metric: str | None = None,
    project: str | None = None,
    settings: Path | None = None,
    workers: int | None = None,
    format: Format = Format.text,
) -> None:
    """Say which settings decide how runs end, and in which ranges of them runs fail.

    runvitals sweep runs/lunar-ppo

    Runs of one project and algorithm are one sweep. Regions are found by a shallow tree over the
    settings that differ, each with its mean outcome, the share of runs that fail, and the findings
    typical of it. The importance of settings needs scikit-learn: pip install 'runvitals[sweep]'.
    Exit code 2: some runs cannot be read, and the others were used.
    """
    from runvitals.comparison.importance import importances
    from runvitals.diagnosis.judge import settings_for
    from runvitals.fleet.judging import of_each_run, places_of
    from runvitals.fleet.table import sweeps_of
    from runvitals.render import sweep as shown

    problems: list[str] = []
    chosen = settings_for(settings)
    places = [place for place in places_of(log_path(folder), problems) if place]
    make = partial(_swept, settings=chosen, metric=metric)
    progress = "judging" * (format is Format.text)
    runs: list[Swept] = []
    for made in of_each_run(make, chosen, places, workers=workers, progress=progress):
        if isinstance(made, str):
            problems.append(made)
        else:
            runs += made
    print_errors(problems)
    wanted = [run for run in runs if project is None or run.facts.project == project]
    found = [(name, made, importances(made)) for name, made in sweeps_of(wanted, metric)]
    if format is Format.json:
        print_json([shown.as_json(*one) for one in found])
    else:
        from rich.console import Console

        console = Console(highlight=False)
        for one in found:
            console.print(shown.text(*one))
        if not found:
            told = "no four runs of one project differ in a setting"
            typer.echo(f"no sweep in {folder}: of its {len(wanted)} runs, {told}")
    if problems:
        raise typer.Exit(2)


def _swept(run: Run, settings: Settings, metric: str | None) -> Swept:
    """Judge a run and keep what a sweep needs of it."""
    from runvitals.diagnosis.judge import judge
    from runvitals.fleet.table import Swept
    from runvitals.render.judged import facts_of

    found = judge(run, settings, since_when=False)
    facts = facts_of(run, found)
    alarms = [one.code for one in found.all_findings if one.is_alarm]
    return Swept(facts, tuple(dict.fromkeys(alarms)), _ends(run, facts, metric))


def _ends(run: Run, facts: RunFacts, metric: str | None) -> dict[str, float | None]:
    from runvitals.view.run.figures import level, outcomes_of

    found: dict[str, float | None] = {}
    for name in outcomes_of(run) if metric is None else [metric]:
        series = run.get(name)
        if series is not None and len(values := series.finite().values):
            said = facts.now if series.name == facts.outcome else None
            found[name] = level(series, values, None) if said is None else said
    return found
