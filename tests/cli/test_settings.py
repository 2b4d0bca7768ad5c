"""Every command that judges goes by the same settings, and says which."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app

from .test_check import write_log


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    """Run a command in the temporary folder, whose settings put KL001 aside."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runvitals.toml").write_text('ignore = ["KL001"]\nalgorithm = "PPO"\n')
    (tmp_path / "all.toml").write_text('algorithm = "PPO"\n')
    (tmp_path / "logs").mkdir()
    write_log(tmp_path / "logs" / "sick.csv", sick=True)

    def run(*words: str) -> str:
        return CliRunner().invoke(app, words, catch_exceptions=False).output

    return run


@pytest.mark.parametrize(
    "words",
    [("check", "logs"), ("watch", "logs", "--once"), ("compare", "logs", "logs")],
    ids=lambda words: words[0],
)
def test_the_nearest_settings_are_followed_and_named(invoke, words):
    here, other = invoke(*words), invoke(*words, "--settings", "all.toml")

    assert "runvitals.toml" in here
    assert "KL001" not in here
    assert "all.toml" in other
    assert "KL001" in other or words[0] == "compare"


def test_settings_beside_the_logs_are_not_read(invoke, tmp_path):
    (tmp_path / "logs" / "runvitals.toml").write_text("nonsense = 1")

    found = json.loads(invoke("check", "logs", "--format", "json"))["runs"][0]

    assert found["settings_file"] == "runvitals.toml"
    assert found["algorithm"] == "PPO"


def test_names_are_read_by_the_named_settings_alone(invoke, tmp_path):
    (tmp_path / "runvitals.toml").write_text('[map]\nstep_odd = "value/loss"\n')
    (tmp_path / "map.toml").write_text('[map]\nodd = "policy/loss"\n')
    rows = "".join(f"{i},{i / 7},{i / 9}\n" for i in range(20))
    (tmp_path / "logs" / "sick.csv").write_text(f"step,odd,step_odd\n{rows}")

    shown = invoke("names", "logs", "--settings", "map.toml")

    assert "policy/loss" in shown
    assert "value/loss" not in shown


def test_a_mistake_is_told_before_a_dashboard_begins(invoke, tmp_path):
    (tmp_path / "runvitals.toml").write_text("[rules.KL001]\nlimt = 1\n")

    with pytest.raises(Exception, match="KL001 has no option 'limt'"):
        invoke("serve", "logs", "--no-open")
