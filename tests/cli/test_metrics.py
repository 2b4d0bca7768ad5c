"""`runvitals metrics`."""

import json

import pytest
import typer
from typer.testing import CliRunner

from runvitals.catalog import METRICS
from runvitals.cli.metrics import metrics
from runvitals.model import ConfigError

app = typer.Typer()
app.command()(metrics)


def run(*args):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "120"})


def ids(*args):
    return [entry["metric"] for entry in json.loads(run(*args, "--format", "json").output)]


def test_all_metrics_are_listed():
    assert ids() == list(METRICS)
    assert f"{len(METRICS)} metrics" in run().output


def test_a_category_is_listed():
    assert all(one.startswith("policy/") for one in ids("--category", "policy"))


def test_a_tool_is_listed_with_its_names():
    entries = json.loads(run("--framework", "sb3", "--format", "json").output)
    by_id = {entry["metric"]: entry["names"] for entry in entries}
    assert "train/approx_kl" in by_id["policy/approx_kl"]


def test_a_scenario_is_listed_in_its_order():
    assert ids("--scenario", "minimum-dashboard")[:3] == [
        "outcome/success_rate",
        "outcome/win_rate",
        "outcome/return_mean",
    ]


def test_words_are_searched():
    assert "value/explained_variance" in ids("--search", "explained variance")
    assert ids("--search", "no such words") == []


@pytest.mark.parametrize("option", ["--category", "--framework", "--scenario"])
def test_an_unknown_filter_is_an_error(option):
    error = run(option, "nobody").exception
    assert isinstance(error, ConfigError)
    assert "known are" in str(error)
