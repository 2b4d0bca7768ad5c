"""The site builds without a warning, asks nobody else for anything, and fits into a wheel."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from benchmarks.lab.site_curves import case_of, fault_title
from benchmarks.lab.site_runs import RUNS

import runvitals as rv
from runvitals.catalog import SYMPTOMS
from runvitals.cli.main import app
from runvitals.lab.registry import trainer
from runvitals.rules.registry import rules

pytest.importorskip("mkdocs", reason="the site is built with the developers' tools")

ROOT = Path(__file__).parent.parent
REPORTS = re.findall(r'href="(gallery/.+?\.html)"', (ROOT / "docs" / "gallery.md").read_text())
# what a browser fetches by itself, unlike a link that somebody may follow
FETCHED = re.compile(
    r"""<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?((?:https?:)?//[^"' >]+)"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site, with empty files in place of the reports."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("gallery"))
    shutil.copy(ROOT / "mkdocs.yml", folder)
    (folder / "docs" / "gallery").mkdir()
    for report in REPORTS:
        (folder / "docs" / report).touch()
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"],
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "0", "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "build" / "site"


def pages(site):
    return {page: page.read_text() for page in site.rglob("*.html") if page.stat().st_size}


def test_no_page_fetches_anything_from_elsewhere(site):
    styles = {file: file.read_text() for file in site.rglob("*.css")}

    assert not [found for text in pages(site).values() for found in FETCHED.findall(text)]
    assert not [file for file, text in styles.items() if re.search(r"url\(['\"]?https?:", text)]


def test_every_link_leads_to_a_page_of_the_site(site):
    for page, text in pages(site).items():
        for target in re.findall(r'<a\b[^>]*?href="([^"#?:]+)(?:#[^"]*)?"', text):
            assert (page.parent / target).exists() or page.name == "404.html", f"{page}: {target}"


def test_there_are_twenty_reports_and_each_is_shown_with_its_curve(site):
    text = (site / "gallery.html").read_text()

    assert len(REPORTS) == len(set(REPORTS)) == 20
    assert text.count("<figure class=curve><svg") == 20


def test_every_symptom_and_every_rule_is_shown_with_the_curve_of_a_real_run(site):
    """Or with why there is none: a process that ended, a network before its first update."""
    text = html.unescape((site / "reference" / "symptoms.html").read_text())
    sections = re.split(r"<h3\b[^>]*>", text)[1:]
    last, _, book = sections[-1].partition("<h2")
    signs = {part.partition("<a class")[0]: part for part in [*sections[:-1], last]}
    listed = re.split(r"<p><strong><a href=", book)[1:]
    codes = {re.search(r">([A-Z]+\d{3})<", one)[1]: one for one in listed}

    assert set(signs) == {one.sign for one in SYMPTOMS}
    assert set(codes) == set(rules())
    for name, part in (signs | codes).items():
        assert ("<svg" in part) != ("No curve: " in part), name
    assert sum("<svg" in part for part in signs.values()) >= 57
    assert sum("<svg" in part for part in codes.values()) >= 109


def test_every_command_and_every_public_name_has_its_section(site):
    commands = (site / "reference" / "cli.html").read_text()
    names = (site / "reference" / "api.html").read_text()

    for command in app.registered_commands:
        assert f'<h2 id="runvitals-{command.name}">' in commands
    for name in rv.__all__:
        assert f'<h2 id="rv{name.lower()}">' in names


def test_the_commands_of_the_curves_are_those_that_make_them():
    curves = json.loads((ROOT / "docs" / "curves.json").read_text())

    assert {code: curves[code]["command"] for code in RUNS} == RUNS
    assert {f"gallery/{name}.html" for name in set(curves) - set(RUNS)} == set(REPORTS)
    for command in RUNS.values():
        case = case_of(command)
        assert fault_title(case)
        assert trainer(case.trainer).task(case.task)


def test_it_is_packed_for_the_wheel_in_less_than_five_megabytes(site):
    packed = site.with_name("site.tar.xz")

    assert packed.stat().st_size < 5e6
    with tarfile.open(packed) as archive:
        assert {"index.html", "search/search_index.json", *REPORTS} <= set(archive.getnames())
        assert {member.mtime for member in archive.getmembers()} == {0}
