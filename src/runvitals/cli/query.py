"""`runvitals query`: SQL over the runs of a folder, or of a ClickHouse server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from runvitals.cli.options import TableFormat

if TYPE_CHECKING:
    import pyarrow


def query(
    sql: Annotated[str, typer.Argument(help="A SELECT over runs, points, fleet, findings, ...")],
    source: Annotated[
        str,
        typer.Argument(metavar="[SOURCE]", help="A folder of runs, s3://... or clickhouse://..."),
    ] = "runs",
    format: Annotated[TableFormat, typer.Option(help="Output format.")] = TableFormat.text,
) -> None:
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
        from runvitals.cli.output import print_json

        print_json(table.to_pylist())
    else:
        _print_table(table)


def _print_csv(table: pyarrow.Table) -> None:
    import csv
    import sys

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(row.values() for row in table.to_pylist())


def _print_table(table: pyarrow.Table) -> None:
    from rich.console import Console
    from rich.table import Table

    from runvitals.render.terminal import safe

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for field in table.schema:
        number = str(field.type).startswith(("int", "uint", "float", "double"))
        shown.add_column(safe(field.name), justify="right" if number else "left")
    for row in table.to_pylist():
        shown.add_row(*(safe(_cell(value)) for value in row.values()))
    console = Console(highlight=False)
    console.print(shown)
    count = table.num_rows
    console.print(f"{count:,} row{'' if count == 1 else 's'}")


def _cell(value: object) -> str:
    from datetime import datetime

    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return str(value)
