"""The documentation is true: its Python runs, its commands work, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.import_map import line_of, rows
from tests.lab.test_running import BRIEFLY

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN_ELSEWHERE = {"runvitals demo"}  # as a whole, with what it says, in tests/cli/test_demo.py
# As `tests/conftest.py` does it here: on a busy machine a run waits for its CSV files to the end.
PATIENT = """
from runvitals.recorder import flusher, sink_thread
flusher.LANES_SECONDS = flusher.END_SECONDS = sink_thread.STUCK_SECONDS = 600.0
"""


def page_id(page):
    return str(page.relative_to(ROOT))


def python_in(page):
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def commands_in(page):
    return re.findall(r"^ *\$ (runvitals .*)$", page.read_text(), re.MULTILINE)


def test_there_is_python_and_there_are_commands_to_try():
    assert len([page for page in PAGES if python_in(page)]) > 10
    assert len([page for page in PAGES if commands_in(page)]) > 2


@pytest.mark.parametrize("page", [*filter(python_in, PAGES)], ids=page_id)
def test_python_blocks_run(page, tmp_path):
    blocks = python_in(page)
    script = tmp_path / "page.py"
    script.write_text("\n".join([PATIENT, *blocks]))  # a page is read from top to bottom
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr


def briefly(words):
    """A training of the lab with all its options, cut short where its page does not do so itself.

    The scheduler is resumed on its page, which needs the settings that it began with.
    """
    if words[:2] != ["lab", "run"] or words[2] == "scheduler":
        return words
    return [*words, *(f"--set={key}={value}" for key, value in BRIEFLY[words[2]].items())]


@pytest.mark.parametrize("page", [*filter(commands_in, PAGES)], ids=page_id)
def test_commands_work(page, tmp_path, runvitals):
    """Those with a prompt; in the tutorial, a check without one looks at a run that may be sick."""
    (tmp_path / "runs").mkdir()
    maybe_sick = "runvitals check runs/" if page.parent.name == "learn" else "only with a prompt"
    for sure, line in re.findall(r"^ +(\$ )?(runvitals .*)$", page.read_text(), re.MULTILINE):
        if line in RUN_ELSEWHERE or not (sure or line.startswith(maybe_sick)):
            continue
        done = runvitals(*briefly(shlex.split(line)[1:]))
        assert done.returncode in ((0,) if sure else (0, 1)), f"{line}\n{done.stderr}"


def shown_commands(page):
    """Every call of runvitals in a block of the page, without what the shell does with it."""
    blocks = re.findall(r"(?:^ {4,}[^\n]*\n)+|^```.*?^```$", page.read_text(), re.M | re.S)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    for line in lines:
        if found := re.match(r" *(?:- run: |run: |srun |\$ )?(runvitals [a-z].*)", line):
            text = re.split(r" # |  +", found[1])[0]  # what it does stands behind it
            words = shlex.split(text + '"' * (text.count('"') % 2))  # a query of several lines
            stop = next(
                (k for k, word in enumerate(words) if word in "|>;&&" or word == "||"), None
            )
            yield words[1:stop]


@pytest.mark.parametrize("page", [page for page in PAGES if [*shown_commands(page)]], ids=page_id)
def test_every_command_that_a_page_shows_exists_with_its_options(page):
    import typer
    from typer.main import get_command

    from runvitals.cli.main import app
    from runvitals.model import RunvitalsError

    for words in shown_commands(page):
        command, rest = get_command(app), words
        while hasattr(command, "commands"):
            name, *rest = rest
            assert name in command.commands, f"runvitals {' '.join(words)}"
            command = command.commands[name]
        with suppress(typer.BadParameter, RunvitalsError):  # a file or bucket that is not here
            command.make_context(name, [*rest])


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_command_is_in_the_readme():
    from runvitals.cli.main import app

    text = (ROOT / "README.md").read_text()
    for command in app.registered_commands:
        assert f"runvitals {command.name}" in text


def test_the_readme_counts_what_there_is():
    from runvitals.catalog import METRICS
    from runvitals.lab.registry import faults_of, trainers
    from runvitals.readers.registry import readers
    from runvitals.rules.registry import rules

    text = (ROOT / "README.md").read_text()
    faults = {fault.name for trainer in trainers() for fault in faults_of(trainer)}
    counts = {
        r"more than ([\d,]+) \[rules\]": len(rules()),
        r"reads\s+\[([\d,]+) formats\]": len(readers()),
        r"the ([\d,]+) metrics": len(METRICS),
        r"one of ([\d,]+) faults": len(faults),
    }

    for sentence, count in counts.items():
        [said] = re.findall(sentence, text)
        assert 0.93 * count <= int(said.replace(",", "")) <= count, sentence


def test_each_package_is_on_the_map_with_what_it_imports():
    source = ROOT / "src" / "runvitals"
    packages = {file.parent.name for file in source.glob("*/__init__.py")}
    modules = {file.stem for file in source.glob("*.py") if not file.stem.startswith("_")}

    listed = rows()

    assert {row["name"] for row in listed} == packages | modules
    for row in listed:
        assert row[0] == line_of(row), "run `make docs`, and look at what it changes"


def test_the_tutorial_names_faults_and_rules_that_exist():
    from runvitals.lab.registry import faults_of, trainer
    from runvitals.rules.registry import rules

    text = (ROOT / "docs" / "learn" / "is-it-learning.md").read_text()
    faults = set(re.findall(r"--fault ([a-z0-9-]+)", text))

    assert len(faults) == 5
    assert faults <= {fault.name for fault in faults_of(trainer("ppo"))}
    assert set(re.findall(r"\b[A-Z]{3,4}\d{3}\b", text)) <= set(rules())


def test_each_trainer_of_the_lab_has_a_page_with_its_faults_and_a_picture():
    from runvitals.lab.registry import trainers

    for trainer in trainers():
        text = (ROOT / "docs" / "lab" / f"{trainer.name}.md").read_text()
        assert (ROOT / "docs" / "lab" / "pictures" / f"{trainer.name}.png").stat().st_size > 10_000
        for thing in (*trainer.tasks, *trainer.faults, *trainer.variants):
            assert f"| {thing.name} |" in text, f"run python -m benchmarks.lab.pages: {thing.name}"


def test_every_key_of_the_dashboard_is_in_its_guide():
    help_ = (ROOT / "web" / "src" / "ui" / "Help.svelte").read_text()
    guide = (ROOT / "docs" / "guides" / "dashboard.md").read_text()
    [keys] = re.findall(r"KEYS: .*?\n  \];", help_, re.DOTALL)

    listed = re.findall(r"\['([^']+)', '([^']+)'\]", keys)

    assert len(listed) > 10
    for key, what in listed:
        assert f"| `{key}` | {what} |" in guide or key == "Esc", key
