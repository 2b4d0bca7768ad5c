"""Which file a report goes to, and what may be overwritten there."""

from __future__ import annotations

import re
from pathlib import Path

from runvitals.model import StoreError
from runvitals.model.atomic import replacing
from runvitals.view.html_report.document import MARK

MAX_LENGTH = 60  # characters of a file name, which may have four bytes each
HEAD = 2_000  # bytes in which a report says whose it is


def file_name(run: str) -> str:
    """A name for the report of a run, safe on any system.

    >>> file_name("ppo / lr=3e-4"), file_name("..")
    ('ppo-lr-3e-4.html', 'run.html')
    """
    safe = re.sub(r"[^\w.+-]+", "-", run).strip(".-")
    return f"{safe[:MAX_LENGTH] or 'run'}.html"


def made_folder(where: Path) -> Path:
    """The folder, made if there is none."""
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder {where}: {error.strerror or error}") from error
    return where


def write(where: Path, text: str, run: str, *, force: bool = False) -> None:
    """Write a report; only an earlier one of the same run makes room for it without being forced to."""
    if where.is_dir():
        raise StoreError(f"{where} is a folder", hint="name a file in it")
    try:
        if not force and where.exists() and not _is_report_of(run, where):
            raise StoreError(
                f"{where} already exists and is not a report of this run",
                hint="choose another name with -o, or --force",
            )
        with replacing(where) as file:
            file.write(text.encode())
    except OSError as error:
        raise StoreError(f"cannot write {where}: {error.strerror or error}") from error


def _is_report_of(run: str, where: Path) -> bool:
    with where.open("rb") as file:
        return MARK.format(run=run).encode() in file.read(HEAD)
