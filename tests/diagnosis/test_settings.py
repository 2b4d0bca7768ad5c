from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runvitals.diagnosis.baseline import read_baseline, without, write_baseline
from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.diagnosis.plugins import load_file
from runvitals.diagnosis.settings import choice_from, find_rule
from runvitals.model import ConfigError, Run
from runvitals.rules import registry
from runvitals.rules.registry import rules
from runvitals.testing import make_run


def sick_run() -> Run:
    return make_run(
        {"policy/approx_kl": [0.01] * 20 + [0.3] * 20}, algorithm="PPO", config={"target_kl": 0.02}
    )


def test_options_severities_and_codes_are_read() -> None:
    table = {
        "ignore": ["CLIP"],
        "preview": True,
        "rules": {"KL001": {"limit": 1, "severity": "notice"}},
    }

    choice = choice_from(table, rules())

    assert choice.ignore == ("CLIP",)
    assert choice.preview
    assert choice.options == {"KL001": {"limit": 1.0}}
    assert choice.severities == {"KL001": "notice"}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"select": "KL"}, "`select` must be a list of codes"),
        ({"select": ["KL00"], "ignore": ["XX001"]}, "no rule 'XX001'"),
        ({"preview": "yes"}, "`preview` must be true or false, got 'yes'"),
        ({"rules": {"KL01": {}}}, "did you mean KL001"),
        ({"rules": {"KL001": {"limt": 1}}}, "KL001 has no option 'limt'"),
        (
            {"rules": {"KL001": {"limit": "high"}}},
            "`rules.KL001.limit` must be a number, got 'high'",
        ),
        ({"rules": {"KL001": {"limit": True}}}, "`rules.KL001.limit` must be a number, got True"),
        ({"rules": {"KL001": {"severity": "fatal"}}}, "warning, notice, got 'fatal'"),
        ({"rules": {"KL001": 3}}, "`rules.KL001` must be a table"),
        ({"rules": 3}, "`rules` must be a table"),
    ],
)
def test_mistakes_are_named(table: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as error:
        choice_from(table, rules())

    assert says in str(error.value)


def test_a_rule_is_found_by_code_and_by_name() -> None:
    assert find_rule("kl001", rules()) is find_rule("update-kl-above-target", rules())


# accepted findings


def test_accepted_findings_are_not_reported_again(tmp_path: Path) -> None:
    found = judge_by_rules(sick_run(), Choice(select=("KL001",)))
    path = tmp_path / "baseline.json"

    count = write_baseline(path, [("made-up", found)])

    accepted = read_baseline(path)
    assert count == 1
    assert without(found, "made-up", accepted).findings == ()
    assert without(found, "another run", accepted).findings == found.findings


def test_a_broken_baseline_is_named(tmp_path: Path) -> None:
    (tmp_path / "baseline.json").write_text("{}")

    with pytest.raises(ConfigError, match="write a new one"):
        read_baseline(tmp_path / "baseline.json")


# rules of the user's own

PLUGIN = '''
from runvitals.model import Hit, Span
from runvitals.rules.registry import rule

@rule("MY001", "kl-is-odd", severity="notice", needs=["policy/approx_kl"])
def kl_is_odd(patient, *, limit=0.2):
    """The KL is odd."""
    kl = patient["policy/approx_kl"]
    if kl.values.max() > limit:
        yield Hit(kl.name, Span(1, 1, 1), f"odd at {kl.values.max():g}")
'''


def test_a_file_with_rules_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    try:
        load_file(path)
        found = judge_by_rules(sick_run(), Choice(select=("MY001",)))
    finally:
        registry._RULES.pop("MY001", None)

    assert found.findings[0].message == "odd at 0.3"


@pytest.mark.parametrize(
    ("source", "says"),
    [("1 / 0", "ZeroDivisionError"), ("import nothing_like_this", "ModuleNotFoundError")],
)
def test_a_file_that_fails_is_named(source: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source)

    with pytest.raises(ConfigError, match=says):
        load_file(path)


def test_a_code_that_is_taken_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN.replace("MY001", "KL001"))
    rules()

    with pytest.raises(ConfigError, match="two rules have the code KL001"):
        load_file(path)
