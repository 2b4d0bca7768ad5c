"""`runvitals fleet`: which of many runs went wrong, by which rule, with which settings."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import TableFormat, described, log_path
from runvitals.cli.output import print_errors, print_json

if TYPE_CHECKING:
    from runvitals.fleet.table import RunQuery
    from runvitals.render.judged import RunFacts

DEFAULT_SETTING = "learning_rate"


@described("""
source (metavar=[SOURCE]): A folder of runs, s3://..., clickhouse://... or chdb:///...
--project: Only runs of this project.
--verdict: Only runs with this verdict, such as collapsed.
--rule (complete=codes_and_families): Only runs with an alarm from this rule or family, such as KL001
  or KL.
--since: Only runs that ended within this time: 12h, 7d, 2w.
--show: Settings to show; learning_rate by default.
--as-is: List the stored verdicts without judging again.
""")
def fleet(
    source: str = "runs",
    project: str | None = None,
    verdict: list[str] | None = None,
    rule: list[str] | None = None,
    since: str | None = None,
    show: list[str] | None = None,
    as_is: bool = False,
    settings: Path | None = None,
    workers: int | None = None,
    format: TableFormat = TableFormat.text,
) -> None:
    """List many runs with their verdicts, the rules that raised alarms, and their settings.

    New and changed runs are judged; the other verdicts are reused. An index is queried as it is.
    Exit code 2: some runs cannot be read, and the others are listed.
    """
    from runvitals.fleet.table import RunQuery, age_of
    from runvitals.store.clickhouse.connection import is_index

    wanted = RunQuery(project, verdict or (), rule or (), None if since is None else age_of(since))
    problems: list[str] = []
    if is_index(source):
        found = _from_index(source, wanted)
    else:
        found = _from_folder(log_path(source), wanted, settings, workers, problems, as_is=as_is)
    keys = show or [DEFAULT_SETTING]
    if format is TableFormat.json:
        unneeded = {"curve", "curve_steps"}
        print_json([{k: v for k, v in asdict(run).items() if k not in unneeded} for run in found])
    elif format is TableFormat.csv:
        _print_csv(found, keys)
    else:
        from runvitals.render.lists import print_fleet

        print_fleet(found, keys)
    if problems:
        raise typer.Exit(2)


def _from_folder(
    top: Path,
    wanted: RunQuery,
    settings: Path | None,
    workers: int | None,
    problems: list[str],
    *,
    as_is: bool,
) -> list[RunFacts]:
    from runvitals.fleet.table import chosen, read_list, write_list

    if as_is:
        import time

        runs, when = read_list(top)
        age = (time.time() - when) / 60
        typer.echo(f"as of {age:,.0f} minutes ago", err=True)
        return chosen(runs, wanted)
    from runvitals.diagnosis.judge import settings_for
    from runvitals.fleet.judging import Job, judge_fleet

    judged = judge_fleet(
        Job((top,), settings_for(settings)), workers=workers, progress=True, keep_few=True
    )
    problems += judged.problems
    facts = [one.run for one in judged.judged]
    print_errors(problems)
    if os.path.isdir(top):
        write_list(top, facts)
    return chosen(facts, wanted)


def _from_index(url: str, wanted: RunQuery) -> list[RunFacts]:
    from runvitals.index.database import opened
    from runvitals.index.query import fleet_of

    with opened(url) as database:
        return fleet_of(database, wanted)


def _print_csv(found: list[RunFacts], keys: list[str]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(
        ["project", "run", "verdict", "rules", *keys, "outcome", "now", "best", "ended"]
    )
    for run in found:
        values = [run.setting(key) for key in keys]
        rules = " ".join(run.rules)
        writer.writerow([run.project, run.id, run.verdict, rules, *values, run.outcome, run.now,
                         run.best, run.ended])  # fmt: skip
