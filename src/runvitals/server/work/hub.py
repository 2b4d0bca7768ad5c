"""Tells every open page what is new: server-sent events."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

from runvitals.server.scopes import sees_everything
from runvitals.store.files import dumps
from runvitals.view.schemas.knowledge import LiveEvent

HEARTBEAT = 15.0  # seconds
MAX_WAITING = 512  # events; a page that takes none is told to fetch the list anew
_HELLO = b"retry: 1000\n: hello\n\n"
_ALIVE = b": heartbeat\n\n"


class _Listener:
    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.waiting: asyncio.Queue[LiveEvent | None] = asyncio.Queue()

    def put(self, event: LiveEvent | None) -> None:
        if self.waiting.qsize() >= MAX_WAITING:
            while not self.waiting.empty():
                self.waiting.get_nowait()
            self.waiting.put_nowait(LiveEvent(type="runs"))
        self.waiting.put_nowait(event)


class Hub:
    """Passes events from the threads that notice things to the pages that are open."""

    def __init__(self, heartbeat: float = HEARTBEAT) -> None:
        self._heartbeat = heartbeat
        self._listeners: set[_Listener] = set()
        self._lock = threading.RLock()  # a signal may come while it is held

    @property
    def listeners(self) -> int:
        """How many pages are open."""
        return len(self._listeners)

    def publish(self, event: LiveEvent | None) -> None:
        """Tell all pages; None ends their streams. From any thread."""
        with self._lock:
            for listener in self._listeners:
                listener.loop.call_soon_threadsafe(listener.put, event)

    async def stream(self, may_read: Callable[[str], bool]) -> AsyncIterator[bytes]:
        """What a page is sent, until it goes away; of runs that its reader may know of."""
        listener = _Listener()
        with self._lock:
            self._listeners.add(listener)
        try:
            yield _HELLO
            while True:
                try:
                    event = await asyncio.wait_for(listener.waiting.get(), self._heartbeat)
                except TimeoutError:
                    yield _ALIVE
                    continue
                if event is None:
                    return
                if event.run is not None and not sees_everything() and not may_read(event.run):
                    continue
                yield b"data: " + dumps(event.model_dump()) + b"\n\n"
        finally:
            with self._lock:
                self._listeners.discard(listener)
