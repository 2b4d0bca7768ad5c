"""`runvitals compare`: what differs between runs, or between groups of them."""

from __future__ import annotations

import glob
import string
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import chosen_settings, described, log_path
from runvitals.cli.output import print_errors, print_json

if TYPE_CHECKING:
    from runvitals.comparison.compare import Comparison
    from runvitals.comparison.member import Member, Side
    from runvitals.diagnosis.judge import Settings

MAX_SIDES = 8
CompareFormat = StrEnum("CompareFormat", "text json markdown")


@described("""
sides: Two or more sides: a run, a folder of runs (seeds), the address of either, or a pattern in
  quotes.
--metric (complete=metrics): Compare this metric instead of the outcome.
--threshold: The level to reach; by default one that every side reaches.
""")
def compare(
    sides: list[str],
    metric: str | None = None,
    threshold: float | None = None,
    format: CompareFormat = CompareFormat.text,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    workers: int | None = None,
) -> None:
    """Compare runs: settings, outcome with its uncertainty, health and speed.

    runvitals compare runs/baseline runs/new

    runvitals compare "runs/ppo-lr1e-3-seed*" "runs/ppo-lr3e-4-seed*"

    runvitals compare runs/new "s3://bucket/team/ppo/baseline-seed*"

    A side with several runs (seeds) gives an interval over them; runs with the same seeds on both sides
    are compared in pairs. With one run per side the comparison is inconclusive, and it says so.
    Exit code 2: some of the runs cannot be read, and the others were compared.
    """
    from runvitals.comparison.compare import compare as compare_sides
    from runvitals.model import ReadError

    _check_count(sides)
    problems: list[str] = []
    chosen = chosen_settings(settings, framework, algorithm, map)
    opened = _open_sides(
        sides, chosen, metric, workers, problems, progress=format is CompareFormat.text
    )
    print_errors(problems)
    for side in opened:
        if not side.members:
            raise ReadError(side.shown, "none of its runs could be read")
    _print(compare_sides(opened, metric=metric, threshold=threshold), format)
    if problems:
        raise typer.Exit(2)


def _check_count(sides: list[str]) -> None:
    from runvitals.model import ConfigError

    if len(sides) < 2:
        raise ConfigError("compare needs at least two sides", hint="runvitals compare A B")
    if len(sides) > MAX_SIDES:
        raise ConfigError(
            f"too many sides to compare: {len(sides)}",
            hint='put a pattern in quotes to make it one side: "runs/ppo-seed*"',
        )


def _open_sides(
    given: list[str],
    settings: Settings,
    metric: str | None,
    workers: int | None,
    problems: list[str],
    *,
    progress: bool,
) -> list[Side]:
    from runvitals.comparison.member import Side, member_of
    from runvitals.fleet.judging import of_each_run, places_of

    places = [
        [place for path in _paths(one) for place in places_of(path, problems) if place]
        for one in given
    ]
    flat = [place for mine in places for place in mine]
    make = partial(member_of, settings=settings, metric=metric)
    progress_bar = "reading" * progress
    made = iter(of_each_run(make, settings, flat, workers=workers, progress=progress_bar))
    sides = []
    for letter, shown, mine in zip(string.ascii_uppercase, given, places, strict=False):
        members: list[Member] = []
        for one in (next(made) for _ in mine):
            if isinstance(one, str):
                problems.append(one)
            else:
                members += one
        sides.append(Side(letter, shown, tuple(members)))
    return sides


def _paths(given: str) -> list[Path]:
    """Files and folders of this machine; runs at an address are brought here first."""
    from runvitals.model import ReadError

    if given.startswith(("clickhouse", "chdb")) and "://" in given:
        return [log_path(given)]
    if "://" in given:
        from runvitals.remote.following import local_paths

        return local_paths(given)
    paths = [given] if Path(given).exists() else sorted(glob.glob(given, recursive=True))
    if not paths:
        raise ReadError(given, "no such file or folder, and no files match it as a pattern")
    return [Path(path) for path in paths]


def _print(found: Comparison, format: CompareFormat) -> None:
    from runvitals.render import compare as reports

    if format is CompareFormat.json:
        made = reports.as_json(found)
        print_json(made)
    elif format is CompareFormat.markdown:
        for line in reports.markdown(found):
            print(line)
    else:
        from rich.console import Console

        from runvitals.model.formatting import signs_for

        console = Console(highlight=False)
        console.print(reports.text(found, signs_for(console.encoding)))
