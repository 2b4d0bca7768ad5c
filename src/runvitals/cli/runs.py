"""`runvitals runs`: what has been recorded here."""

from typing import Annotated, Any

import typer

from runvitals.cli.options import (
    AlgorithmOption,
    Format,
    FrameworkOption,
    MapOption,
    default_folder,
    log_path,
    logs_or_default,
)
from runvitals.cli.output import print_errors, print_json


def runs(
    logs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOGS]...",
            help="Run folders, log files of any supported tool or addresses; by default ./runs.",
            show_default=False,
        ),
    ] = None,
    framework: FrameworkOption = None,
    algorithm: AlgorithmOption = None,
    map: MapOption = None,
    read: Annotated[
        bool,
        typer.Option("--read", help="Fetch the runs of an address and read them: outcome, size."),
    ] = False,
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
) -> None:
    """List the runs in some folders, recorded here or by another tool: status, progress and outcome.

    The runs in a bucket or shared folder (s3://...) are listed from the index file stored with them,
    without fetching any. Exit code 2: some runs cannot be read, and the others are listed.
    """
    from runvitals.fleet.listing import listed
    from runvitals.model import ReadError
    from runvitals.readers.options import parse_map, read_options

    problems: list[ReadError] = []
    options = read_options(framework, algorithm, parse_map(map or []))
    found: list[dict[str, Any]] = []
    for log in logs or [str(folder) for folder in logs_or_default(None)]:
        if not read and (remote := _listed(log)):
            found += remote
        else:
            found += listed(log_path(log), options, problems)
    print_errors(problems)
    if format is Format.json:
        print_json(found)
    elif found:
        _print_table(found)
    elif not problems:
        print(f"no runs found in {', '.join(logs or [str(default_folder())])}")
        print("`runvitals run python train.py` records one; `runvitals demo` makes two to look at")
    if problems:
        raise typer.Exit(2)


def _listed(place: str) -> list[dict[str, Any]]:
    """The runs that the list at an address names, the latest first; none where there is no list."""
    if "://" not in place:
        return []
    from runvitals.remote.following import listed
    from runvitals.remote.run_list import entry_warnings

    top, found = listed(place)
    said = (
        "name",
        "project",
        "framework",
        "algorithm",
        "status",
        "exit_code",
        "series",
        "points",
        "last_step",
    )
    runs: list[dict[str, Any]] = [
        {
            "id": run.get("id") or key,
            **{name: run.get(name) for name in said},
            "path": f"{top}/{key}".rstrip("/"),
            "format": "runvitals",
            "outcome": None,
            "started": run.get("started"),
            "ended": run.get("ended"),
            "bytes": None,
            "warnings": (told := entry_warnings(run)),
            "partial": True if told else None,
        }
        for key, run in found.items()
    ]
    return sorted(runs, key=lambda run: -(run["ended"] or run["started"] or 0.0))


def _print_table(found: list[dict[str, Any]]) -> None:
    import time

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from runvitals.model.run import with_code
    from runvitals.render.terminal import safe
    from runvitals.render.text import MAX_WARNINGS, data_warnings
    from runvitals.render.watching import STATUS_COLOURS

    console = Console()
    wide, widest = console.width >= 120, console.width >= 160
    table = Table(box=None, pad_edge=False, header_style="bold")
    room = max(24, console.width - (64 if not wide else 112 if not widest else 134))
    table.add_column("run", no_wrap=True, overflow="ellipsis", max_width=room)
    table.add_column("status", no_wrap=True, min_width=8)
    table.add_column("age", no_wrap=True, min_width=3)
    table.add_column("tool", no_wrap=True, overflow="ellipsis", max_width=17)
    if wide:
        table.add_column("algorithm", no_wrap=True, overflow="ellipsis", max_width=10)
        table.add_column("format", no_wrap=True, overflow="ellipsis", max_width=28)
    for title in ("last step", *(("series", "points", "size") if widest else ())):
        table.add_column(title, justify="right", no_wrap=True, min_width=6)
    read = any(run["bytes"] is not None for run in found)  # else a list was all there is
    if read:
        table.add_column("outcome now", no_wrap=True, min_width=18)
    for run in found:
        outcome = run["outcome"]
        size = "" if run["bytes"] is None else _bytes(run["bytes"])
        sizes = (str(run["series"]), f"{run['points']:,}", size)
        table.add_row(
            safe(f"{run['project']}/{run['id']}" if run["project"] else run["id"]),
            safe(with_code(run["status"], run["exit_code"]), STATUS_COLOURS.get(run["status"], "")),
            _age(time.time() - run["started"]) if run["started"] else "",
            safe(run["framework"] or ""),
            *((safe(run["algorithm"] or ""), Text(_short(run["format"]))) if wide else ()),
            f"{run['last_step']:,}" if run["last_step"] is not None else "",
            *(sizes if widest else ()),
            *((_outcome_text(outcome) if run["bytes"] is not None else "",) if read else ()),
        )
    for run in found:
        name = f"{run['id']}: "
        told = [w if w.startswith(name) else name + w for w in run["warnings"]]
        for text in data_warnings(told, MAX_WARNINGS):
            console.print(text)
    console.print(table)


def _outcome_text(outcome: dict[str, Any] | None) -> str:
    if outcome is None:
        return "none logged"
    return f"{outcome['metric'].removeprefix('outcome/')} {outcome['now']:.4g}"


def _short(format: str) -> str:
    """The first of several sources, and how many more there are."""
    first, *others = format.split(" + ")
    first = first if len(first) <= 24 else f"{first[:23]}…"
    return f"{first} +{len(others)}" if others else first


def _age(seconds: float) -> str:
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
