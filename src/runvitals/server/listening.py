"""Where the server listens, the link that leads there, and how it ends."""

from __future__ import annotations

import errno
import os
import socket
from contextlib import suppress
from types import FrameType
from urllib.parse import quote

import uvicorn

from runvitals.server.early_page import EarlyPage
from runvitals.server.idle_connections import PatientProtocol

EVERYWHERE = ("0.0.0.0", "::")
NEIGHBOURS = 20  # ports behind a taken one that are tried
MAX_CONNECTIONS = 1_000


def listen(host: str, port: int, *, or_near: bool = False) -> socket.socket:
    """A socket at the port; at one of those behind it if it is taken and any will do."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        from runvitals.model import ConfigError

        raise ConfigError(f"cannot listen on {host!r}: {error}") from error
    family, _, _, _, address = found[0]
    ports = range(port, min(port + NEIGHBOURS, 65_536)) if or_near else [port]
    for one in ports:
        try:
            return _bound(family, (address[0], one, *address[2:]))
        except OSError as error:
            taken = error
            if error.errno != errno.EADDRINUSE:
                break
    from runvitals.model import ConfigError  # with NumPy, for which the page would wait

    raise ConfigError(
        f"cannot listen at {host} port {port}: {taken.strerror}",
        hint="--port 0 takes a free one" if taken.errno == errno.EADDRINUSE else "",
    ) from taken


def _bound(family: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name != "nt":  # there it would let two servers share a port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made


def link_to(host: str, port: int, token: str | None) -> str:
    """What to open in a browser.

    >>> link_to("::1", 6060, "a b")
    'http://[::1]:6060/?token=a%20b'
    """
    name = socket.gethostname() if host in EVERYWHERE else host.strip("[]")
    name = f"[{name}]" if ":" in name else name
    query = "" if token is None else f"?token={quote(token, safe='')}"
    return f"http://{name}:{port}/{query}"


class _Server(uvicorn.Server):
    """Ends the streams of open pages at once; else it would wait for them."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        app = self.config.app
        assert isinstance(app, EarlyPage)
        app.end_streams()
        super().handle_exit(sig, frame)


def run(app: EarlyPage, listening: socket.socket) -> None:
    """Answer until Ctrl-C."""
    config = uvicorn.Config(
        app,
        http=PatientProtocol,  # on h11, which limits the length of a request
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):  # the usual way to end it
        _Server(config).run(sockets=[listening])
