"""Findings as messages to people, through apprise, from a thread of its own."""

import threading
from collections.abc import Callable, Sequence

PAUSE_SECONDS = 60.0  # between two messages; what comes meanwhile goes into one
MAX_LINES = 20
MAX_WAITING = 1_000
CLOSE_SECONDS = 5.0

Key = tuple[str, ...]


class Notifier:
    """Sends each thing once, at most one message a minute, and never makes anybody wait for it.

    `urls` are apprise URLs; they may hold passwords and appear in no message and no complaint.
    """

    def __init__(
        self,
        urls: Sequence[str],
        title: str,
        complain: Callable[[str, str], None],
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._urls, self._title, self._complain = list(urls), title, complain
        self._pause = pause_seconds
        self._said: set[Key] = set()
        self._waiting: list[str] = []
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def tell(self, key: Key, line: str) -> None:
        """Send this line with the next message, unless the same was sent before."""
        with self._lock:
            if not self._urls or key in self._said or len(self._said) >= MAX_WAITING:
                return
            self._said.add(key)
            self._waiting.append(line)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="runvitals-notify", daemon=True)
            self._thread.start()
        self._bell.set()

    def close(self) -> None:
        """Send what is waiting without the pause; give up soon on a server that does not answer."""
        self._closing.set()
        self._bell.set()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)
            if self._thread.is_alive():
                self._complain("notify", "notifications: the server does not answer")

    def _work(self) -> None:
        try:
            send = self._sender()
            while not self._closing.is_set():
                self._bell.wait()
                self._bell.clear()
                if self._send_waiting(send):
                    self._closing.wait(self._pause)
            self._send_waiting(send)
        except ImportError:
            self._complain("notify", "notifications need apprise: pip install 'runvitals[notify]'")
        except Exception as error:  # noqa: BLE001  a service may fail in any way
            self._complain("notify", f"notifications failed: {type(error).__name__}")

    def _sender(self) -> Callable[[str], None]:
        import apprise

        service = apprise.Apprise()
        for number, url in enumerate(self._urls, 1):
            if not service.add(url):
                self._complain(f"notify {number}", f"apprise does not know notify URL {number}")

        def send(text: str) -> None:
            if len(service) and not service.notify(title=self._title, body=text):
                self._complain("notify", "a notification could not be delivered")

        return send

    def _send_waiting(self, send: Callable[[str], None]) -> bool:
        with self._lock:
            lines, self._waiting = self._waiting, []
        if not lines:
            return False
        if len(lines) > MAX_LINES:
            lines = [*lines[:MAX_LINES], f"and {len(lines) - MAX_LINES} more"]
        try:
            send("\n".join(lines))
        except Exception as error:  # noqa: BLE001  this message is lost, the next one may arrive
            self._complain("notify", f"a notification failed: {type(error).__name__}")
        return True
