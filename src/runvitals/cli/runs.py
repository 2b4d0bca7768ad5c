"""`runvitals runs`: what has been recorded here."""

from typing import Any

import typer

from runvitals.cli.options import Format, default_folder, described, log_path, logs_or_default
from runvitals.cli.output import print_errors, print_json


@described("""
logs (metavar=[LOGS]...; show_default=no): Run folders, log files of any supported tool or addresses;
  by default ./runs.
--read: Fetch the runs of an address and read them: outcome, size.
""")
def runs(
    logs: list[str] | None = None,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    read: bool = False,
    format: Format = Format.text,
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
        from runvitals.render.lists import print_runs

        print_runs(found)
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
    said = "name project framework algorithm status exit_code series points last_step".split()
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
