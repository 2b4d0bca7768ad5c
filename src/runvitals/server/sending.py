"""Bodies with an ETag, so that a page that has them already is only told so; compressed if long.

The tags are weak: the same content may come in several encodings, and a run grows older meanwhile.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from typing import Literal

import brotli
from starlette.requests import Request
from starlette.responses import Response

ASK_AGAIN = "no-cache"


def tag_of(*parts: object) -> str:
    """What changes with any of the parts."""
    return f'W/"{hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()}"'


def unchanged(request: Request, tag: str) -> Response | None:
    """304 if the page has the content with this tag, else None."""
    known = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
    if "*" not in known and tag.removeprefix("W/") not in (one.removeprefix("W/") for one in known):
        return None
    return Response(status_code=304, headers=_headers(tag, ASK_AGAIN))


def packed(
    request: Request, body: bytes, kind: str, tag: str | None = None, keep: str = ASK_AGAIN
) -> Response:
    """The body, compressed if that is worth it; `keep` says how long a browser may."""
    encoding = accepted(request.headers.get("accept-encoding", ""))
    if encoding is None or len(body) < SMALL:
        return encoded(body, kind, tag, keep)
    return encoded(compressed(body, encoding), kind, tag, keep, encoding)


def encoded(
    body: bytes, kind: str, tag: str | None, keep: str, encoding: Encoding | None = None
) -> Response:
    """A body that is in this encoding already."""
    headers = _headers(tag, keep)
    if encoding is not None:
        headers["Content-Encoding"] = encoding
    return Response(body, media_type=kind, headers=headers)


def ranged(request: Request, data: bytes, kind: str) -> Response:
    """A file that never changes, or the part of it that is asked for: players seek by parts."""
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=31536000, immutable"}
    asked = re.fullmatch(r"bytes=(\d{1,12})-(\d{0,12})", request.headers.get("range", ""))
    if asked is None:
        return Response(data, media_type=kind, headers=headers)
    start, stop = int(asked[1]), min(int(asked[2] or len(data) - 1) + 1, len(data))
    if start >= stop:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{len(data)}"})
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{len(data)}"
    return Response(data[start:stop], status_code=206, media_type=kind, headers=headers)


def _headers(tag: str | None, keep: str) -> dict[str, str]:
    headers = {"Cache-Control": keep, "Vary": "Accept-Encoding"}
    return headers if tag is None else {"ETag": tag, **headers}


Encoding = Literal["br", "gzip"]
SMALL = 1_000  # bytes that are not worth the work
BROTLI = 4  # as quick as gzip's 3, and a quarter smaller
GZIP = 3


def accepted(header: str) -> Encoding | None:
    """The best encoding that an Accept-Encoding header allows.

    >>> accepted("gzip, deflate, br"), accepted("gzip;q=0.5, br;q=0"), accepted("identity")
    ('br', 'gzip', None)
    """
    weights = dict(_weight(part) for part in header.lower().split(","))
    anything = weights.get("*", 0.0)
    for encoding in ("br", "gzip"):
        if weights.get(encoding, anything) > 0:
            return encoding
    return None


def _weight(part: str) -> tuple[str, float]:
    name, _, rest = part.partition(";")
    key, _, value = rest.partition("=")
    if key.strip() != "q":
        return name.strip(), 1.0
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), 0.0


def compressed(body: bytes, encoding: Encoding) -> bytes:
    """The body in this encoding."""
    if encoding == "br":
        return bytes(brotli.compress(body, quality=BROTLI))
    return gzip.compress(body, GZIP, mtime=0)
