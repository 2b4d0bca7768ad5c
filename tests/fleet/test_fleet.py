"""Questions about many runs, asked of a folder, of the list kept with it, and of an index."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from runvitals.cli.main import app
from runvitals.fleet.table import age_of
from runvitals.model import ConfigError

QUESTION = ("--project", "cartpole", "--verdict", "collapsed", "--since", "7d")


def asked(*words, **environment):
    done = CliRunner().invoke(app, ["fleet", *map(str, words)], env=environment)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def facts(*words):
    found = json.loads(asked(*words, "--format", "json"))
    return [(run["project"], run["id"], run["rules"], run["settings"]["learning_rate"])
            for run in found]  # fmt: skip


def test_which_runs_collapsed_last_week_by_which_rule_at_which_learning_rate(fleet):
    found = facts(fleet, *QUESTION, "--workers", 1)

    assert [(project, rate) for project, _, _, rate in found] == [("cartpole", 0.05)] * 2
    assert {id for _, id, _, _ in found} == {"run0", "run3"}
    assert all(rules for _, _, rules, _ in found)


def test_the_kept_list_and_an_index_give_the_same_answer(fleet, tmp_path):
    judged = facts(fleet, *QUESTION, "--workers", 1)
    index = f"chdb://{tmp_path}/index"
    done = CliRunner().invoke(app, ["index", str(fleet), index, "--no-points", "--workers", "1"])
    assert done.exit_code == 0, done.output

    assert facts(fleet, *QUESTION, "--as-is") == judged
    assert facts(index, *QUESTION) == judged
    assert facts(index, "--rule", "NUM") == facts(fleet, "--as-is", "--rule", "NUM") == []


def test_a_narrow_terminal_has_the_names_and_the_numbers(fleet):
    lines = asked(fleet, "--workers", 1, COLUMNS="80").splitlines()

    assert lines[0].split() == ["run", "verdict", "rules", "learning_rate", "ended"]
    assert any(line.startswith("cartpole/run0") and "0.05" in line for line in lines)
    assert lines[-1].startswith("6 runs: 4 learned, 2 collapsed")


def test_a_list_that_is_not_there_is_asked_for_once(tmp_path):
    with pytest.raises(Exception, match="leave out --as-is once"):
        asked(tmp_path, "--as-is")


def test_a_length_of_time_is_understood_or_explained():
    assert age_of("12h") == 43_200
    with pytest.raises(ConfigError, match="12h, 7d or 2w"):
        age_of("a week")
