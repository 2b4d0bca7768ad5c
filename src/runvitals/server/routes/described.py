"""The OpenAPI document, of which `web/` makes its types, and how it describes bytes and streams."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from runvitals.model.row import TYPES
from runvitals.server.answers import BINARY
from runvitals.view.schemas.judgement import SeriesAnswer
from runvitals.view.schemas.knowledge import LiveEvent, Problem

Responses = dict[int | str, dict[str, Any]]

STREAM = "text/event-stream"
NOT_FOUND: Responses = {404: {"model": Problem, "description": "Nothing of this name is known."}}
SERIES: Responses = {
    200: {
        "description": "`RVS1`, a uint32 length, a SeriesAnswer as JSON, then its arrays.",
        "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}},
    }
}
_FILE = {
    "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in TYPES.values()}
}
MEDIA: Responses = {
    200: {"description": "The file.", **_FILE},
    206: {"description": "A part of it.", **_FILE},
    416: {"description": "It has no such part."},
}
EVENTS: Responses = {
    200: {"description": "LiveEvents as JSON.", "model": LiveEvent, "content": {STREAM: {}}},
    503: {"model": Problem, "description": "Too many pages listen already."},
}


def described_by(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the header of binary answers among its schemas."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        header = SeriesAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        schemas |= header.pop("$defs", {}) | {SeriesAnswer.__name__: header}
        app.openapi_schema = made
    return app.openapi_schema
