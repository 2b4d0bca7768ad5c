"""The one door to judging: whoever asks gets the same answer, by the same settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import runvitals as rv
from runvitals.diagnosis.engine import Choice
from runvitals.diagnosis.judge import Settings, judge, settings_for
from runvitals.model import ConfigError, Diagnosis, Run
from runvitals.render.ci import markdown
from runvitals.render.json_ import as_json
from runvitals.render.judged import exit_code, judged
from runvitals.render.notebook import html
from runvitals.rules.registry import rules
from runvitals.testing import make_run

SOURCE = Path(rv.__file__).parent
BENCHMARKS = SOURCE.parents[1] / "benchmarks"


def sick_run() -> Run:
    return make_run(
        {"policy/approx_kl": [0.01] * 20 + [0.3] * 20}, algorithm="PPO", config={"target_kl": 0.02}
    )


def codes(diagnosis: Diagnosis) -> set[str]:
    return {finding.code for finding in diagnosis.findings}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The working folder, with a settings file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runvitals.toml").write_text('ignore = ["KL001"]\n')
    return tmp_path


def test_nothing_but_the_door_asks_the_engine():
    asks = re.compile(r"engine import .*\bjudge_by_rules\b")
    files = [*SOURCE.rglob("*.py"), *BENCHMARKS.rglob("*.py")]

    found = {file.name for file in files if asks.search(file.read_text(encoding="utf-8"))}

    # siblings.py asks for the rules about other runs only, after each run was judged by itself
    assert found == {"judge.py", "siblings.py"}
    assert (SOURCE / "diagnosis" / "judge.py").is_file()


def test_settings_made_by_hand_are_not_those_of_the_user(here):
    assert "KL001" in codes(judge(sick_run(), Settings()))
    assert "KL001" not in codes(judge(sick_run(), settings_for()))


def test_the_diagnosis_says_which_file_was_used(here):
    assert judge(sick_run(), settings_for()).settings_file == "runvitals.toml"
    assert judge(sick_run(), Settings()).settings_file is None


def test_the_folder_of_the_logs_has_no_say(tmp_path, monkeypatch):
    logs, work = tmp_path / "logs", tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    with rv.init(dir=logs, id="one", project="p", console=False, tensorboard=False) as run:
        run.log({"x": 1.0}, step=0)
    (run.folder / "runvitals.toml").write_text("nonsense = 1")

    assert rv.judge(run.folder).settings_file is None


def test_a_file_that_is_named_counts_alone(here):
    other = here / "other" / "mine.toml"
    other.parent.mkdir()
    other.write_text('ignore = ["CLIP"]\nalgorithm = "PPO"\n')

    settings = settings_for(other)

    assert settings.choice.ignore == ("CLIP",)
    assert settings.reading.algorithm == "PPO"
    assert settings.file == "other/mine.toml"


def test_what_is_said_now_goes_over_the_file(here):
    (here / "runvitals.toml").write_text(
        'select = ["KL"]\nignore = ["CLIP"]\nalgorithm = "PPO"\n[map]\na = "policy/entropy"\n'
    )

    settings = settings_for(
        select=["ENT"], ignore=["NUM"], preview=True, algorithm="GRPO", names={"b": "policy/loss"}
    )

    assert settings.choice == Choice(select=("ENT",), ignore=("CLIP", "NUM"), preview=True)
    assert settings.reading.algorithm == "GRPO"
    assert settings.reading.names == {"a": "policy/entropy", "b": "policy/loss"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('select = ["XX"]', "no rule 'XX'"),
        ('notify = "ntfy://x"', "`notify` must be a list"),
        ('[map]\nx = "no/such"', "no metric 'no/such'"),
        ('select = ["KL001"]\nignore = ["KL"]', "both selected and ignored"),
        ("wrong = 1", "no setting 'wrong'"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(here, text, says):
    (here / "runvitals.toml").write_text(text)

    with pytest.raises(ConfigError, match=says) as error:
        settings_for()

    assert error.value.where == str(here / "runvitals.toml")


def test_a_mistake_in_an_option_is_not_blamed_on_the_file(here):
    with pytest.raises(ConfigError, match="no rule 'XX'") as error:
        settings_for(select=["XX"])

    assert error.value.where is None


# whoever asks


def test_the_public_judge_goes_by_the_settings(here):
    (here / "other.toml").write_text('ignore = ["NUM"]')

    assert "KL001" not in codes(rv.judge(sick_run()))
    assert "KL001" in codes(rv.judge(sick_run(), settings=here / "other.toml"))


def test_notebooks_go_by_the_settings_and_name_them(here):
    shown = html(sick_run())

    assert "KL001" not in shown
    assert "Settings: runvitals.toml" in shown


def test_a_notebook_tells_a_mistake_in_the_settings_and_judges_without_them(here):
    (here / "runvitals.toml").write_text("nonsense = 1")

    shown = html(sick_run())

    assert "KL001" in shown
    assert "your settings were not used: there is no setting" in shown


def test_json_and_markdown_name_the_settings(here):
    run = sick_run()
    one = judged(run, judge(run, settings_for()), "runs/ppo")

    assert as_json([one])["runs"][0]["settings_file"] == "runvitals.toml"
    assert "Settings: runvitals.toml" in "\n".join(markdown([one]))


def test_the_live_judge_goes_by_the_folder_in_which_the_run_began(here, monkeypatch):
    (here / "runvitals.toml").write_text('ignore = ["NUM001"]')
    run = rv.init(dir=here / "runs", id="one", project="p", console=False, tensorboard=False)
    elsewhere = here.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    monkeypatch.chdir(elsewhere)
    for step in range(30):
        run.log({"policy/loss": float("nan"), "value/loss": float("nan")}, step=step)
    run.finish()

    said = run.folder / "findings.jsonl"
    told = (
        [json.loads(line)["code"] for line in said.read_text().splitlines()]
        if said.exists()
        else []
    )

    assert "NUM001" not in told


COLLAPSES = {"outcome/return_mean": [*range(20, 220, 5), *range(220, 20, -5)]}


LEFT_OUT = " (REW003 would report this, but is {})"


@pytest.mark.parametrize(
    ("choice", "said", "code"),
    [
        (Choice(), "", 1),
        (Choice(ignore=("REW003",)), LEFT_OUT.format("ignored"), 0),
        (Choice(ignore=(rules()["REW003"].name,)), LEFT_OUT.format("ignored"), 0),
        (Choice(select=("EVAL", "REW005")), LEFT_OUT.format("not selected"), 0),
        (Choice(ignore=("KL",)), "", 1),
    ],
    ids=["as it is", "ignored", "ignored by name", "not selected", "another is ignored"],
)
def test_a_bad_word_stays_and_says_if_its_rule_was_left_out(choice, said, code):
    run = make_run(COLLAPSES, algorithm="PPO")

    found = judge(run, Settings(choice=choice), since_when=False)

    assert found.verdict.word == "collapsed"
    assert found.verdict.reason.endswith(said)
    assert said or "would report" not in found.verdict.reason
    assert exit_code([judged(run, found, "here")]) == code
