"""Connections that never get to ask for anything: they are closed, and shut nobody out."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0  # that the head of a request may take, from the first byte or the connection
MAX_WAITING = 100  # connections without a request; the oldest makes room for the next


class PatientProtocol(H11Protocol):
    """HTTP over connections that have to ask for something soon.

    Uvicorn waits for ever for the head of a request, and counts such connections like any other: a
    thousand of them would keep everybody else out.
    """

    _waiting: dict[H11Protocol, None] = {}  # noqa: RUF012 - of all connections, oldest first

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._end_of_patience: asyncio.TimerHandle | None = None

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
        self._waiting[self] = None
        while len(self._waiting) > MAX_WAITING:
            oldest = next(iter(self._waiting))
            if isinstance(oldest, PatientProtocol):
                oldest._close()

    def _be_patient(self) -> None:
        self._waiting.pop(self, None)
        if self._end_of_patience is not None:
            self._end_of_patience.cancel()
            self._end_of_patience = None

    def _close(self) -> None:
        self._be_patient()
        if not self._is_asking():
            self.transport.close()
