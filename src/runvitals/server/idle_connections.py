"""Connections that never get to ask for anything: they are closed, and shut nobody out.

Many that come at once are no attack. Nobody is sent away whose request has arrived, even if it was not
read yet, or who has just come. Who is sent away before they asked is told to try again.
"""

from __future__ import annotations

import asyncio
import select
from itertools import islice
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
        if not hasattr(select, "poll"):  # Windows
            return bool(select.select([connection], [], [], 0)[0])
        looking = select.poll()
        looking.register(connection, select.POLLIN)
        return bool(looking.poll(0))
