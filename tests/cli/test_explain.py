"""`runvitals explain`."""

import json

import pytest
import typer
from typer.testing import CliRunner

from runvitals.cli.explain import explain
from runvitals.model import ConfigError

app = typer.Typer()
app.command()(explain)


def run(*args):
    return CliRunner().invoke(app, list(args), env={"COLUMNS": "120"})


def test_an_alias_is_explained():
    result = run("actor/ppo_kl")

    assert result.exit_code == 0
    for part in (
        "policy/kl_old",
        "Watch for",
        "losses/old_approx_kl",
        "Not the same as",
        "ppo-grpo",
    ):
        assert part in result.output


def test_sources_of_healthy_ranges_are_shown():
    output = run("policy/clip_fraction").output
    bands = json.loads(run("policy/clip_fraction", "--format", "json").output)["healthy"]

    assert "up to 0.2" in output
    assert "0.1 to 0.3" in output
    assert "Training Monitoring Guide" in [band["source"] for band in bands]


def test_the_sign_is_explained():
    assert "-1 * logged value" in run("train/entropy_loss", "--framework", "sb3").output


def test_an_ambiguous_name_shows_what_decides():
    result = run("kl")

    assert result.exit_code == 0
    assert "preference/kl" in result.output
    assert "policy/kl_ref" in result.output
    assert "--framework" in result.output


def test_the_tool_settles_an_ambiguous_name():
    output = run("kl", "-f", "trl", "-a", "GRPO").output
    assert output.startswith("policy/kl_ref")


def test_a_word_of_the_glossary_is_defined():
    assert "advantage" in run("GAE").output


def test_a_known_name_without_meaning_says_so():
    assert "no general meaning" in run("rollout_corr/rollout_log_ppl").output


@pytest.mark.parametrize("name", ["train/approx_kl", "kl", "GAE", "eval/preference/margin"])
def test_json_is_for_machines(name):
    answer = json.loads(run(name, "--format", "json").output)
    assert answer["query"] == name
    assert answer["kind"] in {"metric", "ambiguous", "term"}


def test_an_unknown_name_is_an_error_with_near_names():
    error = run("policy/aprox_kl_").exception

    assert isinstance(error, ConfigError)
    assert "policy/approx_kl" in str(error)


def test_an_unknown_tool_is_an_error():
    assert isinstance(run("kl", "-f", "nobody").exception, ConfigError)
