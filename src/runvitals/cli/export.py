"""`runvitals export`: a run as CSV, TensorBoard, Parquet or JSON lines, or its media as files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import described

if TYPE_CHECKING:
    from runvitals.model import Run

Target = StrEnum("Target", "csv tensorboard parquet jsonl media")


@described("""
run (parser=path; metavar=LOGS): The run's folder.
--to: The format.
-o --output: Output file (a folder for tensorboard and media); by default named after the run.
--force/--no-force: Overwrite existing files.
--no-text: Leave out samples and other texts.
""")
def export(
    run: Path, to: Target, output: Path | None = None, force: bool = False, no_text: bool = False
) -> None:
    """Write a run in another tool's format, under the names it was logged with."""
    from runvitals.model import StoreError
    from runvitals.readers.open import open_run

    found = open_run(run)
    is_folder = to in (Target.tensorboard, Target.media)
    where = output or Path(f"{found.id}{'-' if is_folder else '.'}{to}")
    if where.exists() and not force:
        raise StoreError(
            f"{where} already exists", hint="choose another path with -o, or use --force"
        )
    try:
        written = _write(found, to, where, texts=not no_text)
    except OSError as error:
        raise StoreError(f"cannot write {where}: {error.strerror or error}") from error
    print(f"{where}: {written}")
    from runvitals.model.text import terminal_safe

    for warning in found.warnings:
        typer.echo(f"warning: {terminal_safe(warning)}", err=True)


def _kept(run: Run) -> int:
    """Points that are written: all except those that a restart logged again."""
    points = run.points
    return sum(len(points.column(n, rank)[0]) for n in run.names() for rank in points.ranks(n))


def _write(run: Run, to: Target, where: Path, *, texts: bool) -> str:
    """Write the run and say how much of it."""
    from runvitals import exporters
    from runvitals.model import RunInfo, Sample, Text

    events = (one for one in run.events() if texts or not isinstance(one, Sample | Text))
    if to is Target.media:
        return f"{exporters.export_media(events, where):,} files"
    blocks = run.points.blocks()
    if to is Target.csv:
        exporters.export_csv(blocks, where)
    elif to is Target.parquet:
        exporters.export_parquet(blocks, where)
    elif to is Target.jsonl:
        exporters.export_jsonl(blocks, where)
    else:
        info = RunInfo(
            run.id, run.name, run.project, where, started=run.started or 0.0, config=run.config
        )
        earlier = list(where.rglob("events.out.tfevents.*"))  # TensorBoard would show both
        exporters.export_tensorboard(blocks, events, where, info)
        for path in earlier:
            path.unlink(missing_ok=True)
    return f"{_kept(run):,} points in {len(run)} series"
