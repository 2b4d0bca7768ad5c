"""What is released: one version everywhere, and a wheel that the sources alone decide."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import runvitals as rv

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "src" / "runvitals" / "server" / "static"
built_page = pytest.mark.skipif(
    not (STATIC / "report.js").is_file(), reason="the page is not built: make web"
)


def build(source: Path, target: Path, *kind: str, offline: bool = False) -> Path:
    """The file that a build leaves in `target`."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(target)}
    cut_off = ["unshare", "--map-root-user", "--net"] if offline else []
    done = subprocess.run(
        [*cut_off, sys.executable, "-m", "build", "--no-isolation", *kind, "-o", target, source],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return next(target.glob("runvitals-*"))


def can_cut_off() -> bool:
    tool = shutil.which("unshare", path="/usr/bin:/bin")
    command = ["unshare", "--map-root-user", "--net", "true"]
    return tool is not None and subprocess.run(command, check=False).returncode == 0


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("sdist"), "--sdist")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "--wheel")


def test_the_version_is_the_same_everywhere():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    logged = re.search(r"^## (\S+) \(", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert cited is not None
    assert logged is not None
    assert rv.__version__ == cited[1] == logged[1]


@built_page
def test_a_wheel_from_the_unpacked_sdist_is_the_same_without_network_and_node(
    sdist, wheel, tmp_path
):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "sdist", filter="data")
    [source] = (tmp_path / "sdist").iterdir()
    for path in source.rglob("*"):
        os.utime(path)  # another day; the page must not be taken for stale

    again = build(source, tmp_path / "wheel", "--wheel", offline=can_cut_off())

    assert again.name == wheel.name
    assert (
        hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(wheel.read_bytes()).digest()
    )


@built_page
def test_the_wheel_holds_the_page_and_the_guides_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()

    assert "runvitals/server/static/index.html" in names
    assert "runvitals/pages/learn/is-it-learning.md" in names
    assert {name.split("/")[0] for name in names} == {
        "runvitals",
        f"runvitals-{rv.__version__}.dist-info",
    }
