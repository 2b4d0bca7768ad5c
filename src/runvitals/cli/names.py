"""`runvitals names`: what each logged name was taken to mean, and what the rest may be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import Format, described, logs_or_default, opened
from runvitals.cli.output import print_json, terminal_or_unbroken

if TYPE_CHECKING:
    from runvitals.render.names import NameTable


@described()
def names(
    logs: list[Path] | None = None,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    format: Format = Format.text,
) -> None:
    """Show what each logged name means, how that was found, and how certain it is.

    Names without a meaning come last, with the nearest metrics and the --map that would bind them.
    Runs that log the same names share a table. Exit code 2 if a log could not be read.
    """
    from runvitals.render.json_ import names_json
    from runvitals.render.names import name_tables

    runs, problems = opened(logs_or_default(logs), framework, algorithm, map, settings)
    tables = name_tables(runs)
    if format is Format.json:
        print_json(names_json(tables))
    else:
        _print(tables)
    if problems or not runs:
        raise typer.Exit(2)


def _print(tables: list[NameTable]) -> None:
    from runvitals.render.lists import names_parts

    console = terminal_or_unbroken()
    for i, table in enumerate(tables):
        if i:
            console.print()
        for part in names_parts(table):
            console.print(part)
