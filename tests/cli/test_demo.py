import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.demo import demo, train_demo_run
from runvitals.lab.ppo_settings import PPOConfig

app = typer.Typer()
app.command()(demo)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """The whole demo, as a user sees it, and where its runs are."""
    folder = tmp_path_factory.mktemp("demo")
    return CliRunner().invoke(app, ["--dir", str(folder)], env={"COLUMNS": "200"}), folder


def test_the_demo_trains_two_runs_and_tells_the_sick_one(shown: tuple[Result, Path]) -> None:
    said, folder = shown

    assert said.exit_code == 0, said.output
    healthy, sick = rv.open_runs(folder)
    assert (healthy.name, sick.name) == ("healthy-seed0", "sick-seed0")
    assert (healthy.status, sick.status) == ("finished", "finished")
    assert re.search(r"return +\d+ at the start, (499|500) at the end", said.stdout)
    assert re.search(r"verdict +learned( \(\d+%\))?: .* collapsed( \(\d+%\))?: ", said.stdout)
    assert re.search(r"findings +(nothing found|no alarms, \d+ notices?) +\d+ finding", said.stdout)
    assert "LR001 critical: learning rate jumped" in said.stdout
    assert f"runvitals compare {healthy.path} {sick.path}" in said.stdout  # not broken over lines


def test_the_demo_prints_what_it_announced_and_calls_nothing_slow_that_is_not(
    shown: tuple[Result, Path],
) -> None:
    said, _ = shown

    code = r"^([A-Z]+\d{3})"
    announced = re.findall(rf"{code} (?:critical|warning) at step", said.stderr, re.MULTILINE)
    settled = re.findall(rf"{code} (?:over at step|follows from)", said.stderr, re.MULTILINE)
    printed = re.findall(rf"{code} (?:critical|warning): ", said.stdout, re.MULTILINE)
    assert len(printed) > 1
    assert sorted(set(announced) - set(settled)) == sorted(printed)
    assert f"{len(printed)} findings" in said.stdout
    # updates per second fall because updates stop early; environment steps per second rise
    assert "PERF001" not in printed
    assert "times slower" not in said.output


def test_the_fast_demo_does_not_claim_to_know(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["--fast", "--quiet", "--dir", str(tmp_path)])

    assert said.exit_code == 0, said.output
    assert "500 at the end" not in said.stdout
    assert "solved" not in said.stdout


def test_the_demo_shows_the_runs_while_they_train(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["--steps", "6144", "--seed", "3", "--dir", str(tmp_path)])

    assert said.exit_code == 0, said.output
    assert "seed 3" in said.output
    assert said.output.count("step 6,144") >= 2
    assert {run.config["seed"] for run in rv.open_runs(tmp_path)} == {3}


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


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_demo_shows_what_it_installs() -> None:
    said = subprocess.run(
        ["make", "--dry-run", "no-such-venv/.ready", "DEMO=no-such-venv"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "Installing runvitals into no-such-venv" in said
    assert "pip install" in said
    assert "--quiet" not in said
