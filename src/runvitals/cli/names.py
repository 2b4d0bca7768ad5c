"""`runvitals names`: what each logged name was taken to mean, and what the rest may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from runvitals.cli.options import (
    AlgorithmOption,
    Format,
    FrameworkOption,
    LogsArgument,
    MapOption,
    SettingsOption,
    logs_or_default,
    opened,
)
from runvitals.cli.output import print_json, terminal_or_unbroken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from runvitals.render.names import Named, NameTable

FEW_RUNS = 3  # that are named above their common table


def names(
    logs: LogsArgument = None,
    framework: FrameworkOption = None,
    algorithm: AlgorithmOption = None,
    map: MapOption = None,
    settings: SettingsOption = None,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
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
    console = terminal_or_unbroken()
    for i, table in enumerate(tables):
        if i:
            console.print()
        for part in _parts(table):
            console.print(part)


def _parts(found: NameTable) -> Iterator[RenderableType]:
    from rich.text import Text

    from runvitals.render.terminal import safe

    yield safe(_heading(found), "bold")
    if found.understood:
        yield Text()
        yield _understood(found.understood)
    if found.not_understood:
        yield Text()
        yield _not_understood(found.not_understood)
        yield Text()
        yield Text(
            '--map "NAME=METRIC" says what a name means; runvitals explain METRIC what that is'
        )


def _heading(found: NameTable) -> str:
    shown = [str(run.path or "-") for run in found.runs]
    where = ", ".join(shown[:FEW_RUNS]) + (", ..." if len(shown) > FEW_RUNS else "")
    count = f"{len(shown)} runs ({where})" if len(shown) > 1 else where
    first = found.runs[0]
    tool = first.framework or "tool unknown"
    algorithm = f", {first.algorithm}" if first.algorithm else ""
    known, every = len(found.understood), len(found.names)
    return f"{count}: {tool}{algorithm}; {known} of {every} names understood"


def _understood(names: list[Named]) -> RenderableType:
    from rich.text import Text

    from runvitals.model.text import terminal_safe
    from runvitals.render.names import lines
    from runvitals.render.terminal import safe, table

    shown = table("name", "means", "", "found by", "sure", overflow="fold")
    for line in lines(names):
        one = line.named
        name = (
            f"{terminal_safe(line.shown)}  ({line.count} names)" if line.count > 1 else line.shown
        )
        labels = ", ".join(f"{key}={value}" for key, value in one.labels.items())
        means = f"{one.metric} [{labels}]" if labels and line.count == 1 else str(one.metric)
        shown.add_row(
            safe(name),
            safe(means),
            Text(one.title, style="dim"),
            safe(one.how),
            Text(one.sure, style="" if one.sure == "certain" else "yellow"),
        )
    return shown


def _not_understood(names: list[Named]) -> RenderableType:
    from rich.text import Text

    from runvitals.render.names import lines
    from runvitals.render.terminal import safe, table

    shown = table("not understood", "nearest", "to bind it", overflow="fold")
    for line in lines(names):
        near = ", ".join(one.metric for one in line.named.candidates) or "nothing like it"
        name = f"{line.shown}  ({line.count} names)" if line.count > 1 else line.shown
        bind = f"--map {_quoted(line.named.map)}" if line.named.map and line.count == 1 else ""
        shown.add_row(safe(name), Text(near, style="dim"), safe(bind))
    return shown


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)
