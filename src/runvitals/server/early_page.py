"""Answers with the page at once, while the rest of the server is still being put together.

A browser loads the page while NumPy and the readers are imported. What it asks for first is answered
as soon as they are; FastAPI comes after that, and what only the whole server can answer waits for it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from runvitals.server.guard import Guard
from runvitals.server.pages import Pages
from runvitals.server.scopes import TokenHolder

if TYPE_CHECKING:
    from fastapi import FastAPI

    from runvitals.readers.ahead import ReadAhead
    from runvitals.readers.settings_file import SettingsFile
    from runvitals.server.answers import FirstAnswers
    from runvitals.server.work.shelf import Bring

HEAD_START = 1.5  # seconds that the page has for itself before runs are judged
MAX_HEAD_STARTS = 5  # while it is still being answered
NEWS = "/api/events"  # a page waits for news, in no hurry

Made = TypeVar("Made")


class EarlyPage:
    """An app that stands in for another one until that is made, in a thread.

    `begin` makes what the first answers need, `finish` the whole app over it. It is called once the
    points of a chart were sent, something else is asked for, or the head start is over.
    """

    def __init__(
        self,
        begin: Callable[[], FirstAnswers],
        finish: Callable[[FirstAnswers], FastAPI],
        token: str | None = None,
        hosts: Sequence[str] = (),
        readers: Sequence[TokenHolder] = (),
    ) -> None:
        self._begin, self._finish = begin, finish
        self._pages = Pages()
        self._front: ASGIApp = Guard(self._answer_early, token, hosts, readers)
        self._app: FastAPI | None = None
        self._answering = 0
        self._wanted = asyncio.Event()
        self._first: asyncio.Future[FirstAnswers]
        self._coming: asyncio.Future[FastAPI]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request now if that can be done, else as soon as it can."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is None and (scope["method"] in ("GET", "HEAD") or not _is_api(scope)):
            await self._front(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await asyncio.shield(self._coming)
        await app(scope, receive, send)

    async def _answer_early(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_api(scope):
            await self._pages(scope, receive, send)
            return
        first = await asyncio.shield(self._first)
        self._answering += 1
        try:
            early = await run_in_threadpool(first.given_early, Request(scope))
        finally:
            self._answering -= 1
        if early is None:
            if not self._answering and scope["path"] != NEWS:
                self._wanted.set()
            await self._answer(scope, receive, send)
            return
        await early(scope, receive, send)
        if scope["path"].endswith("/series"):
            self._wanted.set()

    def end_streams(self) -> None:
        """Tell open pages that it is over; a server waits for their streams to end."""
        self._wanted.set()
        if self._app is not None:
            self._app.state.dashboard.hub.publish(None)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._first = asyncio.ensure_future(asyncio.to_thread(_undisturbed, self._begin))
        self._coming = asyncio.ensure_future(self._made())
        await send({"type": "lifespan.startup.complete"})
        app = await self._coming
        async with app.router.lifespan_context(app):
            self._app = app
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _made(self) -> FastAPI:
        first = await asyncio.shield(self._first)
        for _ in range(MAX_HEAD_STARTS):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), HEAD_START)
            if self._wanted.is_set() or not self._answering:
                break
        return await asyncio.to_thread(_undisturbed, partial(self._finish, first))


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path in ("/api", "/metrics") or path.startswith("/api/")


def _undisturbed(make: Callable[[], Made]) -> Made:
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

    def begin() -> FirstAnswers:
        from runvitals.fleet.cache import user_cache
        from runvitals.readers.registry import read_ahead
        from runvitals.server.work.dashboard import Dashboard

        read_ahead[:] = [] if ahead is None else [ahead.logs]
        dashboard = Dashboard(
            roots, user_cache(), workers, head_start=HEAD_START, settings=settings, bring=bring
        )
        dashboard.start()  # it reads while the rest is imported
        from runvitals.server.answers import FirstAnswers

        return FirstAnswers(dashboard)

    def finish(first: FirstAnswers) -> FastAPI:
        from runvitals.server.app import app_over

        return app_over(first.dashboard, token, hosts=hosts, readers=readers, **more)

    return EarlyPage(begin, finish, token, hosts, readers)
