"""`runvitals import`: runs of other tools become runs of ours."""

from pathlib import Path
from typing import Annotated

import typer

from runvitals.cli.options import AlgorithmOption, FrameworkOption, MapOption, log_path
from runvitals.cli.output import print_errors


def import_(
    logs: Annotated[
        Path, typer.Argument(parser=log_path, metavar="LOGS", help="A folder of any tool's runs.")
    ],
    dir: Annotated[Path, typer.Option(help="Where to write run folders.")] = Path("runs"),
    framework: FrameworkOption = None,
    algorithm: AlgorithmOption = None,
    map: MapOption = None,
) -> None:
    """Write the runs of other tools as run folders, to keep them without the tool that made them.

    Every command reads logs where they lie, so this is for leaving a tool. Names, values, steps, times,
    settings, texts, histograms and samples stay as they are; the originals are not touched. Runs that
    were imported before are skipped. Exit code 2: some cannot be read, and the others were imported.
    """
    from runvitals.model import ReadError
    from runvitals.model.text import terminal_safe
    from runvitals.readers.open import open_all_with
    from runvitals.readers.options import parse_map, read_options
    from runvitals.recorder.imported import import_run

    problems: list[ReadError] = []
    options = read_options(framework, algorithm, parse_map(map or []))
    for run in open_all_with(logs, options, problems):
        if run.format == "runvitals":
            continue
        folder, is_new = import_run(run, dir)
        points = f"{run.points.count:,} points in {len(run)} series"
        print(terminal_safe(f"{folder}: {points if is_new else 'imported before'}"))
        for warning in run.warnings:
            typer.echo(f"warning: {terminal_safe(warning)}", err=True)
    print_errors(problems)
    if problems:
        raise typer.Exit(2)
