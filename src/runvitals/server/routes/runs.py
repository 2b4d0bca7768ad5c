"""`/api/runs`: the list, any metric as one of its columns, and `/api/events`: what is new."""

from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse

from runvitals.server.answers import JSON, LONGEST, FirstAnswers, answer, number_of
from runvitals.server.guard import ONLY_HEAD
from runvitals.server.routes.described import EVENTS, STREAM
from runvitals.server.scopes import scope, sees_everything
from runvitals.server.sending import packed, unchanged
from runvitals.server.work.dashboard import Dashboard
from runvitals.store.files import dumps
from runvitals.view.run.figures import FiguresOfRun, columns_of, metrics_of
from runvitals.view.schemas.run import ListedMetrics, RunColumns, RunList

Since = Annotated[
    str, Query(max_length=LONGEST, description="The version of the list that is known.")
]
Refresh = Annotated[bool, Query(description="Look for new runs now; the next answers have them.")]
MAX_COLUMNS = 30
Asked = Annotated[
    list[str],
    Query(
        max_length=MAX_COLUMNS,
        description="Metrics, or the names that they were logged under.",
        examples=[["outcome/return_mean", "policy/entropy"]],
    ),
]
MAX_PAGES = 128
RETRY = {"Retry-After": "10"}


def router(dashboard: Dashboard) -> APIRouter:
    """The list of runs."""
    made = APIRouter(prefix="/api", tags=["runs"])
    first = FirstAnswers(dashboard)

    @made.get("/runs", response_model=RunList)
    def runs(request: Request, since: Since = "", refresh: Refresh = False) -> Response:
        """All runs found so far, the newest first, or what has changed since a version of the list."""
        if refresh:
            dashboard.look_now()
        return first.runs(request, since)

    return made


def columns_router(dashboard: Dashboard) -> APIRouter:
    """Metrics as columns of the list."""
    made = APIRouter(prefix="/api", tags=["runs"])
    library = dashboard.library

    def figures(since: int | None) -> dict[str, FiguresOfRun]:
        rows = library.rows() if since is None else library.news(since)[0]
        known = {row.id: library.known_run(row.id) for row in rows if dashboard.may_read(row.id)}
        return {id: one.figures for id, one in known.items() if one is not None}

    @made.get("/runs/columns", response_model=RunColumns)
    def columns(
        request: Request,
        metric: Asked = [],  # noqa: B006
        curve: Annotated[str, Query(description="A metric to draw as sparklines.")] = "",
        since: Since = "",
    ) -> Response:
        """Figures of some metrics, of all runs that were judged or of those that have changed."""
        began, version = f"{dashboard.started:.3f}", library.version
        known_version = number_of(since, began) if sees_everything() else None
        question = repr((scope(), metric, curve)).encode("utf-8", "replace")
        tag = f'W/"{began}-{version}-{known_version}-{crc32(question):08x}"'
        if (same := unchanged(request, tag)) is not None:
            return same
        told = columns_of(figures(known_version), metric, curve)
        told.version, told.whole = f"{began}-{version}", known_version is None
        return packed(request, dumps(told.model_dump()), JSON, tag)

    @made.get("/runs/metrics", response_model=ListedMetrics)
    def metrics(request: Request) -> Response:
        """All metrics that there can be columns of."""
        return answer(request, metrics_of(figures(None)))

    return made


def events_router(dashboard: Dashboard) -> APIRouter:
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
