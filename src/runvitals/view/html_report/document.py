"""The HTML file: page, style and data in one, with a policy that lets nothing else in."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from runvitals import __version__
from runvitals.model import ReadError, StoreError
from runvitals.model.atomic import replacing
from runvitals.readers.discovery.discover import discover
from runvitals.readers.open import existing, nothing_found
from runvitals.view import STATIC
from runvitals.view.html_report.contents import Contents
from runvitals.view.places import Place, place_of

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="runvitals {version}">
<meta name="runvitals-run" content="{run}">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
"""
MARK = '<meta name="runvitals-run" content="{run}">'


@dataclass(frozen=True)
class Page:
    """The built page of a report."""

    script: str
    style: str
    icon: bytes


def built_page(folder: Path = STATIC) -> Page:
    """The page, if it was built."""
    try:
        script = (folder / "report.js").read_text(encoding="utf-8")
        style = (folder / "report.css").read_text(encoding="utf-8")
        icon = (folder / "icon.svg").read_bytes()
    except FileNotFoundError:
        raise StoreError(
            "the page of reports is not built, as this is a checkout of the source",
            hint="build it once with Node 20 or newer: cd web && npm ci && npm run build",
        ) from None
    return Page(_inside_script(script), style.replace("</style", r"<\/style"), icon)


def document(contents: Contents, page: Page, summary: str) -> str:
    """The file. `summary` is HTML for readers that run no scripts, such as previews in mail."""
    shown = contents.page
    policy = (
        f"default-src 'none'; script-src '{_digest(page.script)}'; "
        f"style-src '{_digest(page.style)}'; style-src-attr 'unsafe-inline'; "
        "img-src data: blob:; media-src data:; base-uri 'none'; form-action 'none'"
    )
    head = _HEAD.format(
        version=escape(__version__),
        run=escape(shown["id"]),
        policy=policy,
        title=escape(f"{shown['name']} · runvitals"),
    )
    icon = b64encode(page.icon).decode()
    return "".join(
        (
            head,
            f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">\n',
            f"<style>{page.style}</style>\n</head>\n<body>\n",
            f'<div id="report"><div class="summary">{summary}</div></div>\n',
            _block("answers", contents.answers),
            _block("points", contents.points),
            f"<script>{page.script}</script>\n</body>\n</html>\n",
        )
    )


def _block(id: str, data: bytes) -> str:
    """Data for the script; base64 has no character that could end its element."""
    return f'<script type="application/gzip" id="{id}">{b64encode(data).decode()}</script>\n'


def _inside_script(text: str) -> str:
    """The same script without what would end its element."""
    return text.replace("</script", r"<\/script").replace("<!--", r"<\!--")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


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


def places_below(logs: Sequence[Path], problems: list[ReadError] | None = None) -> list[Place]:
    """Where runs lie, each once; raises `ReadError` where there is none.

    What else could not be read goes into `problems`.
    """
    found: dict[str, Place] = {}
    for log in logs:
        top = existing(log)
        unreadable: list[ReadError] = []
        places = [place_of(one, top) for one in discover(top, unreadable)]
        if not places:
            raise unreadable[0] if unreadable else nothing_found(top)
        found.update((place.id, place) for place in places)
        if problems is not None:
            problems += unreadable
    return list(found.values())
