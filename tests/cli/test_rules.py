"""The rule book on the terminal."""

from __future__ import annotations

import json

from runvitals.rules.registry import rules


def test_all_rules_as_json(runvitals):
    done = runvitals("rules", "--format", "json")

    told = {one["code"]: one for one in json.loads(done.stdout)}
    assert told.keys() == {rule.code for rule in rules().values()}
    assert {code for code, one in told.items() if one["live_only"]} == {
        rule.code for rule in rules().values() if rule.live_only
    }


def test_one_rule_as_json_has_its_text_and_options(runvitals):
    told = json.loads(runvitals("rule", "KL001", "--format", "json").stdout)

    assert told["needs"] == ["policy/approx_kl|policy/kl_old"]
    assert told["options"] == rules()["KL001"].options
    assert "## What to try" in told["text"]


def test_an_unknown_rule_is_an_error(runvitals):
    done = runvitals("rule", "NO999")

    assert done.returncode == 2
    assert "NO999" in done.stderr
