"""`/api/runs/{id}/siblings`: runs like one run."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from runvitals.server.answers import answer
from runvitals.server.routes.described import NOT_FOUND
from runvitals.server.routes.run import RunId
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.compare.siblings import siblings_among
from runvitals.view.schemas import RunSiblings


def router(dashboard: Dashboard) -> APIRouter:
    """What a run can be held against."""
    made = APIRouter(prefix="/api/runs", tags=["run"], responses=NOT_FOUND)

    @made.get("/{id}/siblings", response_model=RunSiblings)
    def siblings(request: Request, id: RunId) -> Response:
        """Seeds of the same settings, or else runs that differ in one of them."""
        rows = {row.id: row for row in dashboard.library.rows() if dashboard.may_read(row.id)}
        if id not in rows:
            raise HTTPException(404, "no such run")
        return answer(request, siblings_among(id, rows))

    return made
