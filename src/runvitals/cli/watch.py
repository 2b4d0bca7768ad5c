"""`runvitals watch`: a run in the terminal, live, whoever writes it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import chosen_settings, described, logs_or_default

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from runvitals.cli.watching import Watched
    from runvitals.model import Run
    from runvitals.readers.options import ReadOptions

FRAME = 16  # lines beside the vital numbers


@described("""
logs (parser=path; metavar=[LOGS]; show_default=no): A run, or a folder, by default ./runs: the newest
  run in it is watched.
--once: Show the current state once and exit.
--every (min=0.1): Seconds between updates.
""")
def watch(
    logs: Path | None = None,
    once: bool = False,
    every: float = 2.0,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
) -> None:
    """Watch a run while it trains: vital numbers, verdict, findings as they open and close.

    Works on runs recorded here and on the logs of every other tool that can be read. Ends when the run
    ends, or with Ctrl-C; the exit code is that of `check`. Without a terminal, it prints a line
    whenever something changes.
    """
    from rich.console import Console

    from runvitals.cli.watching import Watched

    chosen = chosen_settings(settings, framework, algorithm, map)
    [top] = logs_or_default(None if logs is None else [logs])
    console = Console(highlight=False)
    watched: Watched | None = None
    try:
        run = _wait_for_run(top, chosen.reading, once=once, every=every)
        watched = Watched(run, chosen, every)
        if once:
            _show_once(watched, console)
        elif console.is_terminal:
            _draw(watched, console)
        else:
            _print_lines(watched)
    except KeyboardInterrupt:
        sys.stderr.write("\n")
    raise typer.Exit(2 if watched is None else watched.exit_code)


def _wait_for_run(logs: Path, options: ReadOptions, *, once: bool, every: float) -> Run:
    """The newest run; waits for one to begin in a folder, and for the first rows of a log."""
    from runvitals.cli.watching import newest_run
    from runvitals.model import EmptyLogError
    from runvitals.readers.open import nothing_found

    told = False
    while True:
        try:
            if (run := newest_run(logs, options)) is not None:
                return run
            if not logs.is_dir():
                raise nothing_found(logs)
        except EmptyLogError:
            if once:
                raise
        if once:
            raise nothing_found(logs)
        if not told:
            awaited = f"no runs in {logs}" if logs.is_dir() else f"no rows in {logs}"
            typer.echo(f"{awaited} yet; waiting", err=True)
            told = True
        time.sleep(every)


def _show_once(watched: Watched, console: Console) -> None:
    watched.look()
    console.print(_frame(watched, console, rows=None))


def _draw(watched: Watched, console: Console) -> None:
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        while True:
            watched.look()
            live.update(_frame(watched, console, rows=max(3, console.height - FRAME)), refresh=True)
            if watched.ended:
                return
            time.sleep(min(1.0, watched.every))


def _frame(watched: Watched, console: Console, rows: int | None) -> RenderableType:
    from runvitals.model.formatting import signs_for
    from runvitals.render.watching import frame

    return frame(watched.view(rows), console.width, signs_for(console.encoding))


def _print_lines(watched: Watched) -> None:
    from runvitals.model.run import with_code
    from runvitals.model.text import terminal_safe
    from runvitals.render.watching import event, line

    said = ""
    warned: set[str] = set()
    while True:
        if watched.look():
            view = watched.view()
            for warning in view.warnings:
                if warning not in warned:
                    print(f"warning: {terminal_safe(warning)}")
            warned.update(view.warnings)
            for entry in watched.news:
                print(event(entry))
            if (now := line(view)) != said:
                print(now, flush=True)
                said = now
        if watched.ended:
            name, by = watched.run.name or watched.run.id, watched.run.stopped_by
            how = (
                f"{watched.run.status} by {by}"
                if by is not None
                else with_code(watched.run.status, watched.run.exit_code)
            )
            print(f"{terminal_safe(name)} {terminal_safe(how)}: {_verdict(watched)}")
            return
        time.sleep(watched.every)


def _verdict(watched: Watched) -> str:
    from runvitals.model.text import terminal_safe

    if watched.diagnosis is None:
        return "not judged"
    verdict = watched.diagnosis.verdict
    return f"{verdict.headline}: {terminal_safe(verdict.reason)}"
