"""`/api/runs/columns`, `/api/runs/metrics`: any metric as a column of the list."""

from __future__ import annotations

from typing import Annotated
from zlib import crc32

from fastapi import APIRouter, Query, Request, Response

from runvitals.server.answers import JSON, answer, packed, unchanged
from runvitals.server.routes.runs import Since, number_of
from runvitals.server.scopes import scope, sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.store.files import dumps
from runvitals.view.run.columns import columns_of, metrics_of
from runvitals.view.run.figures import FiguresOfRun
from runvitals.view.schemas import ListedMetrics, RunColumns

MAX_COLUMNS = 30
Asked = Annotated[
    list[str],
    Query(
        max_length=MAX_COLUMNS,
        description="Metrics, or the names that they were logged under.",
        examples=[["outcome/return_mean", "policy/entropy"]],
    ),
]


def router(dashboard: Dashboard) -> APIRouter:
    """Metrics as columns of the list."""
    made = APIRouter(prefix="/api/runs", tags=["runs"])
    library = dashboard.library

    def figures(since: int | None) -> dict[str, FiguresOfRun]:
        rows = library.rows() if since is None else library.news(since)[0]
        known = {row.id: library.known_run(row.id) for row in rows if dashboard.may_read(row.id)}
        return {id: one.figures for id, one in known.items() if one is not None}

    @made.get("/columns", response_model=RunColumns)
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

    @made.get("/metrics", response_model=ListedMetrics)
    def metrics(request: Request) -> Response:
        """All metrics that there can be columns of."""
        return answer(request, metrics_of(figures(None)))

    return made
