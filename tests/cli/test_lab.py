from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.lab.registry import FILES
from runvitals.model import ConfigError


def call(*words: object) -> str:
    result = CliRunner().invoke(app, ["lab", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_list_has_every_trainer() -> None:
    shown = call("list")

    assert all(name in shown for name in FILES)


def test_one_trainer_is_listed_with_its_faults() -> None:
    shown = call("list", "ppo")

    assert "lr-x100" in shown
    assert "P01" in shown
    assert "cartpole" in shown


def test_a_run_is_trained_and_recorded(tmp_path: Path) -> None:
    shown = call("run", "sft", "--variant", "short-run", "--seed", 3, "--dir", tmp_path)

    [folder] = (tmp_path / "lab").iterdir()
    run = rv.open_run(folder)
    assert run.name == "sft-sorting-short-run-seed3"
    assert run.config["seed"] == 3
    assert "the target is" in shown


def test_a_sick_run_says_since_when(tmp_path: Path) -> None:
    words = ("--fault", "lr-x100", "--onset", 0.4, "--variant", "short-run", "--quiet")

    shown = call("run", "sft", *words, "--dir", tmp_path)

    assert "the fault was active from step" in shown


def test_settings_can_be_given(tmp_path: Path) -> None:
    call(
        "run", "sft", "--variant", "short-run", "--set", "learning_rate=2e-3", "--dir", tmp_path
    )  # fmt: skip

    [folder] = (tmp_path / "lab").iterdir()
    assert rv.open_run(folder).config["learning_rate"] == 0.002


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "sfd"), "no trainer 'sfd'"),
        (("run", "sft", "--fault", "nothing"), "no fault 'nothing'"),
        (("run", "sft", "--set", "learning_rate"), "--set expects NAME=VALUE"),
        (("run", "sft", "--set", "learnin_rate=1"), "has no setting 'learnin_rate'"),
    ],
    ids=["trainer", "fault", "no value", "unknown setting"],
)
def test_mistakes_are_named(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says):
        CliRunner().invoke(app, ["lab", *words, "--dir", str(tmp_path)], catch_exceptions=False)
