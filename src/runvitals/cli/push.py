"""`runvitals push`: bring recorded runs to a bucket or a shared folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import described

if TYPE_CHECKING:
    from runvitals.remote.push import Pushed


@described("""
runs: A run, or a folder with runs.
remote: s3://bucket/prefix, gs://..., az://..., or a shared folder.
--follow: Keep shipping what is written, until Ctrl-C.
""")
def push(runs: Path, remote: str, follow: bool = False) -> None:
    """Ship runs to a bucket or a shared folder, where every other command can read them.

    Only what is missing there is sent: run it again after an interruption, or from cron on nodes that
    are offline while they train. Credentials come from the environment (AWS_*, GOOGLE_*, AZURE_*).
    Exit code 2: some runs cannot be read, and the others were shipped.
    """
    from runvitals.remote import push as pushing

    if follow:
        try:
            pushing.follow(runs, remote, _say)
        except KeyboardInterrupt:
            return
    unread = False
    for pushed in pushing.push(runs, remote):
        unread = bool(pushed.problem) or unread
        _say(pushed)
    if unread:
        raise typer.Exit(2)


def _say(pushed: Pushed) -> None:
    from runvitals.model.text import terminal_safe

    if pushed.problem:
        typer.echo(f"error: {pushed.problem}", err=True)
        return
    if pushed.busy:
        state = "skipped, because the run is shipping itself"
    elif not pushed.done.objects:
        state = "up to date"
    else:
        count = pushed.done.objects
        state = f"shipped {pushed.done.bytes:,} bytes in {count} object{'s' if count > 1 else ''}"
    print(terminal_safe(f"{pushed.key}: {state}{' (still running)' if pushed.live else ''}"))
