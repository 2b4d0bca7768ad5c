"""Names that a log or a folder brings along are nothing but text, wherever they are shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from tests.render.sarif import check_sarif
from typer.testing import CliRunner

from runvitals.cli.main import app

CRUEL = 'run[seed=1] [bold]\x1b[31m\x07 | <b>x</b> & "q" @all #1 [a](http://x) %0A::error::no\u202e'
MARKUP = "run[seed=1] [bold red]x[/]"


@pytest.fixture
def logs(tmp_path, monkeypatch) -> Path:
    """Two sick runs whose folders and metrics have names that no human would give."""
    monkeypatch.setenv("COLUMNS", "400")
    names = (CRUEL.replace("/", "_"), MARKUP.replace("/", "_"), "line\nbreak")
    for number, name in enumerate(names):  # the same log twice would be one run
        folder = tmp_path / name
        folder.mkdir()
        rows = [
            {"step": i, f"loss {CRUEL}": 1.0 + number, f"loss {MARKUP}": 2.0} for i in range(50)
        ]
        rows += [{"step": i, f"loss {CRUEL}": None, "loss": None} for i in range(50, 99)]
        text = "\n".join(json.dumps(row).replace("null", "NaN") for row in rows)
        (folder / "metrics.jsonl").write_text(text + "\n")
    return tmp_path


def printed(logs, *words) -> str:
    done = CliRunner().invoke(app, ["check", str(logs), *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.stdout


def steering(text: str) -> list[str]:
    return re.findall("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)


@pytest.mark.parametrize("words", [[], ["-v"], ["--format", "concise"], ["--format", "github"]])
def test_no_name_steers_a_terminal_or_is_taken_for_markup(logs, words):
    text = printed(logs, *words)

    assert steering(text) == []
    assert "run[seed=1] [bold red]x[_]" in text


@pytest.mark.parametrize("command", [["runs"], ["watch", "--once"], ["names"], ["metrics"]])
def test_nor_in_other_commands(logs, command):
    done = CliRunner().invoke(app, [command[0], str(logs), *command[1:]])

    assert steering(done.output) == []


def test_every_line_for_github_is_one_annotation(logs):
    lines = printed(logs, "--format", "github").splitlines()

    assert lines
    assert all(re.match(r"::(error|warning|notice) title=[^,:]*::", line) for line in lines)


def test_junit_is_xml_whatever_the_names_hold(logs):
    root = ElementTree.fromstring(printed(logs, "--format", "junit"))

    assert any("run[seed=1]" in suite.get("name", "") for suite in root)


def test_sarif_follows_its_specification(logs):
    report = json.loads(printed(logs, "--format", "sarif"))

    check_sarif(report)
    assert report["runs"][0]["results"]


def test_markdown_shows_names_as_text(logs):
    html = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .render(printed(logs, "--format", "markdown"))
    )

    assert "<b>" not in html
    assert "<a " not in html
    assert "run[seed=1]" in html
    assert "&lt;b&gt;" in html


STEERING = "::error::x/loss", "c1\x9b31m\x7f\u2028\u202e/loss"


@pytest.fixture
def steering_run(tmp_path):
    """A run whose names would steer a terminal or a build server."""
    import runvitals as rv

    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init("p", dir=tmp_path, **quiet) as run:
        for step in range(30):
            run.log(dict.fromkeys(STEERING, 1.0), step=step)
    return run.folder


@pytest.mark.parametrize("command", ["names", "vitals", "check"])
def test_no_line_begins_like_a_command_of_a_build_server(steering_run, command):
    shown = CliRunner().invoke(app, [command, str(steering_run)]).output

    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("command", ["names", "vitals", "check"])
def test_json_spells_out_what_would_steer_a_terminal(steering_run, command):
    shown = CliRunner().invoke(app, [command, str(steering_run), "--format", "json"]).stdout

    assert json.loads(shown)
    assert not re.search("[\x7f-\x9f\u2028-\u202e]", shown)


def test_a_path_with_a_line_break_stays_in_its_line(tmp_path):
    missing = tmp_path / "no\n::error::x"

    from runvitals.model import ReadError

    assert "\n" not in str(ReadError(missing, "no such file"))
