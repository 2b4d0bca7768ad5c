"""Logs given to a command, opened as runs; what cannot be read is said on standard error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runvitals.model import ReadError, Run


def opened(
    logs: Sequence[Path],
    framework: str | None,
    algorithm: str | None,
    map: Sequence[str] | None,
    settings: Path | None,
) -> tuple[list[Run], list[ReadError]]:
    """The runs in these logs, and what could not be read. Options win over the settings file."""
    from runvitals.readers.open import nothing_found, open_all_with
    from runvitals.readers.options import given_over, options_from, parse_map
    from runvitals.readers.settings_file import settings_file

    kept = options_from(settings_file(settings))
    told = given_over(kept, framework, algorithm, parse_map(list(map or [])))
    problems: list[ReadError] = []
    runs: list[Run] = []
    for log in logs:
        before = len(problems)
        found = open_all_with(log, told, problems)
        if not found and len(problems) == before:
            problems.append(nothing_found(log))
        runs += found
    for problem in problems:
        typer.echo(f"error: {problem}", err=True)
    return runs, problems
