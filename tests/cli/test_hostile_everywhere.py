"""Every command in every format, on runs whose folders and metrics have names made to do harm.

What comes out is read with a real parser of its format, and every name comes back as the text it is.
"""

from __future__ import annotations

import csv
import html.parser
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from markdown_it import MarkdownIt
from tests.render.sarif import check_sarif
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app

NAMES = [
    "loss/\x1b]0;title\x07\x1b[2J",
    "loss/[bold red]x[/] run[seed=1]",
    "loss/<script>alert(1)</script><img src=x onerror=alert(1)>",
    "loss/]]><x/>&amp;",
    "loss/::error::x%0A::warning::y",
    "loss/\n::error::on a line of its own\r\n",
    "loss/\x00\x01\x08\x7f\x9b31m",
    "loss/\u202eesrever\u2066\u2028",
    "loss/`a` | b | **c** [d](http://x) ~~e~~",
    "loss/$(touch x); `touch y` && 'q' \"p\"",
]
FOLDERS = [
    "run[seed=1] [red]\x1b[31m",
    "line\nbreak ::error::x",
    "<script>alert(1)<!-- ]]> `x` | y\u202e",
]
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A log of another tool in each folder: all metrics grow, and end as NaN."""
    top = tmp_path_factory.mktemp("hostile")
    rows = []
    for step in range(40):
        value = 1.0 + step * step if step < 30 else float("nan")
        rows.append({"step": step, "outcome/return_mean": 1.0, **dict.fromkeys(NAMES, value)})
    for name in FOLDERS:
        (top / name).mkdir()
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (top / name / "metrics.jsonl").write_text(text)
    return [top / name for name in FOLDERS]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")


def said(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert STEERING.findall(done.stderr) == []
    assert done.stdout.strip()
    return done.stdout


class Page(html.parser.HTMLParser):
    """Which tags a page has, which attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def is_plain_text(text: str) -> None:
    assert STEERING.findall(text) == []
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert "run[seed=1]" in text  # not taken for markup


def is_github(text: str) -> None:
    assert STEERING.findall(text) == []
    assert all(
        re.match(r"::(error|warning|notice) title=[^,:]*::", line) for line in text.splitlines()
    )


def is_json(text: str) -> None:
    assert STEERING.findall(text) == []  # spelled out, so that a terminal may show it
    assert json.loads(text)


def is_sarif(text: str) -> None:
    is_json(text)
    check_sarif(json.loads(text))


def is_junit(text: str) -> None:
    root = ElementTree.fromstring(text)
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "testcase", "failure", "skipped", "error", "system-out",
    }  # fmt: skip


def is_markdown(text: str) -> None:
    assert STEERING.findall(text) == []
    page = Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert not {"script", "img", "x", "a", "s"} & set(page.tags)


CHECKED: list[tuple[str, Callable[[str], None]]] = [
    ("text", is_plain_text),
    ("concise", is_plain_text),
    ("json", is_json),
    ("sarif", is_sarif),
    ("junit", is_junit),
    ("github", is_github),
    ("markdown", is_markdown),
]


@pytest.mark.parametrize(("form", "is_form"), CHECKED, ids=[name for name, _ in CHECKED])
def test_check(folders: list[Path], form: str, is_form: Callable[[str], None]) -> None:
    is_form(said("check", *folders, "--format", form))


@pytest.mark.parametrize("command", ["runs", "names", "vitals"])
@pytest.mark.parametrize(("form", "is_form"), [("text", is_plain_text), ("json", is_json)])
def test_what_lists(
    folders: list[Path], command: str, form: str, is_form: Callable[[str], None]
) -> None:
    chosen = folders[:1] if command == "vitals" else folders

    is_form(said(command, *chosen, "--format", form))


def test_watch(folders: list[Path]) -> None:
    is_plain_text(said("watch", folders[0], "--once"))


@pytest.mark.parametrize(
    ("form", "is_form"), [("text", is_plain_text), ("json", is_json), ("markdown", is_markdown)]
)
def test_compare(folders: list[Path], form: str, is_form: Callable[[str], None]) -> None:
    is_form(said("compare", *folders[:2], "--format", form))


def test_report(folders: list[Path], tmp_path: Path) -> None:
    said("report", folders[2], "-o", tmp_path / "r.html")

    text = (tmp_path / "r.html").read_text()
    page = Page(text)
    assert "<script>alert(1)" not in text
    assert "img" not in page.tags
    assert not [name for name in page.attributes if name.startswith("on")]


def exported(folder: Path, form: str, to: Path) -> Iterator[str]:
    """The names that a parser of the format finds in what was exported."""
    said("export", folder, "--to", form, "-o", to)
    if form == "csv":
        with to.open(newline="") as file:
            yield from next(csv.reader(file))
    elif form == "jsonl":
        for line in to.read_bytes().splitlines():
            yield from json.loads(line)
    elif form == "parquet":
        yield from pq.read_table(to)["metric"].to_pylist()
    else:
        yield from rv.open_run(to).names()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "tensorboard"])
def test_export_keeps_every_name_as_it_is(folders: list[Path], form: str, tmp_path: Path) -> None:
    assert set(NAMES) <= set(exported(folders[1], form, tmp_path / "out"))
