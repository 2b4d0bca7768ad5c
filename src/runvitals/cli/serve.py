"""`runvitals serve`: the dashboard."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import socket

LOCAL = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
USUAL_PORT = 6060


def serve(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders or log files of any supported tool; by default ./runs."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = LOCAL,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")
    ] = USUAL_PORT,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser window.")
    ] = False,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="RUNVITALS_TOKEN",
            help="What a browser has to know; made up for addresses that others can reach.",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=0, help="Processes that judge runs; 0: none of their own.")
    ] = None,
) -> None:
    """Show runs in the browser: verdicts, findings and charts, live. Reads only; Ctrl-C ends it."""
    import secrets

    import uvicorn

    from runvitals.readers.open import existing
    from runvitals.server.app import create_app
    from runvitals.server.guard import ANY, is_loopback
    from runvitals.server.verdict_cache import user_cache

    roots = [existing(log) for log in logs] if logs else [_usual_folder()]
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    listening = _listen(host, port)
    app = create_app(
        [root.resolve() for root in roots],
        token,
        hosts=[ANY if host in EVERYWHERE else host],
        cache=user_cache(),
        workers=workers,
    )
    link = _link(host, listening.getsockname()[1], token)
    _announce(roots, link)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    if not no_browser:
        _open_browser(link)
    with suppress(KeyboardInterrupt):  # the usual way to end it
        server.run(sockets=[listening])


def _usual_folder() -> Path:
    import os

    from runvitals.readers.open import existing

    return existing(os.environ.get("RUNVITALS_DIR") or "runs")


def _listen(host: str, port: int) -> socket.socket:
    """A socket at the port, or at a free one if nobody asked for this one and it is taken."""
    import socket

    from runvitals.model import ConfigError

    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{host!r} is no address to listen at: {error}") from error
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(address)
    except OSError as error:
        if port != USUAL_PORT:
            made.close()
            raise ConfigError(
                f"cannot listen at {host} port {port}: {error.strerror}",
                hint="--port 0 takes a free one",
            ) from error
        made.bind((address[0], 0, *address[2:]))
    made.listen(128)
    return made


def _link(host: str, port: int, token: str | None) -> str:
    from urllib.parse import quote

    name = host
    if host in EVERYWHERE:
        import socket

        name = socket.gethostname()
    elif ":" in host:
        name = f"[{host.strip('[]')}]"
    query = "" if token is None else f"?token={quote(token, safe='')}"
    return f"http://{name}:{port}/{query}"


def _announce(roots: list[Path], link: str) -> None:
    shown = ", ".join(str(root) for root in roots)
    print(f"runvitals shows {shown}\n\n    {link}\n\nCtrl-C ends it.", flush=True)


def _open_browser(link: str) -> None:
    """Once the server answers; a machine without a browser is no error."""
    import threading
    import webbrowser

    timer = threading.Timer(0.8, webbrowser.open, [link])
    timer.daemon = True
    timer.start()
