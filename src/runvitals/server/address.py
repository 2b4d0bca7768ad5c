"""The address that a server listens at, taken before all that is slow to import."""

import errno
import os
import socket
from urllib.parse import quote

EVERYWHERE = ("0.0.0.0", "::")
NEIGHBOURS = 20  # ports behind a taken one that are tried


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
        made.listen(1024)
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
