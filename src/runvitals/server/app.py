"""The dashboard's web server, put together."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, HTTPException, Request, Response

from runvitals import __version__
from runvitals.fleet.cache import RunCache
from runvitals.readers.settings_file import SettingsFile, settings_file
from runvitals.server.guard import Guard
from runvitals.server.pages import Pages
from runvitals.server.routes import compare, knowledge, notes, reference, run, runs
from runvitals.server.routes.described import described_by
from runvitals.server.scopes import TokenHolder
from runvitals.server.work.dashboard import Dashboard

if TYPE_CHECKING:
    from runvitals.server.otlp import Push


def create_app(
    roots: Sequence[Path],
    token: str | None = None,
    *,
    hosts: Sequence[str] = (),
    cache: RunCache | None = None,
    workers: int | None = None,
    settings: SettingsFile | None = None,
    metrics: bool = False,
    otlp: str | None = None,
    readers: Sequence[TokenHolder] = (),
    write: bool = False,
) -> FastAPI:
    """The app that shows the runs below some folders.

    - `token`: what a request has to bring; None lets everybody in who can reach it.
    - `hosts`: names besides localhost that a browser may call it by; `*` for any.
    - `cache`: where verdicts outlive the server; by default nowhere.
    - `workers`: processes that judge; 0 judges in a thread of this process.
    - `settings`: by which runs are judged; by default those of the working folder.
    - `metrics`: answer `/metrics` for Prometheus; needs the extra `prometheus`.
    - `otlp`: an OpenTelemetry collector to send the same to; needs the extra `otlp`.
    - `readers`: tokens that open some projects only.
    - `write`: let pages keep notes and views in a file beside the runs.
    """
    file = settings or settings_file()
    dashboard = Dashboard(roots, cache or RunCache(None), workers, settings=file)
    return app_over(
        dashboard, token, hosts=hosts, metrics=metrics, otlp=otlp, readers=readers, write=write
    )


def app_over(
    dashboard: Dashboard,
    token: str | None = None,
    *,
    hosts: Sequence[str] = (),
    metrics: bool = False,
    otlp: str | None = None,
    readers: Sequence[TokenHolder] = (),
    write: bool = False,
) -> FastAPI:
    """The app over a dashboard that is made already, and begun or not."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:  # noqa: ARG001
        dashboard.start()
        push = None if otlp is None else _push(dashboard, otlp)
        yield
        if push is not None:
            await asyncio.to_thread(push.stop)
        dashboard.stop()

    app = FastAPI(
        title="runvitals",
        version=__version__,
        description="Training runs, judged.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.state.dashboard = dashboard
    word = secrets.token_urlsafe(24) if write else None
    app.add_middleware(Guard, token=token, hosts=hosts, readers=readers, write_token=word)
    for router in (
        runs.router,
        runs.columns_router,
        run.router,
        compare.router,
        compare.sweep_router,
        knowledge.router,
        runs.events_router,
    ):
        app.include_router(router(dashboard))
    app.include_router(notes.router(dashboard, word))
    app.openapi = partial(described_by, app)  # type: ignore[method-assign]
    app.include_router(reference.router(app.openapi))
    if metrics:
        from runvitals.server.routes import prometheus

        app.include_router(prometheus.router(dashboard))
    pages = Pages()

    @app.get("/{path:path}", include_in_schema=False)
    def page(request: Request, path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404, "no such endpoint")
        return pages.answer(request, path)

    return app


def _push(dashboard: Dashboard, otlp: str) -> Push:
    from runvitals.server.otlp import Push

    return Push(otlp, dashboard.gauges)
