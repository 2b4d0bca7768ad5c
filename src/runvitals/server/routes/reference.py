"""`/api/docs`: this API, to read; `/api/openapi.json`: the same for machines."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from runvitals.server.answers import JSON
from runvitals.server.reference import anchor_of, reference
from runvitals.server.sending import packed, tag_of, unchanged
from runvitals.store.files import dumps

STYLE = """:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
h2 { margin-top: 3rem; } h3 { margin-top: 2.2rem; font-family: ui-monospace, monospace; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { padding: 0.7rem 1rem; overflow-x: auto; background: rgb(128 128 128 / 14%); border-radius: 6px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0;
  border-bottom: 1px solid rgb(128 128 128 / 30%); }
td code { overflow-wrap: anywhere; }
a { color: light-dark(#0b6b62, #5fd0c3); }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>The dashboard's API · runvitals</title><link rel="icon" href="../icon.svg">
<link rel="stylesheet" href="docs.css"></head>
<body><p><a href="../">The dashboard</a></p>
{body}</body></html>
"""
_HEADING = re.compile(r"<(h[23])>(.*?)</h[23]>")


def router(document: Callable[[], dict[str, Any]]) -> APIRouter:
    """The page and the document, made when they are first asked for."""
    made = APIRouter(prefix="/api", include_in_schema=False)

    @cache
    def page() -> bytes:
        from markdown_it import MarkdownIt  # slow to import

        markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        body = markdown.render(reference(document()))
        return PAGE.format(body=_HEADING.sub(_with_anchor, body)).encode()

    @cache
    def openapi() -> bytes:
        return dumps(document())

    def sent(request: Request, body: bytes, kind: str) -> Response:
        tag = tag_of(body)
        return unchanged(request, tag) or packed(request, body, kind, tag)

    @made.get("/docs")
    def docs(request: Request) -> Response:
        return sent(request, page(), "text/html")

    @made.get("/docs.css")
    def style(request: Request) -> Response:
        return sent(request, STYLE.encode(), "text/css")

    @made.get("/openapi.json")
    def described(request: Request) -> Response:
        return sent(request, openapi(), JSON)

    return made


def _with_anchor(found: re.Match[str]) -> str:
    """A heading that the overview can lead to."""
    level, text = found.groups()
    return f'<{level} id="{anchor_of(text)}">{text}</{level}>'
