"""The built single-page app. Only files that were there at the start are served."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import Request, Response
from fastapi.responses import HTMLResponse

from runvitals.server.answers import tagged, unchanged

STATIC = Path(__file__).parent / "static"
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
<a href="/api/openapi.json">/api/openapi.json</a>.</p>
</body></html>
"""


class Pages:
    """The files of the app by their path in the URL."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._files = {
            file.relative_to(folder).as_posix(): file
            for file in sorted(folder.rglob("*"))
            if file.is_file() and not file.is_symlink()
        }

    def answer(self, request: Request, path: str) -> Response:
        """A file, or for any other path the app itself, which knows what to show there."""
        name = path if path in self._files else "index.html"
        file = self._files.get(name)
        if file is None:
            return HTMLResponse(NOT_BUILT, headers={"Cache-Control": "no-cache"})
        if path != name and "." in path.rpartition("/")[2]:
            return Response("no such file", status_code=404, media_type="text/plain")
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        if name.startswith("assets/"):  # their names change with their content
            return Response(file.read_bytes(), media_type=kind, headers={"Cache-Control": FOREVER})
        status = file.stat()
        tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
        return unchanged(request, tag) or tagged(Response(file.read_bytes(), media_type=kind), tag)
