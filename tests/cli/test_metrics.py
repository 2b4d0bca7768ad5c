"""`runvitals metrics`."""

import json

import pytest
import typer
from typer.testing import CliRunner

from runvitals.catalog import CHAPTERS, METRICS, SCENARIOS
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
    assert "choose one of" in str(error)


def sections(scenario):
    found = {}
    for entry in json.loads(run("--scenario", scenario, "--format", "json").output):
        found.setdefault(entry["section"], []).append(entry)
    return found


def test_a_metric_stands_in_each_group_that_it_belongs_to():
    groups = sections("teacher-tuning")

    rewards = [(one["metric"], one["names"]) for one in groups["Reward analysis"]]

    assert rewards == [
        ("reward/mean", ["Epoch/AvgReward"]),
        ("reward/trend", ["Epoch/RewardTrend"]),
        ("reward/var", ["Epoch/RewardVariance", "Train/RewardVariance"]),
        ("reward/std", ["Train/RewardStd"]),
    ]
    assert [one["metric"] for one in groups["System health"]] == [
        "system/cpu_percent",
        "system/memory_percent",
        "system/gpu_utilization_percent",
        "system/gpu_memory_percent",
    ]
    assert "preference/accuracy" in [one["metric"] for one in sections("dpo-kto")["Effectiveness"]]
    assert sections("dpo-kto")["Overfitting check"][0]["metric"] == "preference/accuracy"


@pytest.mark.parametrize("scenario", [*SCENARIOS, *CHAPTERS])
def test_every_group_of_a_list_is_shown_in_full(scenario):
    made = {**SCENARIOS, **CHAPTERS}[scenario]

    shown = sections(scenario)

    for group in made.groups:
        assert set(group.metrics) <= {one["metric"] for one in shown[group.title]}
        assert set(group.names) <= {name for one in shown[group.title] for name in one["names"]}


def test_a_list_is_found_by_its_heading():
    assert ids("--scenario", "PPO / GRPO Training") == ids("--scenario", "ppo-grpo")


def test_a_list_can_show_the_names_of_another_tool():
    entries = json.loads(run("-s", "ppo-grpo", "-f", "trl", "--format", "json").output)
    by_id = {entry["metric"]: entry["names"] for entry in entries}
    assert "kl" in by_id["policy/kl_ref"]


def test_units_have_a_column_of_their_own():
    lines = run("--scenario", "ppo-grpo").output.splitlines()

    [clipped] = [line for line in lines if "policy/clip_fraction" in line]
    assert clipped.split()[-2:] == ["ratio", "actor/pg_clipfrac"]
