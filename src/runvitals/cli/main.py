"""The `runvitals` command. Each command lives in a file of its own, and imports only when it runs."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from runvitals import __version__
from runvitals.cli.check import check
from runvitals.cli.compare import compare
from runvitals.cli.demo import demo
from runvitals.cli.explain import explain
from runvitals.cli.export import export
from runvitals.cli.fleet import fleet
from runvitals.cli.grafana import grafana
from runvitals.cli.index import index
from runvitals.cli.lab import lab
from runvitals.cli.mcp import mcp
from runvitals.cli.metrics import metrics
from runvitals.cli.names import names
from runvitals.cli.push import push
from runvitals.cli.query import query
from runvitals.cli.report import report
from runvitals.cli.rules import rule, rules
from runvitals.cli.run import run
from runvitals.cli.runs import runs
from runvitals.cli.serve import serve
from runvitals.cli.vitals import vitals
from runvitals.cli.watch import watch

app = typer.Typer(
    name="runvitals",
    help="The instrument panel and the doctor of a training run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo,
    check,
    watch,
    serve,
    report,
    compare,
    runs,
    names,
    vitals,
    explain,
    metrics,
    rules,
    rule,
    export,
    push,
    fleet,
    index,
    query,
    mcp,
    grafana,
):
    app.command()(command)
app.command(context_settings={"allow_interspersed_args": False})(run)
app.add_typer(lab)


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
    try:
        app()
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(0) from None
    except Exception as error:
        from runvitals.model import RunvitalsError

        if not isinstance(error, RunvitalsError):
            raise
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _allow_any_character() -> None:
    """A terminal or pipe that knows only ASCII gets question marks, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    main()
