"""`runvitals guide`: the guides, sample settings and the whole site that come with the package."""

import sys
from pathlib import Path

from runvitals.cli.options import described

PACKAGED = Path(__file__).resolve().parent.parent / "pages"  # in a wheel, by hatch_build.py
ROOT = Path(__file__).resolve().parents[3]  # in a clone
SITE = "site.tar.xz"  # by docs/site_hooks.py
ROOMS = {"learn": "docs/learn", "guides": "docs/guides", "lab": "docs/lab", "configs": "configs"}


@described("""
name: A guide, or a sample settings file; all without.
-o --output: Write it into this file instead.
--open: Open the whole documentation in the browser, offline.
""")
def guide(name: str | None = None, output: Path | None = None, open_: bool = False) -> None:
    """List the guides that come with runvitals, or print one.

    runvitals guide is-it-learning
    runvitals guide --open
    runvitals guide ppo_warmstart.json -o configs/ppo_warmstart.json
    """
    from runvitals.model import ConfigError

    if open_:
        _open_site()
        return
    found = pages()
    if name is None:
        width = max(map(len, found))
        for known, page in found.items():
            print(f"{known:{width}}  {_title(page)}")
        return
    path = found.get(name.removesuffix(".md"))
    if path is None:
        raise ConfigError(f"there is no guide {name!r}", hint=f"one of: {', '.join(found)}")
    text = path.read_text(encoding="utf-8")
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
        print(f"wrote {output}")
    elif sys.stdout.isatty() and path.suffix == ".md":
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        sys.stdout.write(text)


def pages() -> dict[str, Path]:
    """Every guide by its name without ending, and every sample settings file by its whole name.

    A page of the lab that has the name of a chapter is called `lab/grpo`.
    """
    found: dict[str, Path] = {}
    for room, source in ROOMS.items():
        folder = PACKAGED / room if PACKAGED.is_dir() else ROOT / source
        for path in sorted(folder.glob("*.*")):
            if (room, path.stem) == ("lab", "index"):
                continue  # links to the others
            name = path.stem if path.suffix == ".md" else path.name
            found[f"{room}/{name}" if name in found else name] = path
    return found


def _open_site() -> None:
    """Serve the site from the package (in a clone: as it was last built) until Ctrl-C."""
    import shutil
    import webbrowser
    from contextlib import suppress
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from tempfile import TemporaryDirectory

    from runvitals.model import ConfigError

    packed = next((at for at in (PACKAGED / SITE, ROOT / "build" / SITE) if at.is_file()), None)
    if packed is None:
        raise ConfigError("this copy came without the site", hint="in a clone: `make docs-site`")
    with TemporaryDirectory(prefix="runvitals-guide-") as folder:
        shutil.unpack_archive(packed, folder, filter="data")
        quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
        serving = partial(quiet, directory=folder)
        with ThreadingHTTPServer(("127.0.0.1", 0), serving) as server, suppress(KeyboardInterrupt):
            address = f"http://127.0.0.1:{server.server_port}/"
            print(f"the documentation is at {address} (Ctrl-C ends it)", flush=True)
            webbrowser.open(address)
            server.serve_forever()


def _title(path: Path) -> str:
    if path.suffix != ".md":
        return "sample settings, for runvitals lab run scheduler --config"
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ")
