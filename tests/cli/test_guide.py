"""`runvitals guide`, and that a wheel holds what it prints."""

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import tarfile
import urllib.request
from dataclasses import asdict
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from runvitals.cli.guide import ROOMS, guide, pages
from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.lab.scheduler_session import run_session
from runvitals.lab.scheduler_settings import BLOCKS, ChosenSettings, Monitoring, read_settings
from runvitals.model import ConfigError

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "configs" / "ppo_warmstart.json"
app = typer.Typer()
app.command()(guide)


def run(*args):
    return CliRunner().invoke(app, list(args))


def test_every_guide_is_listed_with_its_title():
    lines = run().output.splitlines()

    assert len(lines) == len(pages()) > 30
    assert any(line.split()[0] == "training_monitoring_guide" for line in lines)
    assert any("The scheduler's KL regularisation" in line for line in lines)


def test_no_page_hides_another_of_its_name():
    files = [file for room in ROOMS.values() for file in (ROOT / room).glob("*.*")]

    assert len(pages()) == len(files) - 1  # the lab's list of its pages
    assert pages()["grpo"] == ROOT / "docs" / "learn" / "grpo.md"
    assert pages()["lab/grpo"] == ROOT / "docs" / "lab" / "grpo.md"


def test_a_guide_is_printed_as_it_is():
    text = (ROOT / "docs" / "lab" / "reward_config_guide.md").read_text()

    assert run("reward_config_guide").output == text
    assert run("reward_config_guide.md").output == text


def test_a_sample_is_written_into_a_new_folder(tmp_path):
    target = tmp_path / "configs" / "ppo_warmstart.json"

    run("ppo_warmstart.json", "-o", str(target))

    assert target.read_text() == SAMPLE.read_text()


def test_a_guide_that_is_not_there_is_an_error_with_the_choices():
    error = run("nothing").exception

    assert isinstance(error, ConfigError)
    assert "training_monitoring_guide" in (error.hint or "")


def test_the_site_of_the_package_is_served_until_ctrl_c(tmp_path):
    (tmp_path / "index.html").write_text("the whole documentation")
    with tarfile.open(tmp_path / "site.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "index.html", "index.html")
    script = (
        "import pathlib, sys, runvitals.cli.guide as g; "
        "g.PACKAGED = pathlib.Path(sys.argv[1]); g.guide(open_=True)"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": "true"}
    )

    said = process.stdout.readline()
    [address] = re.findall(r"http://127\.0\.0\.1:\d+/", said)
    with urllib.request.urlopen(address) as answer:
        text = answer.read().decode()
    process.send_signal(signal.SIGINT)

    assert text == "the whole documentation"
    assert process.wait() == 0


def test_a_copy_without_the_site_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("runvitals.cli.guide.PACKAGED", tmp_path)
    monkeypatch.setattr("runvitals.cli.guide.ROOT", tmp_path)

    error = run("--open").exception

    assert isinstance(error, ConfigError)
    assert "came without the site" in str(error)


def test_wheel_and_sdist_take_the_site_if_it_was_built(tmp_path):
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))
    for folder in ("build", *ROOMS.values()):
        (tmp_path / folder).mkdir(parents=True)
    packed = tmp_path / "build" / "site.tar.xz"

    assert hook["guides"](tmp_path) == hook["site"](tmp_path) == {}
    packed.touch()
    assert hook["guides"](tmp_path) == {str(packed): "runvitals/pages/site.tar.xz"}
    assert hook["site"](tmp_path) == {str(packed): "build/site.tar.xz"}


def test_the_wheel_takes_every_guide_with_it():
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))

    packed = hook["guides"](ROOT)

    assert hook["GUIDES"] == ROOMS
    assert {str(path) for path in pages().values()} <= set(packed)
    assert packed[str(SAMPLE)] == "runvitals/pages/configs/ppo_warmstart.json"


def test_the_sample_has_every_setting_as_it_is_without_it():
    content = json.loads(SAMPLE.read_text())
    chosen = read_settings(SAMPLE)

    assert set(BLOCKS) | {"monitoring"} <= set(content)
    assert content["monitoring"] == asdict(Monitoring())
    assert SchedulerConfig(**chosen.settings) == SchedulerConfig()
    assert content["kl_regularization"]["target_kl"] == 0.02
    assert content["kl_regularization"]["entropy_min"] == 0.5


@pytest.mark.parametrize("rule", ["shortest-queue", ""])
def test_warm_start_works_from_the_sample(tmp_path, rule):
    brief = {"chunks": 1, "updates_per_chunk": 2, "eval_requests": 60, "final_requests": 60}
    given = ChosenSettings(settings={**brief, "warm_start": rule}).over(read_settings(SAMPLE))

    run_session(tmp_path / "out", given, console=False, judge=False)

    summary = json.loads((tmp_path / "out" / "run.json").read_text())["summary"]
    if rule:
        assert summary["warm_start_agreement"] > 0.6
        assert "imitated shortest-queue" in (tmp_path / "out" / "ppo_training.log").read_text()
        assert list((tmp_path / "out" / "metrics").glob("*.csv"))
        assert list((tmp_path / "out" / "tensorboard").iterdir())
    else:
        assert "warm_start_agreement" not in summary
