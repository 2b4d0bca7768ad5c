"""`runvitals run`: any training command, observed and judged live, without a line of code."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import chosen_settings, described
from runvitals.cli.output import terminal_or_unbroken

if TYPE_CHECKING:
    from runvitals.observe.observer import ObservedEnd


class StopOn(StrEnum):
    """How bad a finding has to be."""

    critical = "critical"
    warning = "warning"


@described("""
command (metavar=COMMAND): The command: python train.py --lr 3e-4
-p --project: Project; by default the name of the working folder.
-n --name: Name of the run; by default the script's.
--dir: Where runs are recorded; by default RUNVITALS_DIR or ./runs.
-q --quiet: Report findings only at the end.
--stop-on: Stop the command on a finding this severe: SIGINT, then SIGTERM.
--skip: A hook to skip; --dry-run lists them.
--dry-run: Show what would be hooked without running anything.
""")
def run(
    command: list[str],
    project: str | None = None,
    name: str | None = None,
    dir: Path | None = None,
    quiet: bool = False,
    stop_on: StopOn | None = None,
    skip: list[str] | None = None,
    dry_run: bool = False,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
) -> None:
    """Run a training command under observation: record what it logs, and judge it live.

    Everything after -- is the command. Its output, signals and exit code are its own. What it logs
    with TensorBoard, W&B, MLflow, Trackio, SwanLab, Stable-Baselines3, transformers, TRL, Accelerate,
    Lightning, Keras or RLlib goes into one run, with its settings. If it uses none of them, log
    files that appear in the working folder are followed. Failing that, metrics are read from the
    console.
    """
    from runvitals.model import ConfigError
    from runvitals.observe.preview import preview

    if sys.platform == "win32":
        raise ConfigError("runvitals run needs a Unix system", hint="rv.capture() works anywhere")
    known_hooks(skip or [])
    if dry_run:
        for line in preview(command, skip or []):
            typer.echo(line)
        return
    from runvitals.observe.command import die_like
    from runvitals.observe.observer import Observer, ObserverSettings

    chosen = chosen_settings(settings, framework, algorithm, map)
    wish = ObserverSettings(
        words=tuple(command),
        project=project,
        name=name,
        dir=dir,
        quiet=quiet,
        stop_on=None if stop_on is None else stop_on.value,
        skip=tuple(skip or ()),
    )
    outcome = Observer(wish, chosen).run()
    _report(outcome)
    raise typer.Exit(die_like(outcome.ended))


def known_hooks(names: list[str]) -> None:
    """Raise `ConfigError` for a hook that does not exist."""
    from runvitals.integrations.hooks import hooks
    from runvitals.model import ConfigError

    known = [hook.name for hook in hooks()]
    for name in names:
        if name not in known:
            raise ConfigError(f"there is no hook {name!r}", hint=f"choose from {', '.join(known)}")


def _report(outcome: ObservedEnd) -> None:
    """What `check` would say, on standard error: standard output is the command's."""
    from rich.text import Text

    from runvitals.render.judged import judged, shown_path
    from runvitals.render.terminal import safe
    from runvitals.render.text import report

    console = terminal_or_unbroken(stderr=True)
    console.print()
    if (how := how_it_ended(outcome)) is not None:
        console.print(safe(how, "bold red"))
    if outcome.source is None:
        console.print(Text(NOTHING))
    else:
        shown = shown_path(outcome.run)
        console.print(report(judged(outcome.run, outcome.diagnosis, shown)))
    if outcome.lives > 1:
        console.print(
            Text(
                f"{outcome.lives} processes trained one after the other; steps that a later one "
                "repeats replace the earlier ones"
            )
        )
    console.print(safe(f"recorded in {_near(outcome.folder)} (from {_source(outcome)})"))


NOTHING = (
    "nothing to judge: no supported library logged anything, no log file appeared in the "
    "working folder, and the console shows no metrics (runvitals run --dry-run lists the hooks)"
)


def how_it_ended(outcome: ObservedEnd) -> str | None:
    """Why it ended, in one line; None if it ended well."""
    if not outcome.ended.code:
        return None
    by = outcome.ended.signal or f"exit code {outcome.ended.exit_code}"
    if outcome.run.stopped_by is not None:
        return f"runvitals stopped the command ({by}): {outcome.run.stopped_by}"
    said = "" if outcome.ended_with.startswith(("exit code", "ended by")) else outcome.ended_with
    kind = "" if outcome.kind in (None, "error") or said.startswith(outcome.kind) else outcome.kind
    return ": ".join(part for part in (f"the command ended with {by}", kind, said) if part)


def _source(outcome: ObservedEnd) -> str:
    words = {
        "hooks": "what its libraries logged",
        "files": "its log files",
        "console": "its console",
    }
    return words.get(outcome.source or "", "nothing")


def _near(folder: Path) -> Path:
    try:
        return folder.relative_to(Path.cwd())
    except ValueError:
        return folder
