"""`runvitals serve`: the dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from runvitals.cli.options import default_folder, described

if TYPE_CHECKING:
    from runvitals.readers.ahead import ReadAhead
    from runvitals.readers.settings_file import SettingsFile
    from runvitals.server.scopes import TokenHolder

LOCAL = "127.0.0.1"
DEFAULT_PORT = 6060
MIN_TOKEN_LENGTH = 8  # characters


def read_ahead(words: list[str]) -> ReadAhead | None:
    """Begin to read a large log below the paths among some words of the command line."""
    from runvitals.readers import ahead

    roots = [path.resolve() for word in words if (path := Path(word)).exists()]
    return ahead.begin(roots or [default_folder().resolve()])


@described("""
logs (metavar=[LOGS]...; parser=lazy path; show_default=no): Run folders, log files of any supported
  tool or addresses; by default ./runs.
--host: Address to listen on. Anything but localhost requires a token.
--port (min=0; max=65535): Port; 0 picks a free one. If 6060 is in use, the next free port is used.
--open/--no-open: Open a browser window if a display is available.
--token (env=RUNVITALS_TOKEN): Token that browsers must present; generated for addresses others can
  reach.
--tokens (env=RUNVITALS_TOKENS; metavar=FILE): TOML file with a token for each reader and the projects
  it opens.
--workers (min=0): Number of processes that judge runs; by default derived from the CPU count.
--metrics: Also answer /metrics, for Prometheus.
--otlp (metavar=URL): Also send current values and open findings to this OpenTelemetry collector
  (HTTP).
--write: Let pages keep notes, tags and views in .runvitals.json beside the runs.
--no-browser (hidden=yes): Another word for --no-open.
""")
def serve(
    ctx: typer.Context,
    logs: list[Path] | None = None,
    host: str = LOCAL,
    port: int = DEFAULT_PORT,
    open_: bool = True,
    token: str | None = None,
    tokens: Path | None = None,
    workers: int | None = None,
    metrics: bool = False,
    otlp: str | None = None,
    write: bool = False,
    framework: str | None = None,
    algorithm: str | None = None,
    map: list[str] | None = None,
    settings: Path | None = None,
    no_browser: bool = False,
) -> None:
    """Show runs in the browser: verdicts, findings and charts, live; Ctrl-C stops it.

    On a remote machine: `ssh -L 6060:localhost:6060 MACHINE`, then `runvitals serve` there.
    """
    from runvitals.server.address import EVERYWHERE, link_to, listen

    _check_installed(metrics, otlp)
    file = _settings(settings, framework, algorithm, map or [])
    roots = logs or [default_folder()]
    listening = listen(host, port, or_near=port == DEFAULT_PORT)
    from runvitals.server.early_page import open_doorway
    from runvitals.server.guard import ANY, is_loopback
    from runvitals.server.listening import run

    readers = _readers(tokens)
    token = _token(token, needed=not readers and not is_loopback(host))
    app = open_doorway(
        [root.resolve() for root in roots],
        token,
        hosts=[ANY if host in EVERYWHERE else host],
        workers=workers,
        settings=file,
        metrics=metrics,
        otlp=otlp,
        readers=readers,
        bring=_bring,
        write=write,
        ahead=ctx.obj,
    )
    mine = listening.getsockname()[1]
    link = link_to(host, mine, token)
    _check_there(roots)
    _announce(roots, link, taken=port not in (0, mine))
    if open_ and not no_browser and _has_screen():
        _open_browser(link)
    run(app, listening)


def _bring(folder: Path) -> None:
    """Fetch a run of a bucket of which only its entry in the list is here."""
    from runvitals.remote.mirror import fetch_listed

    fetch_listed(folder)


def _token(token: str | None, *, needed: bool) -> str | None:
    if token is None and needed:
        import secrets

        token = secrets.token_urlsafe(24)
    if token is not None and len(token) < MIN_TOKEN_LENGTH:
        from runvitals.model import ConfigError

        raise ConfigError(f"a token needs at least {MIN_TOKEN_LENGTH} characters")
    return token


def _readers(tokens: Path | None) -> tuple[TokenHolder, ...]:
    if tokens is None:
        return ()
    from runvitals.server.scopes import read_tokens

    return read_tokens(tokens)


def _check_installed(metrics: bool, otlp: str | None) -> None:
    """Say what to install, and what is wrong with an address, before anything begins."""
    wrong, hint = "", ""
    if metrics and not _installed("prometheus_client"):
        wrong = "--metrics needs the package prometheus-client"
        hint = 'pip install "runvitals[prometheus]"'
    elif otlp is not None and not _installed("opentelemetry.exporter.otlp.proto.http"):
        wrong, hint = "--otlp needs OpenTelemetry's exporter", 'pip install "runvitals[otlp]"'
    elif otlp is not None and not otlp.lower().startswith(("http://", "https://")):
        wrong = f"--otlp expects the address of a collector, got {otlp!r}"
        hint = "--otlp http://localhost:4318"
    if wrong:
        from runvitals.model import ConfigError

        raise ConfigError(wrong, hint=hint)


def _installed(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False  # not even the package above it


def _settings(
    given: Path | None, framework: str | None, algorithm: str | None, pairs: list[str]
) -> SettingsFile | None:
    """The user's settings, if there are any and they make sense; only then they cost imports."""
    from runvitals.readers.settings_file import settings_file, with_options

    file = settings_file(given)
    if framework or algorithm or pairs:
        from runvitals.readers.options import parse_map

        file = with_options(file, framework, algorithm, parse_map(pairs))
    if file is not None:
        from runvitals.diagnosis.judge import settings_for

        settings_for(file)
    return file


def _check_there(roots: list[Path]) -> None:
    """Say which folders are waited for; a training may be about to make them."""
    for root in roots:
        if not root.exists():
            from runvitals.readers.open import near_path

            near = near_path(root)
            hint = f" ({near})" if near else ""
            print(f"{root} does not exist yet{hint}; waiting for it", flush=True)


def _announce(roots: list[Path], link: str, *, taken: bool) -> None:
    shown = ", ".join(str(root) for root in roots)
    note = f" (port {DEFAULT_PORT} is in use)" if taken else ""
    print(f"runvitals shows {shown}\n\n    {link}{note}\n\nPress Ctrl-C to stop.", flush=True)


def _has_screen() -> bool:
    """Whether a browser would open here: not in a terminal, and not at the far end of ssh."""
    import os
    import sys

    if "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _open_browser(link: str) -> None:
    """While the server starts, which listens already; a machine without a browser is not an error."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=[link], daemon=True).start()
