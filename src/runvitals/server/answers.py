"""JSON answers with an ETag, so that a page that knows them already is only told so."""

from __future__ import annotations

import hashlib

from fastapi import Request, Response
from pydantic import BaseModel

from runvitals.store.files import dumps

JSON = "application/json"
AGE = "age_seconds"


def answer(request: Request, content: BaseModel) -> Response:
    """The content as JSON; 304 if the page has it. That a run grows older is no change."""
    fields = content.model_dump()
    age = fields.pop(AGE, None)
    body = dumps(fields)
    tag = tag_of(body)
    if age is not None:
        body = dumps({**fields, AGE: age})
    return unchanged(request, tag) or tagged(Response(body, media_type=JSON), tag)


def tag_of(*parts: object) -> str:
    """What changes with any of the parts."""
    return f'"{hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()}"'


def unchanged(request: Request, tag: str) -> Response | None:
    """304 if the page has the content with this tag, else None."""
    known = request.headers.get("if-none-match", "")
    if tag not in (one.strip().removeprefix("W/") for one in known.split(",")):
        return None
    return tagged(Response(status_code=304), tag)


def tagged(response: Response, tag: str) -> Response:
    """The response with its tag; pages ask again each time."""
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-cache"
    return response
