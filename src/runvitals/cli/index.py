"""`runvitals index`: runs in ClickHouse, for questions about a whole fleet."""

import sys
from pathlib import Path

import typer

from runvitals.cli.options import described, log_path


@described("""
source (metavar=[SOURCE]): A folder of runs, or s3://bucket/prefix.
target (metavar=[INDEX]): clickhouse://host/database, or chdb:///folder for one on this machine.
--points/--no-points: Load the points of the runs.
--verdicts/--no-verdicts: Judge the runs, or reuse stored verdicts.
--keep-days (min=1): Drop points from the index at this age; verdicts stay.
--ddl: Print the statements that create the tables, and exit.
--cluster: With --ddl: for a cluster of this name, replicated and sharded.
--database: With --ddl: the name of the database.
""")
def index(
    source: str | None = None,
    target: str | None = None,
    points: bool = True,
    verdicts: bool = True,
    keep_days: int | None = None,
    settings: Path | None = None,
    workers: int | None = None,
    ddl: bool = False,
    cluster: str | None = None,
    database: str = "runvitals",
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
