"""How answers other than plain JSON are described in the OpenAPI page."""

from __future__ import annotations

from typing import Any

from runvitals.model.row import TYPES
from runvitals.view.schemas.knowledge import LiveEvent, Problem

Responses = dict[int | str, dict[str, Any]]

BINARY = "application/octet-stream"
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
