"""The `runvitals` command. Each command lives in a file of its own, and imports only when it runs."""

import gc
import io
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from runvitals import __version__
from runvitals.cli.lab import lab
from runvitals.cli.serve import read_ahead

# What people do, and the commands for it, each with a line that fits a terminal of 80 columns. A
# command is the function of that name in the file of that name, unless a file is named in front.
COMMANDS = """
Record
  run: Run a training command, record what it logs, and judge it live.
  demo: Train a healthy and a sick agent here, and see both judged.
Look at runs
  check: Judge runs: verdict, findings, likely causes, what to try.
  watch: Follow a run in the terminal while it trains.
  serve: Show runs in the browser, live.
  report: Write a run as one HTML file to send around.
  compare: Compare runs: settings, outcome, health, speed.
  samples: Show what the model wrote, its rewards and its faults.
  vitals: Show the level of each metric, and the range it should be in.
  runs: List the runs in some folders.
Look things up
  explain: Say what a metric or term means and what is healthy.
  rules.rule: Explain a rule: what it looks for, and what to try.
  rules: List the rules.
  metrics: List the metrics that runvitals knows.
  names: Show what each logged name was taken to mean.
  guide: Print a guide that comes with the package.
Many runs, other tools
  fleet: List many runs with their verdicts, and what differs from usual.
  sweep: Say which settings decide, and in which ranges runs fail.
  push: Ship runs to a bucket or a shared folder.
  import_: Write other tools' runs as run folders of ours.
  export: Write a run in another tool's format.
  index: Load runs into ClickHouse.
  query: Query runs in SQL.
  grafana: Print a Grafana dashboard for some metrics.
  mcp: Serve runs to an AI agent over MCP.
"""


class _Grouped(TyperGroup):
    """Lists the commands by what people do."""

    # typed loosely: releases of typer differ in whose classes these are
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args[:1] == ["serve"]:  # to understand the rest takes longer than to begin with it
            ctx.obj = read_ahead(args[1:])
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        width = max(map(len, names))
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            command = self.get_command(ctx, name)
            assert isinstance(command, TyperCommand | TyperGroup)
            summary = command.get_short_help_str(limit=formatter.width)
            group = str(command.rich_help_panel or "Commands")
            groups.setdefault(group, []).append((name.ljust(width), summary))
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows)


app = typer.Typer(
    name="runvitals",
    cls=_Grouped,
    help="The instrument panel and the doctor of a training run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
group = ""
for line in COMMANDS.strip().splitlines():
    if not line.startswith(" "):
        group = line
        continue
    place, _, summary = line.strip().partition(": ")
    file, _, name = place.rpartition(".")
    command = getattr(import_module(f"runvitals.cli.{file or name}"), name)
    app.command(
        name.strip("_"),  # `import_`: Python keeps the word for itself
        short_help=summary,
        rich_help_panel=group,
        # what follows the training command belongs to it
        context_settings={"allow_interspersed_args": False} if name == "run" else None,
    )(command)
app.add_typer(
    lab,
    short_help="Train small real models here, healthy or with a fault.",
    rich_help_panel="Record",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"runvitals {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """The instrument panel and the doctor of a training run."""


def main() -> None:
    """Run the command line; errors a user can mend are printed without a traceback, exit code 2."""
    _allow_any_character()
    gc.set_threshold(50_000)  # judged runs are kept: looking for garbage among thousands takes time
    every = app.registered_commands, app.registered_groups
    asked = [command for command in app.registered_commands if command.name in sys.argv[1:2]]
    if asked:  # all others take long to build
        app.registered_commands, app.registered_groups = asked, []
    try:
        app()
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None
    except PermissionError as error:
        print(f"error: {error.filename or 'runvitals'}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    except Exception as error:
        from runvitals.model import RunvitalsError

        if not isinstance(error, RunvitalsError):
            raise
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    finally:
        app.registered_commands, app.registered_groups = every


def _allow_any_character() -> None:
    """A terminal or pipe that knows only ASCII gets question marks, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    main()
