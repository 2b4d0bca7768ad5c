"""What the shells are offered, by the protocol that each of them speaks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runvitals.cli import completion
from runvitals.rules.registry import rules


def complete(line, shell="bash"):
    """Ask as the shell does; the program's name decides the name of the variable."""
    environment = {
        "_RUNVITALS_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    program = "import sys; sys.argv = ['runvitals']; from runvitals.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        ("runvitals rule KL00", "KL001"),
        ("runvitals check --select EN", "ENT"),
        ("runvitals check --ignore GRAD00", "GRAD001"),
        ("runvitals explain policy/appr", "policy/approx_kl"),
        ("runvitals explain actor/ppo", "actor/ppo_kl"),
        ("runvitals lab run gr", "grpo"),
        ("runvitals lab run ppo --task co", "coin-grid"),
        ("runvitals lab run ppo --fault lr-x", "lr-x100"),
        ("runvitals metrics --scenario ppo", "ppo-grpo"),
        ("runvitals runs --framework stable", "stable-baselines3"),
        ("runvitals comp", "compare"),
    ],
)
def test_bash_is_offered_what_fits(line, offer):
    assert offer in complete(line)


def test_zsh_and_fish_get_an_explanation_too():
    zsh = "\n".join(complete("runvitals rule KL00", "zsh"))
    fish = complete("runvitals rule KL00", "fish")

    assert '"KL001":"update-kl-above-target"' in zsh
    assert "KL001\tupdate-kl-above-target" in fish


def test_the_codes_offered_are_those_of_the_rules():
    own = {rule.code for rule in rules().values() if "runvitals" in rule.check.__module__}

    assert set(dict(completion.codes(""))) == own


def test_an_unknown_trainer_has_no_tasks():
    assert "".join(complete("runvitals lab run nothing --task c")) == ""
