"""JSON answers with an ETag that stays the same while only the age of a run changes."""

from fastapi import Request, Response
from pydantic import BaseModel

from runvitals.server.sending import ASK_AGAIN, encoded, packed, tag_of, unchanged
from runvitals.store.files import dumps

__all__ = ["AGE", "ASK_AGAIN", "JSON", "answer", "encoded", "packed", "tag_of", "unchanged"]

JSON = "application/json"
AGE = "age_seconds"


def answer(request: Request, content: BaseModel) -> Response:
    """The content as JSON; 304 if the page has it. That a run grows older is not a change."""
    fields = content.model_dump()
    age = fields.pop(AGE, None)
    body = dumps(fields)
    tag = tag_of(body)
    if (known := unchanged(request, tag)) is not None:
        return known
    if age is not None:
        body = dumps({**fields, AGE: age})
    return packed(request, body, JSON, tag)
