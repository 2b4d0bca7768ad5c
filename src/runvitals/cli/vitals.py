"""`runvitals vitals`: every vital sign of a run beside its range, alarm or not."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runvitals.cli.json_output import print_json
from runvitals.cli.options import (
    AlgorithmOption,
    FrameworkOption,
    MapOption,
    SettingsOption,
    log_path,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runvitals.model import ReadError, Run

UNBROKEN = 10_000  # columns; what goes into a file or a pipe is for grep


class Format(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


def vitals(
    logs: Annotated[
        list[Path],
        typer.Argument(
            parser=log_path, metavar="LOGS", help="Run folders or log files of any supported tool."
        ),
    ],
    framework: FrameworkOption = None,
    algorithm: AlgorithmOption = None,
    map: MapOption = None,
    settings: SettingsOption = None,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
) -> None:
    """Show each metric's level now, the range that holds for it here, and whose range that is.

    Nothing is judged: a vital out of its range is a sign, and `runvitals check` says whether the
    outcome suffers. Exit code 2 if a log could not be read.
    """
    from runvitals.readers.open import nothing_found, open_all_with
    from runvitals.readers.options import given_over, options_from, parse_map
    from runvitals.readers.settings_file import settings_file

    kept = options_from(settings_file(settings))
    told = given_over(kept, framework, algorithm, parse_map(map or []))
    problems: list[ReadError] = []
    runs: list[Run] = []
    for log in logs:
        found = open_all_with(log, told, problems)
        if not found and not problems:
            problems.append(nothing_found(log))
        runs += found
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)
    if format is Format.json:
        from runvitals.render.json_ import vitals_json

        said = vitals_json(runs, [str(problem) for problem in problems])
        print_json(said)
    else:
        _print(runs)
    if problems or not runs:
        raise typer.Exit(2)


def _print(runs: Sequence[Run]) -> None:
    from rich.console import Console
    from rich.text import Text

    from runvitals.model.plain import plain
    from runvitals.render.vital_table import vitals_table
    from runvitals.vitals import vitals_of

    terminal = Console(highlight=False)
    console = terminal if terminal.is_terminal else Console(highlight=False, width=UNBROKEN)
    for run in runs:
        found = vitals_of(run)
        outside = sum(vital.out_of_range for vital in found)
        ranged = sum(vital.range is not None for vital in found)
        what = ", ".join(filter(None, (run.framework or "tool unknown", run.algorithm)))
        counts = f"{outside} of {ranged} vitals out of range"
        console.print(Text(plain(f"{run.path or '-'}: {what}; {counts}"), style="bold"))
        for part in vitals_table(found, without_range=True):
            console.print(part)
