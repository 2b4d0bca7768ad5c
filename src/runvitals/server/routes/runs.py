"""`/api/runs`: the list, any metric as one of its columns, and `/api/events`: what is new."""

import threading
import time
from typing import Annotated, Any
from zlib import crc32

import orjson
from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse

from runvitals.server.answers import AGE, JSON, answer, packed, unchanged
from runvitals.server.guard import ONLY_HEAD
from runvitals.server.routes.described import EVENTS, STREAM
from runvitals.server.scopes import scope, sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.server.work.library import group_keys
from runvitals.store.files import dumps
from runvitals.view.json_safe import readable
from runvitals.view.run.figures import FiguresOfRun, columns_of, metrics_of
from runvitals.view.schemas.run import ListedMetrics, RunColumns, RunList, RunRow

Since = Annotated[str, Query(max_length=64, description="The version of the list that is known.")]
Refresh = Annotated[bool, Query(description="Look for new runs now; the next answers have them.")]
FIRST_LOOK = 0.4  # seconds that a page waits before it says that there are no runs
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


class _Encoded:
    """Rows as JSON; only those that have changed are made anew."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[RunRow, bytes]] = {}
        self._lock = threading.Lock()

    def fragments(self, rows: list[RunRow], *, whole: bool) -> list[orjson.Fragment]:
        now = time.time()
        with self._lock:
            kept: dict[str, tuple[RunRow, bytes]] = {} if whole else dict(self._rows)
            for row in rows:
                known = self._rows.get(row.id)
                if known is None or known[0] is not row:
                    known = (row, dumps(row.model_dump(exclude={AGE})))
                kept[row.id] = known
            self._rows = kept
        return [orjson.Fragment(_with_age(row, kept[row.id][1], now)) for row in rows]


def number_of(since: str, began: str) -> int | None:
    """The version of the list that a page has; None if it is of another server, or of none."""
    server, _, number = since.rpartition("-")
    return int(number) if server == began and number.isdecimal() else None


def _with_age(row: RunRow, encoded: bytes, now: float) -> bytes:
    age = b"null" if row.started is None else b"%d" % max(0, now - row.started)
    return b'%s,"%s":%s}' % (encoded[:-1], AGE.encode(), age)


def router(dashboard: Dashboard) -> APIRouter:
    """The list of runs."""
    made = APIRouter(prefix="/api", tags=["runs"])
    library = dashboard.library
    encoded = _Encoded()

    @made.get("/runs", response_model=RunList)
    def runs(request: Request, since: Since = "", refresh: Refresh = False) -> Response:
        """All runs found so far, the newest first, or what has changed since a version of the list."""
        if refresh:
            dashboard.look_now()
        library.await_scan(FIRST_LOOK)
        began, version = f"{dashboard.started:.3f}", library.version
        everything = sees_everything()
        known_version = number_of(since, began) if everything else None
        tag = f'W/"{began}-{version}-{known_version}-{crc32(repr(scope()).encode()):08x}"'
        known = unchanged(request, tag)
        if known is not None:
            return known
        scanning, judging = library.scanning, library.unjudged  # asked first: rows only get newer
        rows, gone = (
            (list(library.rows()), []) if known_version is None else library.news(known_version)
        )
        rows = [dashboard.noted(row) for row in rows]
        if not everything:
            rows = [row for row in rows if dashboard.may_read(row.id)]
        content: dict[str, Any] = {
            "runs": encoded.fragments(rows, whole=everything and known_version is None),
            "version": f"{began}-{version}",
            "whole": known_version is None,
            "gone": gone,
            "scanning": scanning,
            "judging": judging,
            "group_keys": library.group_keys() if everything else group_keys(rows),
            "missing": [readable(root) for root in library.missing] if everything else [],
            "problems": [readable(problem) for problem in library.problems] if everything else [],
        }
        return packed(request, orjson.dumps(content), JSON, tag)

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
