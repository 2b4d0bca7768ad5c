"""How the server answers at its address, how long it waits for slow clients, and how it ends."""

from __future__ import annotations

import asyncio
import selectors
import socket
from contextlib import suppress
from itertools import islice
from types import FrameType
from typing import Any

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from runvitals.server.early_page import EarlyPage

REQUEST_SECONDS = 10.0  # that the head of a request may take, from the first byte or the connection
MAX_WAITING = 100  # connections without a request; above, the oldest make room for others
MIN_SECONDS = 1.0  # that each of them may wait, however many there are
MAX_SILENT = 4_000  # connections without a request at any moment, of which some may just have come
TRY_AGAIN = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)


class PatientProtocol(H11Protocol):
    """HTTP over connections that have to ask for something soon.

    Uvicorn waits for ever for the head of a request, and counts such connections like any other: a
    thousand of them would keep everybody else out.
    """

    _waiting: dict[PatientProtocol, None] = {}  # noqa: RUF012 - of all connections, oldest first

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._end_of_patience: asyncio.TimerHandle | None = None
        self._since = 0.0  # when it began to wait for a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody came."""
        super().connection_made(transport)
        self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        """Something was said: a whole request, or a part of one."""
        super().data_received(data)
        if self._is_asking():
            self._be_patient()
        elif self._end_of_patience is None:
            self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side is gone."""
        self._be_patient()
        super().connection_lost(exc)

    def _is_asking(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_request(self) -> None:
        self._end_of_patience = self.loop.call_later(REQUEST_SECONDS, self._close)
        self._since = self.loop.time()
        self._waiting[self] = None
        for oldest in list(islice(self._waiting, max(0, len(self._waiting) - MAX_WAITING))):
            too_many = len(self._waiting) > MAX_SILENT
            if not too_many and self.loop.time() - oldest._since < MIN_SECONDS:
                return
            oldest._close()

    def _be_patient(self) -> None:
        self._waiting.pop(self, None)
        if self._end_of_patience is not None:
            self._end_of_patience.cancel()
            self._end_of_patience = None

    def _close(self) -> None:
        if self._has_unread():  # it asks already, and is read in a moment
            if self._end_of_patience is not None:
                self._end_of_patience.cancel()
            self._end_of_patience = self.loop.call_later(MIN_SECONDS, self._close)
            return
        self._be_patient()
        if not self._is_asking():
            if self.cycle is None:  # it never asked: its client may be slower than we are patient
                self.transport.write(TRY_AGAIN)
            self.transport.close()

    def _has_unread(self) -> bool:
        """Whether something has arrived that a busy server did not get to; closing would reset it."""
        connection = self.transport.get_extra_info("socket")
        if connection is None or connection.fileno() < 0:
            return False
        with selectors.DefaultSelector() as looking:
            looking.register(connection, selectors.EVENT_READ)
            return bool(looking.select(0))


MAX_REQUESTS = 1_000  # that wait for their answer; others are told to come back
MAX_UNSENT = 4_000  # requests and answers together: one that is not read is kept in memory
MAX_OPEN_FILES = 8_192  # that we ask the system for: each connection is one


class Limited:
    """An app that answers so many requests at once; others get 503 and are asked to come back.

    An answer that is being sent no longer counts as work: whoever reads slowly keeps nobody waiting.
    """

    def __init__(self, app: EarlyPage, most: int = MAX_REQUESTS, unsent: int = MAX_UNSENT) -> None:
        self.app = app
        self._most, self._unsent = most, unsent
        self._working = self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or say that there is too much to do."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self._working >= self._most or self._open >= self._unsent:
            await _BUSY(scope, receive, send)
            return
        at_work = True

        def done() -> None:
            nonlocal at_work
            self._working -= at_work
            at_work = False

        async def tell(message: Message) -> None:
            done()
            await send(message)

        self._working += 1
        self._open += 1
        try:
            await self.app(scope, receive, tell)
        finally:
            done()
            self._open -= 1


_BUSY = JSONResponse({"detail": "too many requests at once"}, 503, {"Retry-After": "1"})


class _Server(uvicorn.Server):
    """Ends the streams of open pages at once; else it would wait for them."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        limited = self.config.app
        assert isinstance(limited, Limited)
        limited.app.end_streams()
        super().handle_exit(sig, frame)


def _allow_connections() -> None:
    """Have the system let us keep many connections open, as far as it lets us choose."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def run(app: EarlyPage, listening: socket.socket) -> None:
    """Answer until Ctrl-C."""
    _allow_connections()
    config = uvicorn.Config(
        Limited(app),
        http=PatientProtocol,  # on h11, which limits the length of a request
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):  # the usual way to end it
        _Server(config).run(sockets=[listening])
