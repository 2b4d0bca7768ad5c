"""`runvitals lab run scheduler --output-dir OUT`: all files of a run in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from runvitals.lab.scheduler_session import SchedulerSession

SCHEDULER = "scheduler"


def check_options(
    trainer: str,
    output_dir: Path | None,
    config: Path | None,
    *,
    resume: bool,
    max_chunks: int | None,
) -> None:
    """Options that go together."""
    from runvitals.model import ConfigError

    for option, given in (
        ("--config", config is not None),
        ("--resume", resume),
        ("--max-chunks", max_chunks is not None),
    ):
        if given and trainer != SCHEDULER:
            raise ConfigError(
                f"{option} works only with the scheduler, not with {trainer}",
                hint="pass settings with --set name=value",
            )
        if given and output_dir is None:
            raise ConfigError(
                f"{option} needs an output folder",
                hint="runvitals lab run scheduler --output-dir out/scheduler",
            )


def run_scheduler(
    console: Console,
    output_dir: Path,
    config: Path | None,
    told: Mapping[str, Any],
    monitoring: Mapping[str, Any],
    *,
    resume: bool,
    max_chunks: int | None,
    quiet: bool,
) -> None:
    """Start a run in the folder or continue it, and say how far it is."""
    from runvitals.lab.scheduler_session import run_session
    from runvitals.lab.scheduler_settings import ChosenSettings, chosen_from, read_settings

    in_file = ChosenSettings() if config is None else read_settings(config)
    given = ChosenSettings(monitoring=monitoring).over(chosen_from(told)).over(in_file)
    try:
        with progress_bar(console, f"scheduler in {output_dir}", quiet=quiet) as on_progress:
            session = run_session(
                output_dir,
                given,
                resume=resume,
                max_chunks=max_chunks,
                on_progress=on_progress,
                console=False,
            )
    except KeyboardInterrupt:
        console.print("stopped; everything logged so far is kept, and --resume continues the run")
        raise typer.Exit(130) from None
    _say_how_far(console, session, output_dir)


def _say_how_far(console: Console, session: SchedulerSession, output_dir: Path) -> None:
    from rich.markup import escape

    task, chunks = session.task, f"{session.chunks_done} of {session.chunks} chunks"
    learned = session.score >= task.target
    verdict = "[green]learned[/]" if learned else "[yellow]not learned[/]"
    so_far = "" if session.complete else " so far"
    console.print(
        f"{verdict}{so_far}: {task.score} {session.score:.3g}, the target is {task.target:g}"
    )
    if session.onset_step is not None:
        console.print(f"the fault was active from step {session.onset_step:,}")
    if session.trained is None:
        console.print(f"nothing left to do: {chunks} are done; recorded in")
    else:
        begun = f" after step {session.begun_at:,}" if session.begun_at else ""
        steps = session.steps - session.begun_at
        console.print(f"{steps:,} steps{begun} in {session.seconds:.1f} s, {chunks}; recorded in")
    console.print(f"  {escape(str(session.folder))}", soft_wrap=True)
    if not session.complete:
        command = f"runvitals lab run scheduler --output-dir {output_dir} --resume"
        console.print(f"go on with: {escape(command)}", soft_wrap=True)


@contextmanager
def progress_bar(console: Console, title: str, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A bar while this lasts; call what it gives with the share that is done."""
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=quiet) as progress:
        bar = progress.add_task(escape(title), total=1.0)
        yield lambda done: progress.update(bar, completed=done)
        progress.update(bar, completed=1.0)
