"""`runvitals --help`, and what commands say about names that do not exist."""

import re

import pytest

from runvitals.testing import make_run


def test_help_groups_the_commands_and_cuts_no_summary(runvitals, monkeypatch):
    said = runvitals("--help").stdout

    names = re.findall(r"^  ([a-z]+) +[A-Z]", said, re.MULTILINE)
    assert len(names) == 26
    assert names[0] == "run"
    assert "..." not in said.partition("Options:")[2]
    assert max(map(len, said.splitlines())) <= 80
    assert re.findall(r"^(?:Record|Look .*):$", said, re.MULTILINE) == [
        "Record:",
        "Look at runs:",
        "Look things up:",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rule", "LR"], "choose one of LR001, LR002"),
        (["rule", "LR01"], "did you mean LR001"),
        (["rule", "entropy-colapse"], "did you mean entropy-collapse"),
        (["rules", "XX"], "no rules with codes that start with 'XX'"),
        (["check", "."], "which is empty"),
        (["check", "."], "runvitals run python train.py"),
    ],
)
def test_a_wrong_name_is_answered_with_what_to_do(runvitals, words, said):
    done = runvitals(*words)

    assert done.returncode == 2
    assert said in done.stderr


def test_no_runs_in_a_folder_says_how_to_get_some(runvitals):
    assert "runvitals demo" in runvitals("runs", ".").stdout


@pytest.mark.parametrize("name", ["entropy", "entrpy", "policy/entrpy"])
def test_a_series_that_was_not_logged_names_the_nearest(name):
    run = make_run({"policy/entropy": [1.0, 0.5], "value/loss": [1.0, 0.5]})

    with pytest.raises(KeyError, match=r"did you mean policy/entropy\?"):
        run[name]
