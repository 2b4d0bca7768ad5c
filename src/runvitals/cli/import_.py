"""`runvitals import`: runs of other tools become runs of ours."""

from pathlib import Path

import typer

from runvitals.cli.options import described
from runvitals.cli.output import print_errors


@described("""
logs (parser=path; metavar=LOGS): A folder of any tool's runs.
--dir: Where to write run folders.
""")
def import_(
    logs: Path,
    dir: Path = Path("runs"),
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
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
