"""`/api/events`: what is new, as server-sent events."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from runvitals.server.dashboard import Dashboard
from runvitals.server.routes.described import EVENTS, STREAM


def router(dashboard: Dashboard) -> APIRouter:
    """The stream that every open page listens to."""
    made = APIRouter(prefix="/api", tags=["events"])

    @made.get("/events", response_class=StreamingResponse, responses=EVENTS)
    async def events() -> Response:
        """Each event is a LiveEvent as JSON; a comment every 15 seconds keeps the line open."""
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(dashboard.hub.stream(), media_type=STREAM, headers=headers)

    return made
