"""`runvitals fleet`: which of many runs went wrong, by which rule, with which settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion
from runvitals.cli.options import SettingsOption, TableFormat, WorkersOption, log_path
from runvitals.cli.output import print_errors

if TYPE_CHECKING:
    from runvitals.fleet.table import RunQuery
    from runvitals.render.judged import RunFacts

DEFAULT_SETTING = "learning_rate"
MAX_RULES = 3  # shown of a run; CSV and JSON have all
MIN_MESSAGE = 20  # columns; with fewer left a message says nothing


def fleet(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[SOURCE]", help="A folder of runs, s3://..., clickhouse://... or chdb:///..."
        ),
    ] = "runs",
    project: Annotated[str | None, typer.Option(help="Only runs of this project.")] = None,
    verdict: Annotated[
        list[str] | None, typer.Option(help="Only runs with this verdict, such as collapsed.")
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="Only runs with an alarm from this rule or family, such as KL001 or KL.",
            autocompletion=completion.codes_and_families,
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Only runs that ended within this time: 12h, 7d, 2w.")
    ] = None,
    show: Annotated[
        list[str] | None, typer.Option(help=f"Settings to show; {DEFAULT_SETTING} by default.")
    ] = None,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="List the stored verdicts without judging again.")
    ] = False,
    settings: SettingsOption = None,
    workers: WorkersOption = None,
    format: Annotated[TableFormat, typer.Option(help="Output format.")] = TableFormat.text,
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
        from dataclasses import asdict

        from runvitals.cli.output import print_json

        unneeded = {"curve", "curve_steps"}
        print_json([{k: v for k, v in asdict(run).items() if k not in unneeded} for run in found])
    elif format is TableFormat.csv:
        _print_csv(found, keys)
    else:
        _print_table(found, keys)
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


def _print_table(found: list[RunFacts], keys: list[str]) -> None:
    from collections import Counter

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from runvitals.model.text import terminal_safe
    from runvitals.render.terminal import safe
    from runvitals.render.text import VERDICT_COLOURS

    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = [terminal_safe(f"{run.project}/{run.id}" if run.project else run.id) for run in found]
    name = min(max(map(len, names), default=3), max(20, console.width // 3))
    rules = max([5, *(len(" ".join(run.rules[:MAX_RULES])) for run in found)])
    fixed = (
        name
        + rules
        + sum(2 + max(len(key), 8) for key in keys)
        + len("collapsed  2026-01-01 00:00")
        + 6
    )
    table.add_column("run", overflow="ellipsis", no_wrap=True, width=name)
    table.add_column("verdict", no_wrap=True)
    table.add_column("rules", no_wrap=True, width=rules)
    for key in keys:
        table.add_column(safe(key), justify="right", no_wrap=True, min_width=8)
    table.add_column("ended", no_wrap=True)
    room = console.width - fixed
    if room >= MIN_MESSAGE:
        table.add_column("first finding", no_wrap=True, overflow="ellipsis", width=room)
    for run, shown in zip(found, names, strict=True):
        table.add_row(
            Text(shown),
            safe(run.verdict, VERDICT_COLOURS.get(run.verdict, "dim")),
            safe(" ".join(run.rules[:MAX_RULES])),
            *(safe(_cell(run.setting(key))) for key in keys),
            _day(run.ended or run.started),
            *([safe(run.message)] if room >= MIN_MESSAGE else []),
        )
    if found:
        console.print(table)
        console.print()
    words = ", ".join(
        f"{n:,} {word}" for word, n in Counter(r.verdict for r in found).most_common()
    )
    console.print(
        f"{len(found):,} run{'' if len(found) == 1 else 's'}{f': {words}' if words else ''}"
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _day(when: float | None) -> str:
    from datetime import datetime

    return "" if when is None else datetime.fromtimestamp(when).strftime("%Y-%m-%d %H:%M")
