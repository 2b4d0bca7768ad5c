import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.demo import demo, train_demo_run
from runvitals.lab.ppo import PPOConfig

app = typer.Typer()
app.command()(demo)


def test_the_fast_demo_trains_records_and_says_honestly_how_it_went(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["--fast", "--quiet", "--dir", str(tmp_path)])

    assert said.exit_code == 0, said.output
    run = rv.open_run(tmp_path)
    assert run.project == "demo"
    assert run.status == "finished"
    assert run.last_step == 20_480
    assert re.search(r"return +\d+ at the start, \d+ at the end", said.stdout)
    assert re.search(r"solved +no: best so far \d+", said.stdout)
    assert f"{run.points.count:,} points" in said.stdout
    assert f"runvitals export {run.path} --to csv" in said.stdout  # not broken over lines


def test_the_demo_shows_the_run_while_it_trains(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["--steps", "6144", "--seed", "3", "--dir", str(tmp_path)])

    assert said.exit_code == 0, said.output
    assert "seed 3" in said.output
    assert "step 6,144" in said.output
    assert rv.open_run(tmp_path).config["seed"] == 3


def test_a_demo_run_can_be_trained_without_the_command(tmp_path: Path) -> None:
    trained = train_demo_run(PPOConfig(total_steps=4096), tmp_path, name="healthy", console=False)

    run = rv.open_run(trained.folder)
    assert run.name == "healthy"
    assert run.algorithm == "PPO"
    assert run["outcome/return_mean"].last == trained.result.final_return


def test_an_interrupted_demo_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("runvitals.lab.ppo.evaluate", interrupt)

    said = CliRunner().invoke(app, ["--fast", "--quiet", "--dir", str(tmp_path)])

    assert said.exit_code == 130
    assert "kept" in said.stdout
    assert rv.open_run(tmp_path).status == "stopped"
