"""`runvitals query`: SQL over the runs of a folder, or of a ClickHouse server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import TableFormat, described
from runvitals.cli.output import print_json

if TYPE_CHECKING:
    import pyarrow


@described("""
sql: A SELECT over runs, points, fleet, findings, ...
source (metavar=[SOURCE]): A folder of runs, s3://... or clickhouse://...
""")
def query(sql: str, source: str = "runs", format: TableFormat = TableFormat.text) -> None:
    """Query runs in SQL.

    Tables: points, runs, metrics, verdicts. Views: fleet (one line for each run, with its verdict),
    findings, config, spread (over all ranks). A folder or bucket is asked in DuckDB's dialect; its
    tables are kept in your cache and brought up to date, as far as the question needs them. A server
    is asked in ClickHouse's dialect.
    """
    from runvitals.index.query import ask

    table, warnings = ask(sql, source)
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)
    if format is TableFormat.csv:
        _print_csv(table)
    elif format is TableFormat.json:
        print_json(table.to_pylist())
    else:
        from runvitals.render.lists import print_rows

        print_rows(table)


def _print_csv(table: pyarrow.Table) -> None:
    import csv
    import sys

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(row.values() for row in table.to_pylist())
