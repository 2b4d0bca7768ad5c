"""Options and arguments that several commands share, and the runs in the logs they name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from runvitals.cli import completion
from runvitals.cli.output import print_errors

if TYPE_CHECKING:
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


Format = StrEnum("Format", "text json")
TableFormat = StrEnum("TableFormat", "text json csv")


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


# What the shared arguments and options of the commands are; `described` says how they are written.
_SHARED = """
logs (metavar=[LOGS]...; parser=path; show_default=no): Run folders or log files of any supported
  tool; by default ./runs.
-f --framework (complete=frameworks): The tool that wrote the logs, if it was detected wrongly.
-a --algorithm: The algorithm, if it was detected wrongly.
--map: Meaning of a name that is not recognized: --map "my_kl=policy/approx_kl".
--no-text: Quote nothing of what the model wrote.
--settings: A runvitals.toml or pyproject.toml; by default the one here or in a folder above.
--workers (min=1): Number of worker processes.
--format: Output format.
"""
_ENTRY = re.compile(r"(.+?)(?: \((.*?)\))?: (.*)")
# the fields of an entry: what Typer calls them, and how their values are read
_FIELDS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "complete": ("autocompletion", partial(getattr, completion)),
    "parser": ("parser", {"path": log_path, "lazy path": partial(log_path, lazily=True)}.get),
    "min": ("min", ast.literal_eval),
    "max": ("max", ast.literal_eval),
    "metavar": ("metavar", str),
    "env": ("envvar", str),
    "hidden": ("hidden", "yes".__eq__),
    "show_default": ("show_default", "yes".__eq__),
}
Command = TypeVar("Command", bound=Callable[..., None])


def described(page: str = "") -> Callable[[Command], Command]:
    """Tell Typer about the parameters of a command, as a page describes them.

    An entry is `-o --output (field=value; ...): help` for an option and `name (...): help` for an
    argument. What the page leaves out is one of those that several commands share.
    """

    def apply(command: Command) -> Command:
        known = dict(_read(_SHARED)) | dict(_read(page))
        signature = inspect.signature(command)
        told = [
            one if one.name == "ctx" else one.replace(default=known[one.name.strip("_")](one))
            for one in signature.parameters.values()
        ]
        command.__signature__ = signature.replace(parameters=told)  # type: ignore[attr-defined]
        return command

    return apply


def _read(page: str) -> Iterator[tuple[str, Callable[[inspect.Parameter], Any]]]:
    """The name of each parameter, and what Typer has to know of it."""
    for entry in page.strip().replace("\n  ", " ").splitlines():
        words, fields, text = _ENTRY.fullmatch(entry).groups("")  # type: ignore[union-attr]  # tested
        more: dict[str, Any] = {"help": text}
        for field in fields.split("; ") if fields else ():
            name, _, value = field.partition("=")
            key, read = _FIELDS[name]
            more[key] = read(value)
        flags = words.split() if words.startswith("-") else []
        name = flags[-1].partition("/")[0].strip("-").replace("-", "_") if flags else words
        yield name, partial(_about, flags=flags, more=more)


def _about(one: inspect.Parameter, flags: list[str], more: dict[str, Any]) -> Any:
    default = ... if one.default is one.empty else one.default
    return typer.Option(default, *flags, **more) if flags else typer.Argument(default, **more)


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
