"""`runvitals index`: runs in ClickHouse, for questions about a whole fleet."""

import sys
from typing import Annotated

import typer

from runvitals.cli.options import SettingsOption, WorkersOption, log_path

SourceArgument = Annotated[
    str | None, typer.Argument(metavar="[SOURCE]", help="A folder of runs, or s3://bucket/prefix.")
]
TargetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[INDEX]",
        help="clickhouse://host/database, or chdb:///folder for one on this machine.",
    ),
]
PointsOption = Annotated[
    bool, typer.Option("--points/--no-points", help="Load the points of the runs.")
]
VerdictsOption = Annotated[
    bool, typer.Option("--verdicts/--no-verdicts", help="Judge the runs, or reuse stored verdicts.")
]
KeepDaysOption = Annotated[
    int | None, typer.Option(min=1, help="Drop points from the index at this age; verdicts stay.")
]
DdlOption = Annotated[
    bool, typer.Option("--ddl", help="Print the statements that create the tables, and exit.")
]
ClusterOption = Annotated[
    str | None, typer.Option(help="With --ddl: for a cluster of this name, replicated and sharded.")
]
DatabaseOption = Annotated[str, typer.Option(help="With --ddl: the name of the database.")]


def index(
    source: SourceArgument = None,
    target: TargetArgument = None,
    points: PointsOption = True,
    verdicts: VerdictsOption = True,
    keep_days: KeepDaysOption = None,
    settings: SettingsOption = None,
    workers: WorkersOption = None,
    ddl: DdlOption = False,
    cluster: ClusterOption = None,
    database: DatabaseOption = "runvitals",
) -> None:
    """Load runs into ClickHouse: points, a rollup for charts, settings, findings and verdicts.

    Run it as often as you like: what is already there is not added again, and runs that have not
    changed are skipped. Credentials come from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD. Exit code 2:
    something could not be loaded, and everything else was.
    """
    from runvitals.model import ConfigError

    if ddl:
        from runvitals.index.schema import statements

        made = statements(database, cluster=cluster, keep_days=keep_days)
        print("\n\n".join(f"{statement};" for statement in made))
        return
    if source is None or target is None:
        raise ConfigError(
            "index needs the runs to load and a database to load them into",
            hint="runvitals index runs/ clickhouse://host/database",
        )
    from runvitals.diagnosis.judge import settings_for
    from runvitals.index.database import opened
    from runvitals.index.filling import Filler
    from runvitals.store.clickhouse.connection import parse_index

    address = parse_index(target)
    top = log_path(source)
    with opened(address, create=True) as index:
        index.create(keep_days)
        filler = Filler(
            index, settings_for(settings), points=points, verdicts=verdicts, workers=workers
        )
        done = filler.fill(top, _say if sys.stderr.isatty() else None)
    for problem in done.problems:
        typer.echo(f"warning: {problem}", err=True)
    print(
        f"{done.runs:,} runs, {done.changed:,} of them new or changed: {done.points:,} points and "
        f"{done.verdicts:,} verdicts sent to {address}"
    )
    if done.problems:
        raise typer.Exit(2)


def _say(run: str) -> None:
    typer.echo(f"  {run}", err=True)
