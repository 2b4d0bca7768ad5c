"""`/api/compare`: runs side by side, groups of seeds as curves. `/api/sweep`: which settings decide."""

from threading import Lock
from typing import Annotated

import numpy as np
from fastapi import APIRouter, HTTPException, Query, Request, Response

from runvitals.server.answers import answer
from runvitals.server.routes.described import NOT_FOUND
from runvitals.server.routes.run import End, Start
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.compare.group_curves import Center, group_curves
from runvitals.view.compare.side_by_side import (
    MAX_METRICS,
    compare,
    label_of,
    member_from_list,
    member_of,
)
from runvitals.view.compare.sweep import sweep_answer, sweep_importance, swept
from runvitals.view.json_safe import meant, scalars
from runvitals.view.points.axis_series import AXES, AxisSeries, counters, split_key
from runvitals.view.run.kept import KeptRun
from runvitals.view.schemas.comparison import (
    ComparisonPage,
    GroupCurves,
    SweepAnswer,
    SweepImportance,
)

MAX_RUNS = 1_000
MAX_READ = 64  # runs that are read to be compared; of more, what the list knows is shown
RunIds = Annotated[
    list[str],
    Query(
        min_length=1,
        max_length=MAX_RUNS,
        description="Ids of runs.",
        examples=[["3f2a9c0b7d1e", "a41c07e9d2b6"]],
    ),
]
GroupBy = Annotated[
    list[str],
    Query(
        max_length=10,
        description="Settings; runs that are alike in all of them are one group. `*` is all runs.",
        examples=[["learning_rate"]],
    ),
]
Metrics = Annotated[
    list[str],
    Query(max_length=MAX_METRICS, description="Which metrics or names to compare; all by default."),
]

MAX_ANSWERS = 8  # kept of what takes seconds
Project = Annotated[str, Query(description="All runs of this project.", examples=["lunar-ppo"])]
Runs = Annotated[
    list[str], Query(max_length=MAX_RUNS, description="Or these runs of it, by their ids.")
]
Outcome = Annotated[
    str, Query(description="A metric to compare by; what most of the runs share by default.")
]


def router(dashboard: Dashboard) -> APIRouter:
    """Comparisons."""
    made = APIRouter(prefix="/api", tags=["compare"], responses=NOT_FOUND)

    @made.get("/compare", response_model=ComparisonPage)
    def side_by_side(
        request: Request,
        run: RunIds,
        group_by: GroupBy = [],  # noqa: B006
        metric: Metrics = [],  # noqa: B006
    ) -> Response:
        """Settings that differ, final values, findings. Ask again when one of the runs has news."""
        ids = list(dict.fromkeys(run))
        members = []
        for id in ids:
            known = dashboard.known_run(id)
            if len(ids) > MAX_READ and known.said is not None:
                members.append(member_from_list(known, metric))
                continue
            with dashboard.open_run(id) as opened:
                members.append(member_of(opened, known, metric))
        return answer(request, compare(members, group_by))

    _add_curves(made, dashboard)
    return made


def _add_curves(made: APIRouter, dashboard: Dashboard) -> None:
    @made.get("/compare/series", response_model=GroupCurves)
    def curves(
        request: Request,
        run: RunIds,
        metric: Annotated[
            str, Query(description="A metric or a name.", examples=["outcome/return_mean"])
        ],
        group_by: GroupBy = [],  # noqa: B006
        x: Annotated[str, Query(description="step, time, relative, or a counter.")] = "step",
        points: Annotated[int, Query(ge=2, le=2_000, description="Of each curve.")] = 200,
        center: Annotated[Center, Query(description="What the curve is.")] = "mean",
        start: Start = None,
        end: End = None,
    ) -> Response:
        """Each group as one curve with a band; runs without the metric are left out."""
        ids = list(dict.fromkeys(run))
        groups: dict[str, list[tuple[str, AxisSeries]]] = {}
        for id in ids:
            known = dashboard.known_run(id)
            kept = None
            if len(ids) > MAX_READ and x == "step" and known.said is not None:
                figures = known.figures
                if figures.lacks(metric):
                    continue
                kept = figures.curve(metric)
            if kept is not None:
                label = label_of(known.row.config, group_by, known.row.name)
                series = AxisSeries(*kept, np.empty(0, np.int64), None)
                groups.setdefault(label, []).append((id, series))
                continue
            with dashboard.open_run(id) as opened:
                mine = opened.run
                found = split_key(mine, metric)
                axes = [*AXES, *counters(mine)]
                if found is None or (axis := meant(x, axes)) not in axes:
                    continue
                config = scalars(mine.settings) | scalars(mine.config)
                label = label_of(config, group_by, mine.name or mine.id)
                groups.setdefault(label, []).append((id, opened.axis_series.get(*found, axis)))
        if not groups:
            raise HTTPException(404, f"none of these runs has {metric!r} over {x!r}")
        told = group_curves(metric, groups, points=points, center=center, stretch=(start, end))
        return answer(request, told)


def sweep_router(dashboard: Dashboard) -> APIRouter:
    """Sweeps."""
    made = APIRouter(prefix="/api", tags=["compare"], responses=NOT_FOUND)
    known: dict[object, SweepImportance] = {}
    one_at_a_time = Lock()  # the same question is often asked again before it is answered

    def kept(project: str, wanted: list[str]) -> list[KeptRun]:
        ids = set(wanted)
        found = []
        for row in dashboard.library.rows():
            if (row.id in ids if ids else row.project == project) and dashboard.may_read(row.id):
                run = dashboard.known_run(row.id)
                if run.said is not None:
                    found.append(run)
        if not found:
            raise HTTPException(404, "no such project, or none of its runs was judged yet")
        return found

    @made.get("/sweep", response_model=SweepAnswer)
    def sweep(
        request: Request,
        project: Project = "",
        run: Runs = [],  # noqa: B006
        outcome: Outcome = "",
    ) -> Response:
        """Settings that differ, where each run ended, and the regions in which runs fail."""
        runs = kept(project, run)
        return answer(request, sweep_answer(project, swept(runs, outcome), runs))

    @made.get("/sweep/importance", response_model=SweepImportance)
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
        with one_at_a_time:
            if question not in known:
                known[question] = sweep_importance(swept(runs, outcome))
                while len(known) > MAX_ANSWERS:
                    known.pop(next(iter(known)))
            found = known[question]
        return answer(request, found)

    return made
