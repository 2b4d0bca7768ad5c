"""What the commands that look at runs share: where they look, and what they say if that is wrong."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import runvitals as rv
from runvitals.cli.main import app
from runvitals.cli.options import codes
from runvitals.model import ConfigError, ReadError, RunvitalsError
from runvitals.testing import make_run

LOOKING = [["runs"], ["check"], ["watch", "--once"], ["vitals"], ["names"], ["report"]]
ids = " ".join


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A working folder in which one run was recorded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNVITALS_DIR", raising=False)
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init("p", "mine", **quiet) as run:
        for step in range(50):
            run.log({"outcome/return_mean": step + step % 3, "my_kl": 0.01}, step=step)
    return tmp_path


def call(*words: str):
    done = CliRunner().invoke(app, words)
    if isinstance(done.exception, RunvitalsError):
        raise done.exception
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize("words", LOOKING, ids=ids)
def test_a_command_without_logs_looks_into_runs(recorded, words):
    done = call(*words)

    assert done.exit_code == 0, done.output
    assert "mine" in done.output or "outcome/return_mean" in done.output


@pytest.mark.parametrize("words", LOOKING, ids=ids)
def test_without_any_runs_it_says_how_to_get_some(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RUNVITALS_DIR", raising=False)

    with pytest.raises(ReadError, match=r"runvitals run -- python train\.py"):
        call(*words)


@pytest.mark.parametrize("words", [["runs"], ["watch", "--once"], ["report"]], ids=ids)
def test_a_misspelled_path_gets_the_nearest_one(recorded, words):
    with pytest.raises(ReadError, match="did you mean runs"):
        call(*words, "rusn")


@pytest.mark.parametrize("words", [*LOOKING, ["serve"]], ids=ids)
def test_a_misspelled_tool_gets_the_nearest_one(recorded, words):
    with pytest.raises(ConfigError, match="did you mean stable-baselines3"):
        call(*words, "-f", "stable-baseline3")


@pytest.mark.parametrize("words", [*LOOKING, ["serve"]], ids=ids)
def test_a_name_cannot_be_mapped_to_a_metric_that_does_not_exist(recorded, words):
    with pytest.raises(ConfigError, match="policy/approx_kl"):
        call(*words, "--map", "my_kl=policy/aprox_kl")


def test_the_dashboard_goes_by_the_options_of_the_command(recorded):
    from runvitals.readers.discovery.discover import discover
    from runvitals.readers.settings_file import with_options
    from runvitals.server.work.judge_place import _settings_stamp, judge_place
    from runvitals.view.places import place_of

    log = recorded / "x.csv"
    log.write_text("step,my_kl\n" + "".join(f"{i},0.9\n" for i in range(60)))
    [found] = discover(log)
    file = with_options(None, algorithm="PPO", names={"my_kl": "policy/approx_kl"})

    plain, told = (
        judge_place(place_of(found, recorded), one).runs[0].judgement for one in (None, file)
    )

    assert "KL001" not in {one.code for one in plain.findings}
    assert "KL001" in {one.code for one in told.findings}
    assert told.settings_file is None
    assert _settings_stamp(file) != _settings_stamp(None)


def test_codes_may_be_given_with_commas(recorded):
    assert codes(["KL001,CLIP001", "REW"]) == ["KL001", "CLIP001", "REW"]
    assert call("check", "--select", "KL001,REW").exit_code in (0, 2)
    with pytest.raises(ConfigError, match="CLIP001"):
        call("check", "--select", "KL001,CLIP0001")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_for_tables_is_named_with_what_to_install(monkeypatch, library):
    monkeypatch.setattr("runvitals.model.run.find_spec", lambda name: None)
    run = make_run({"loss": [1.0, 0.5]})

    with pytest.raises(ConfigError, match=rf"pip install \"runvitals\[{library}\]\""):
        getattr(run, f"to_{library}")()
