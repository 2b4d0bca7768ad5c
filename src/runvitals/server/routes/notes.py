"""Notes about runs and saved views; they can be changed where the server was started with `--write`."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from runvitals.server.answers import answer
from runvitals.server.routes.described import NOT_FOUND
from runvitals.server.routes.run import RunId
from runvitals.server.scopes import sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.view.schemas.run import RunNotes, SharedViews, Writing

Project = Annotated[str, Query(max_length=500, description="The project.")]


def router(dashboard: Dashboard, write_token: str | None) -> APIRouter:
    """What people noted; `write_token` is what a change has to bring, None if nothing can change."""
    made = APIRouter(prefix="/api", tags=["notes"], responses=NOT_FOUND)
    sidecar = dashboard.sidecar
    writable = write_token is not None

    @made.get("/write", response_model=Writing)
    def writing(request: Request) -> Response:
        """Whether notes can be changed here."""
        return answer(request, Writing(writable=writable, token=write_token))

    @made.get("/runs/{id}/notes", response_model=RunNotes)
    def notes(request: Request, id: RunId) -> Response:
        """What people noted about a run."""
        with dashboard.open_run(id) as opened:
            return answer(request, sidecar.notes(opened.place, opened.index))

    @made.get("/views", response_model=SharedViews)
    def views(request: Request, project: Project = "") -> Response:
        """Saved ways to look at the runs of a project."""
        found = sidecar.views(project) if sees_everything() else []
        return answer(request, SharedViews(views=found, writable=writable and sees_everything()))

    if not writable:
        return made

    @made.put("/runs/{id}/notes", response_model=RunNotes)
    def change_notes(request: Request, id: RunId, told: RunNotes) -> Response:
        """Change what is noted about a run."""
        with dashboard.open_run(id) as opened:
            _kept(lambda: sidecar.note(opened.place, opened.index, told))
        dashboard.annotated(id)
        return answer(request, told)

    @made.put("/views", response_model=SharedViews)
    def change_views(request: Request, told: SharedViews, project: Project = "") -> Response:
        """Change the saved views of a project."""
        if not sees_everything():
            raise HTTPException(403, "only a reader of all projects may change views")
        _kept(lambda: sidecar.keep_views(project, told.views))
        return answer(request, told)

    return made


def _kept(write: Callable[[], None]) -> None:
    try:
        write()
    except OSError as error:
        raise HTTPException(507, f"notes cannot be written: {error.strerror}") from error
