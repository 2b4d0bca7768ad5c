"""`/api/runs/{id}`: one run, and runs like it."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response
from pydantic import Field

from runvitals.model import Media
from runvitals.model.row import FOLDER, is_media_file
from runvitals.server.answers import MAX_BUCKETS, MAX_NAMES, FirstAnswers, answer, axis_of
from runvitals.server.routes.described import MEDIA, NOT_FOUND, SERIES
from runvitals.server.sending import ranged
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.compare.siblings import siblings_among
from runvitals.view.events.heatmap import heatmap_of
from runvitals.view.events.samples import SampleQuery
from runvitals.view.events.shelf import media_item
from runvitals.view.families import families
from runvitals.view.json_safe import meant
from runvitals.view.points.axis_series import milestones
from runvitals.view.points.wire import DrawnRange
from runvitals.view.run.console import console_of
from runvitals.view.run.timeline import events_of
from runvitals.view.schemas.comparison import RunSiblings
from runvitals.view.schemas.run import (
    Console,
    Heatmap,
    Milestones,
    RunDetail,
    RunEvents,
    RunMedia,
    Samples,
)

RunId = Annotated[
    str,
    Path(
        pattern="^[0-9a-f]{12}$",
        description="The id of a run in the list.",
        examples=["3f2a9c0b7d1e"],
    ),
]
Start = Annotated[
    float | None, Query(alias="from", allow_inf_nan=False, description="The lowest x.")
]
End = Annotated[float | None, Query(alias="to", allow_inf_nan=False, description="The highest x.")]
Step = Annotated[int, Field(ge=-(2**63), lt=2**63)]
SampleId = Annotated[str, Field(pattern=r"^-?\d{1,18}-[0-9a-f]{8}$")]
MAX_IDS = 64


def router(dashboard: Dashboard) -> APIRouter:
    """What one run's page needs."""
    made = APIRouter(prefix="/api/runs", tags=["run"], responses=NOT_FOUND)
    for add in (_add_numbers, _add_histograms, _add_samples, _add_files, _add_events):
        add(made, dashboard)
    return made


def _add_numbers(made: APIRouter, dashboard: Dashboard) -> None:
    first = FirstAnswers(dashboard)

    @made.get("/{id}", response_model=RunDetail)
    def run(request: Request, id: RunId) -> Response:
        """All of a run but its points."""
        return first.run(request, id)

    @made.get("/{id}/series", response_class=Response, responses=SERIES)
    def series(
        request: Request,
        id: RunId,
        name: Annotated[
            list[str],
            Query(
                max_length=MAX_NAMES,
                description="Keys of series, as the run's charts have them.",
                examples=[["outcome/return_mean", "policy/entropy"]],
            ),
        ],
        x: Annotated[str, Query(description="step, time, relative, or one of `x_axes`.")] = "step",
        start: Start = None,
        end: End = None,
        buckets: Annotated[int, Query(ge=1, le=MAX_BUCKETS, description="Upper limit.")] = 600,
    ) -> Response:
        """Some series in binary (see SeriesAnswer), as points or as lowest and highest per bucket."""
        return first.series(request, id, name, DrawnRange(x, start, end, buckets))

    @made.get("/{id}/milestones", response_model=Milestones)
    def places(
        request: Request,
        id: RunId,
        x: Annotated[str, Query(description="time, relative, or one of `x_axes`.")] = "time",
    ) -> Response:
        """Where steps lie on another axis, to place there what is known by its step."""
        with dashboard.open_run(id) as opened:
            steps, at = milestones(opened.run, axis_of(opened.run, x))
        return answer(request, Milestones(steps=steps, x=at))


def _add_histograms(made: APIRouter, dashboard: Dashboard) -> None:
    @made.get("/{id}/histograms", response_model=Heatmap)
    def histograms(
        request: Request,
        id: RunId,
        name: Annotated[
            str, Query(description="A name, or a family.", examples=["Actions/replica_*"])
        ],
    ) -> Response:
        """A histogram over time; a family of them as one."""
        with dashboard.open_run(id) as opened:
            names = opened.events.histogram_steps()
            wanted = meant(name, [*names, *families(names)])
            found = opened.events.histograms(wanted)
        if not found:
            raise HTTPException(404, f"this run has no histogram {name!r}")
        return answer(request, heatmap_of(wanted, found))


def _add_samples(made: APIRouter, dashboard: Dashboard) -> None:
    @made.get("/{id}/samples", response_model=Samples)
    def samples(
        request: Request,
        id: RunId,
        sort: Annotated[
            str | None,
            Query(description="A field; `-reward`: highest first.", examples=["-reward"]),
        ] = None,
        limit: Annotated[int, Query(ge=1, le=1000, description="Upper limit.")] = 50,
        offset: Annotated[int, Query(ge=0, le=2**53, description="How many to skip.")] = 0,
        step: Annotated[Step | None, Query(description="Only of this step.")] = None,
        from_step: Annotated[Step | None, Query(description="Only of this step or later.")] = None,
        to_step: Annotated[Step | None, Query(description="Only of this step or earlier.")] = None,
        search: Annotated[str | None, Query(description="A text in any of the fields.")] = None,
        number: Annotated[str, Query(description="The field that has the range.")] = "reward",
        low: Annotated[float | None, Query(allow_inf_nan=False, description="At least.")] = None,
        high: Annotated[float | None, Query(allow_inf_nan=False, description="At most.")] = None,
        sample: Annotated[
            list[SampleId],
            Query(max_length=MAX_IDS, description="Ids that come along in any case."),
        ] = [],  # noqa: B006
    ) -> Response:
        """A page of logged samples, by default in the order of steps."""
        wish = SampleQuery(
            sort, limit, offset, step, from_step, to_step, search, number, low, high, tuple(sample)
        )
        with dashboard.open_run(id) as opened:
            page = opened.events.samples().page(wish)
        return answer(request, page)


def _add_files(made: APIRouter, dashboard: Dashboard) -> None:
    @made.get("/{id}/media", response_model=RunMedia)
    def media(request: Request, id: RunId) -> Response:
        """Logged images, sounds, videos and tables."""
        with dashboard.open_run(id) as opened:
            items = [media_item(item) for item in opened.events.media()]
        return answer(request, RunMedia(items=items))

    @made.get("/{id}/media/{file}", response_class=Response, responses=MEDIA)
    def media_file(
        request: Request,
        id: RunId,
        file: Annotated[
            str,
            Path(
                pattern=r"^[0-9a-f]{20}\.[a-z0-9]{3,4}$",
                description="Its name.",
                examples=["76b9a065d45409413fb0.png"],
            ),
        ],
    ) -> Response:
        """One of these files, or the part of it that the header `Range` asks for."""
        with dashboard.open_run(id) as opened:
            found = opened.place.path / FOLDER / file if opened.place.is_ours else None
        if found is None or not is_media_file(file):
            raise HTTPException(404, f"this run has no file {file!r}")
        item = Media("", 0, 0.0, file, source=found)
        try:
            data = item.read()
        except (OSError, ValueError) as error:
            raise HTTPException(404, f"{file} cannot be read: {error}") from error
        return ranged(request, data, item.type)

    @made.get("/{id}/console", response_model=Console)
    def console(
        request: Request,
        id: RunId,
        tail: Annotated[int, Query(ge=1, le=20_000, description="How many lines.")] = 500,
    ) -> Response:
        """The last lines that the run printed."""
        with dashboard.open_run(id) as opened:
            found = console_of(opened.place, tail)
        return answer(request, found)


def _add_events(made: APIRouter, dashboard: Dashboard) -> None:
    @made.get("/{id}/events", response_model=RunEvents)
    def events(request: Request, id: RunId) -> Response:
        """Its starts and its end, findings, changes of the learning rate, checkpoints and texts."""
        with dashboard.open_run(id) as opened:
            found = events_of(opened, dashboard.judgement(id).findings)
        return answer(request, found)

    @made.get("/{id}/siblings", response_model=RunSiblings)
    def siblings(request: Request, id: RunId) -> Response:
        """Seeds of the same settings, or else runs that differ in one of them."""
        rows = {row.id: row for row in dashboard.library.rows() if dashboard.may_read(row.id)}
        if id not in rows:
            raise HTTPException(404, "no such run")
        return answer(request, siblings_among(id, rows))
