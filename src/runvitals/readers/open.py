"""`open_run` and `open_runs`: find out what a path holds and give it as runs."""

import difflib
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from runvitals.model import EmptyLogError, ReadError, Run
from runvitals.readers.bind import bind
from runvitals.readers.console._end import ending_of, last_line
from runvitals.readers.console._lines import died
from runvitals.readers.console._sniff import is_text
from runvitals.readers.damage import why_no_series
from runvitals.readers.discovery.discover import discover, listed
from runvitals.readers.follow import longest_of, opened
from runvitals.readers.joining.join import run_of
from runvitals.readers.options import ReadOptions, read_options
from runvitals.readers.raw.source import head
from runvitals.readers.registry import guarded

UNKNOWN = "not a training log that runvitals knows"
MAX_EXPLAINED = 20  # files of a folder in which a reason is looked for why it holds no run


def open_run(
    path: str | os.PathLike[str],
    *,
    framework: str | None = None,
    algorithm: str | None = None,
    names: Mapping[str, str] | None = None,
) -> Run:
    """The run at this path: a log file, a run folder, or a folder that holds exactly one run.

    `-` reads a training's output from standard input, to its end.
    `framework`, `algorithm` and `names` (logged name to metric id) override what would be guessed.
    A file with several runs in it gives the longest one.
    """
    return open_with(path, read_options(framework, algorithm, names))


def open_with(path: str | os.PathLike[str], options: ReadOptions) -> Run:
    """`open_run` with these options and no others."""
    if str(path) == "-":
        return from_stdin(options)
    top = existing(path)
    problems: list[ReadError] = []
    found = list(discover(top, problems))
    if len(found) > 1:
        names = sorted(f.path.name for f in found)
        shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise ReadError(
            path, f"found {len(found)} runs ({shown})", hint="pass one of them, or use open_runs"
        )
    if not found:
        raise problems[0] if problems else nothing_found(top)
    return longest_of(opened(found[0], options))


def open_runs(
    path: str | os.PathLike[str],
    *,
    framework: str | None = None,
    algorithm: str | None = None,
    names: Mapping[str, str] | None = None,
    problems: list[ReadError] | None = None,
) -> list[Run]:
    """All runs at or below a path, oldest first; what cannot be read goes into `problems`."""
    return open_all_with(path, read_options(framework, algorithm, names), problems)


def open_all_with(
    path: str | os.PathLike[str], options: ReadOptions, problems: list[ReadError] | None = None
) -> list[Run]:
    """`open_runs` with these options and no others."""
    if str(path) == "-":
        return [from_stdin(options)]
    runs: list[Run] = []
    for found in discover(existing(path), problems):
        try:
            runs.extend(opened(found, options))
        except ReadError as error:
            if problems is not None:
                problems.append(error)
    return sorted(runs, key=lambda run: (run.started or 0.0, str(run.path), run.id))


def from_stdin(options: ReadOptions) -> Run:
    """The run whose output comes in on standard input."""
    from runvitals.readers.console._stream import read_stream

    return bind(run_of(read_stream(sys.stdin.buffer)), options)


def existing(path: str | os.PathLike[str]) -> Path:
    """The path as a `Path`; raises `ReadError` if nothing is there."""
    top = Path(path)
    try:
        top.stat()
    except FileNotFoundError:
        raise ReadError(path, "no such file or folder", hint=near_path(top)) from None
    except (OSError, ValueError) as error:
        raise ReadError(path, getattr(error, "strerror", None) or str(error)) from None
    return top


def near_path(missing: Path) -> str | None:
    """A hint with similar paths for one that does not exist."""
    for folder in missing.parents:
        if folder.is_dir():
            wanted = missing.relative_to(folder).parts[0]
            with suppress(OSError):
                near = difflib.get_close_matches(wanted, os.listdir(folder), n=2)
                if near:
                    return f"did you mean {' or '.join(str(folder / name) for name in near)}?"
            break
    return None


def nothing_found(top: Path) -> ReadError:
    """The error that explains why there is no run at this path."""
    if top.is_dir():
        why = "no runs found in this folder" + ("" if any(top.iterdir()) else ", which is empty")
        files = sorted(listed(top, [])[0])[:MAX_EXPLAINED]
        for file in files:
            if (told := _instead_of_series(file)) is not None:
                return ReadError(top, f"{why}; in {file.name}: {told[0]}", hint=told[1])
        return ReadError(
            top,
            why,
            hint="give the folder or file that your trainer logs to, or record a run with "
            "`runvitals run python train.py`; `runvitals demo` makes two to look at",
        )
    if not top.is_file():
        return ReadError(top, "neither a file nor a folder")
    if not top.stat().st_size:
        return EmptyLogError(top, "the file is empty")
    if (told := _instead_of_series(top)) is not None:
        return ReadError(top, f"{UNKNOWN}: {told[0]}", hint=told[1])
    if is_text(head(top)):
        if ending := ending_of(top):
            return died(top, ending)
        if line := last_line(top):
            return ReadError(top, UNKNOWN, hint=f"its last line: {line}")
    return ReadError(top, UNKNOWN)


def _instead_of_series(file: Path) -> tuple[str, str] | None:
    """What a file of a log's kind holds, and a hint; None for others, and if it ends in an error."""
    start = head(file)
    if not start or (is_text(start) and ending_of(file)):
        return None
    why = guarded(file, "log", lambda: why_no_series(file, start))
    return why and (why[0], why[1] or f"its last line: {last_line(file)}")
