"""`/api/events`: what is new, as server-sent events."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from runvitals.server.guard import ONLY_HEAD
from runvitals.server.routes.described import EVENTS, STREAM
from runvitals.server.work.dashboard import Dashboard

MAX_PAGES = 128
RETRY = {"Retry-After": "10"}


def router(dashboard: Dashboard) -> APIRouter:
    """The stream that every open page listens to."""
    made = APIRouter(prefix="/api", tags=["events"])

    @made.get("/events", response_class=StreamingResponse, responses=EVENTS)
    async def events(request: Request) -> Response:
        """Each event is a LiveEvent as JSON; a comment every 15 seconds keeps the line open."""
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.scope.get(ONLY_HEAD):
            return Response(media_type=STREAM, headers=headers)
        if dashboard.hub.listeners >= MAX_PAGES:
            raise HTTPException(503, f"{MAX_PAGES} pages listen already", RETRY)
        return StreamingResponse(
            dashboard.hub.stream(dashboard.may_read), media_type=STREAM, headers=headers
        )

    return made
