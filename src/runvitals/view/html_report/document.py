"""The HTML file: page, style and data in one, with a policy that lets nothing else in."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path

from runvitals import __version__
from runvitals.model import StoreError
from runvitals.view.html_report.contents import Contents
from runvitals.view.static_files import STATIC

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
    detail = contents.detail
    policy = (
        f"default-src 'none'; script-src '{_digest(page.script)}'; "
        f"style-src '{_digest(page.style)}'; style-src-attr 'unsafe-inline'; "
        "img-src data: blob:; media-src data:; base-uri 'none'; form-action 'none'"
    )
    head = _HEAD.format(
        version=escape(__version__),
        run=escape(detail.id),
        policy=policy,
        title=escape(f"{detail.name} · runvitals"),
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
