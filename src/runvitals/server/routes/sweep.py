"""`/api/sweep`: which settings of many runs decide how they end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from runvitals.server.answers import answer
from runvitals.server.routes.compare import MAX_RUNS
from runvitals.server.routes.described import NOT_FOUND
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.compare.sweep import KeptRun, sweep_answer, sweep_importance, swept
from runvitals.view.schemas import SweepAnswer, SweepImportance

MAX_ANSWERS = 8  # kept of what takes seconds
Project = Annotated[str, Query(description="All runs of this project.", examples=["lunar-ppo"])]
Runs = Annotated[
    list[str], Query(max_length=MAX_RUNS, description="Or these runs of it, by their ids.")
]
Outcome = Annotated[
    str, Query(description="A metric to compare by; what most of the runs share by default.")
]


def router(dashboard: Dashboard) -> APIRouter:
    """Sweeps."""
    made = APIRouter(prefix="/api/sweep", tags=["compare"], responses=NOT_FOUND)
    known: dict[object, SweepImportance] = {}

    def kept(project: str, wanted: list[str]) -> list[KeptRun]:
        ids = set(wanted)
        found = []
        for row in dashboard.library.rows():
            if (row.id in ids if ids else row.project == project) and dashboard.may_read(row.id):
                run = dashboard.known_run(row.id)
                if run.written is not None:  # judged
                    found.append(KeptRun(run.row, run.kept_figures, run.brief))
        if not found:
            raise HTTPException(404, "no such project, or none of its runs was judged yet")
        return found

    @made.get("", response_model=SweepAnswer)
    def sweep(
        request: Request,
        project: Project = "",
        run: Runs = [],  # noqa: B006
        outcome: Outcome = "",
    ) -> Response:
        """Settings that differ, where each run ended, and the regions in which runs fail."""
        runs = kept(project, run)
        return answer(request, sweep_answer(project, swept(runs, outcome), runs))

    @made.get("/importance", response_model=SweepImportance)
    def importance(
        request: Request,
        project: Project = "",
        run: Runs = [],  # noqa: B006
        outcome: Outcome = "",
    ) -> Response:
        """How much each setting matters; needs the extra `sweep`, and takes seconds."""
        runs = kept(project, run)
        judged = tuple((one.row.id, one.row.points) for one in runs)
        question = (judged, outcome)
        if question not in known:
            known[question] = sweep_importance(swept(runs, outcome))
            while len(known) > MAX_ANSWERS:
                known.pop(next(iter(known)))
        return answer(request, known[question])

    return made
