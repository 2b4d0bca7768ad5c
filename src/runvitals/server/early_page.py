"""Answers with the page at once, while the rest of the server is still being put together.

A browser loads the page while NumPy, FastAPI, the readers and the catalog are imported; what it asks
for then waits until they are.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Receive, Scope, Send

from runvitals.server.guard import Guard
from runvitals.server.pages import Pages
from runvitals.server.scopes import TokenHolder

if TYPE_CHECKING:
    from fastapi import FastAPI

    from runvitals.readers.ahead import ReadAhead
    from runvitals.readers.settings_file import SettingsFile
    from runvitals.server.work.shelf import Bring

HEAD_START = 1.5  # seconds that the page has for itself before runs are judged


class EarlyPage:
    """An app that stands in for another one until that is made, in a thread."""

    def __init__(
        self,
        make: Callable[[], FastAPI],
        token: str | None = None,
        hosts: Sequence[str] = (),
        readers: Sequence[TokenHolder] = (),
    ) -> None:
        self._make = make
        self._front: ASGIApp = Guard(Pages(), token, hosts, readers)
        self._app: FastAPI | None = None
        self._coming: asyncio.Future[FastAPI]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request now if that can be done, else as soon as it can."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is None and not _is_api(scope):
            await self._front(scope, receive, send)
        else:
            app = await asyncio.shield(self._coming)
            await app(scope, receive, send)

    def end_streams(self) -> None:
        """Tell open pages that it is over; a server waits for their streams to end."""
        if self._app is not None:
            self._app.state.dashboard.hub.publish(None)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._coming = asyncio.ensure_future(asyncio.to_thread(_undisturbed, self._make))
        await send({"type": "lifespan.startup.complete"})
        app = await self._coming
        async with app.router.lifespan_context(app):
            self._app = app
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path in ("/api", "/metrics") or path.startswith("/api/")


def _undisturbed(make: Callable[[], FastAPI]) -> FastAPI:
    """Imports leave no garbage, but much to look through for it."""
    gc.disable()
    try:
        return make()
    finally:
        gc.freeze()
        gc.enable()


def open_doorway(
    roots: Sequence[Path],
    token: str | None = None,
    *,
    hosts: Sequence[str] = (),
    readers: Sequence[TokenHolder] = (),
    workers: int | None = None,
    settings: SettingsFile | None = None,
    bring: Bring | None = None,
    ahead: ReadAhead | None = None,
    **more: Any,
) -> EarlyPage:
    """The server for a user's own machine, with the user's cache.

    `workers`, `settings` (None: there are none) and `bring` as in `Dashboard`, all others as in
    `app_over`. `ahead`: a log that is being read.
    """

    def make() -> FastAPI:
        from runvitals.fleet.cache import user_cache
        from runvitals.readers.registry import read_ahead
        from runvitals.server.work.dashboard import Dashboard

        read_ahead[:] = [] if ahead is None else [ahead.logs]
        dashboard = Dashboard(
            roots, user_cache(), workers, head_start=HEAD_START, settings=settings, bring=bring
        )
        dashboard.start()  # it reads while FastAPI is imported
        from runvitals.server.app import app_over

        return app_over(dashboard, token, hosts=hosts, readers=readers, **more)

    return EarlyPage(make, token, hosts, readers)
