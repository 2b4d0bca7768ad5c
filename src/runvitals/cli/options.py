"""Options and arguments that several commands share, and the runs in the logs they name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runvitals.cli import completion
from runvitals.cli.output import print_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runvitals.diagnosis.judge import Settings
    from runvitals.model import ReadError, Run


def log_path(given: str | Path, *, lazily: bool = False) -> Path:
    """A path as given; the address of a bucket or an index becomes a folder with its runs.

    `lazily`: ended runs of a bucket are brought when they are opened.
    """
    text = str(given)
    if "://" not in text:
        return Path(text)
    if text.startswith(("clickhouse", "chdb")):
        from runvitals.index.mirror import local_folder as folder_of_index

        return folder_of_index(text)
    from runvitals.remote.following import local_folder

    return local_folder(text, lazily=lazily)


def default_folder() -> Path:
    """Where runs are recorded unless something else is said."""
    import os

    return Path(os.environ.get("RUNVITALS_DIR") or "runs")


def codes(given: list[str] | None) -> list[str]:
    """Codes as they were given: one by one, or several with commas between them.

    >>> codes(["KL001, CLIP001", "REW"])
    ['KL001', 'CLIP001', 'REW']
    """
    return [code.strip() for some in given or () for code in some.split(",") if code.strip()]


class Format(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


class TableFormat(StrEnum):
    """How to print a table."""

    text = "text"
    json = "json"
    csv = "csv"


def logs_or_default(given: list[Path] | None) -> list[Path]:
    """What to look at: what was given, or else where runs are recorded."""
    if given:
        return given
    folder = default_folder()
    if not folder.exists():
        from runvitals.model import ReadError

        raise ReadError(
            folder,
            "no runs have been recorded here yet",
            hint="pass a folder or file with logs of any tool, or record a run with"
            " `runvitals run -- python train.py`",
        )
    return [folder]


LogsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        parser=log_path,
        metavar="[LOGS]...",
        help="Run folders or log files of any supported tool; by default ./runs.",
        show_default=False,
    ),
]
FrameworkOption = Annotated[
    str | None,
    typer.Option(
        "--framework",
        "-f",
        help="The tool that wrote the logs, if it was detected wrongly.",
        autocompletion=completion.frameworks,
    ),
]
AlgorithmOption = Annotated[
    str | None, typer.Option("--algorithm", "-a", help="The algorithm, if it was detected wrongly.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map", help='Meaning of a name that is not recognized: --map "my_kl=policy/approx_kl".'
    ),
]
NoTextOption = Annotated[
    bool, typer.Option("--no-text", help="Quote nothing of what the model wrote.")
]
SettingsOption = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        help="A runvitals.toml or pyproject.toml; by default the one here or in a folder above.",
    ),
]
WorkersOption = Annotated[int | None, typer.Option(min=1, help="Number of worker processes.")]


def chosen_settings(
    file: Path | None,
    framework: str | None,
    algorithm: str | None,
    map: Sequence[str] | None,
    **more: Any,
) -> Settings:
    """What the settings file says, and the options over it; `more` goes to `settings_for`."""
    from runvitals.diagnosis.judge import settings_for
    from runvitals.readers.options import parse_map

    names = parse_map(map or ())
    return settings_for(file, framework=framework, algorithm=algorithm, names=names, **more)


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
    print_errors(problems)
    return runs, problems
