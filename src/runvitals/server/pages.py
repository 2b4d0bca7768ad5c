"""The built single-page app. Only files that were there at the start are served."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from runvitals.server.sending import ASK_AGAIN, Encoding, accepted, encoded, packed, unchanged
from runvitals.view import STATIC

FOREVER = "public, max-age=31536000, immutable"
NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>runvitals</title></head><body>
<h1>The dashboard is not built</h1>
<p>This is a checkout of the source. Build the pages once with Node 20 or newer:</p>
<pre>cd web
npm ci
npm run build</pre>
<p>A wheel (<code>pip install runvitals</code>) brings them along.
The data is there already: <a href="/api/runs">/api/runs</a>,
<a href="/api/docs">/api/docs</a>.</p>
</body></html>
"""


KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
}
DENSE = frozenset({".png", ".woff2"})  # compressed by nature
ENDINGS: dict[Encoding, str] = {"br": ".br", "gzip": ".gz"}  # the build leaves these beside


class Pages:
    """The files of the app by their path in the URL."""

    def __init__(self, folder: Path = STATIC) -> None:
        found = {
            file.relative_to(folder).as_posix(): file
            for file in sorted(folder.rglob("*"))
            if file.is_file() and not file.is_symlink()
        }
        self._files = {name: file for name, file in found.items() if file.suffix in KINDS}
        self._smaller = {
            (name, encoding): found[name + ending]
            for name in self._files
            for encoding, ending in ENDINGS.items()
            if name + ending in found
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as an app of its own."""
        answer = self.answer(Request(scope), scope["path"].lstrip("/"))
        await answer(scope, receive, send)

    def answer(self, request: Request, path: str) -> Response:
        """A file, or for any other path the app itself, which knows what to show there."""
        name = path if path in self._files else "index.html"
        file = self._files.get(name)
        if file is None:
            return packed(request, NOT_BUILT.encode(), KINDS[".html"])
        if path != name and "." in path.rpartition("/")[2]:
            return Response("no such file", status_code=404, media_type="text/plain")
        status = file.stat()
        tag = f'W/"{status.st_mtime_ns:x}-{status.st_size:x}"'
        lasting = name.startswith("assets/")  # their names change with their content
        if (known := unchanged(request, tag)) is not None:
            return known
        return self._sent(request, name, tag, FOREVER if lasting else ASK_AGAIN)

    def _sent(self, request: Request, name: str, tag: str, keep: str) -> Response:
        file = self._files[name]
        kind = KINDS[file.suffix]
        if file.suffix in DENSE:
            return encoded(file.read_bytes(), kind, tag, keep)
        encoding = accepted(request.headers.get("accept-encoding", ""))
        ready = None if encoding is None else self._smaller.get((name, encoding))
        if ready is None:
            return packed(request, file.read_bytes(), kind, tag, keep)
        return encoded(ready.read_bytes(), kind, tag, keep, encoding)
