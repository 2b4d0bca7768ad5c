"""The table of what leads to what."""

import ast
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import runvitals.rules
from runvitals.rules.causes import (
    MECHANISMS,
    OUTCOMES,
    OVER_THE_WHOLE_RUN,
    STANDING_STILL,
    STATES_THE_OUTCOME,
    effects_of,
)
from runvitals.rules.registry import rule, rules

ROWS = [row for rows in MECHANISMS.values() for row in rows]

# By definition these are only there after a part of the run that was otherwise ...
LATER = frozenset({"LR001", "DATA005", "RM005", "REW003", "RM002", "EVAL001"})
# ... and these from its first point on, so that nothing in the table can have led to them.
FROM_THE_START = frozenset(
    "DATA007 POL004 DPO004 REW011 ENT004 PRE001 PRE002 PRE003 PRE005 PRE006 PRE007 PRE008".split()
)


def test_every_code_in_it_is_a_rule():
    codes = {code for row in ROWS for code in (row.code, *row.effects)}

    assert (
        codes | STATES_THE_OUTCOME | LATER | FROM_THE_START | OVER_THE_WHOLE_RUN | STANDING_STILL
        <= set(rules())
    )


def test_nothing_is_at_the_end_of_its_own_effects():
    graph = {row.code: set(row.effects) for row in ROWS}

    TopologicalSorter(graph).prepare()  # raises CycleError and names the circle


def test_no_cause_has_two_rows_and_no_effect_is_named_twice():
    assert max(Counter(row.code for row in ROWS).values()) == 1
    assert [row.code for row in ROWS if len(set(row.effects)) < len(row.effects)] == []


def test_every_row_says_how():
    assert [row.code for row in ROWS if len(row.why.split()) < 4 or not row.effects] == []


def test_what_comes_later_explains_nothing_that_is_there_from_the_start():
    late = {row.code: set(row.effects) & FROM_THE_START for row in ROWS if row.code in LATER}

    assert {code: effects for code, effects in late.items() if effects} == {}


def test_a_symptom_of_the_outcome_explains_no_mechanism():
    wrong = {
        (row.code, effect)
        for row in ROWS
        if row.code in OUTCOMES
        for effect in row.effects
        if not effect.startswith(("REW", "EVAL", "LEN006"))  # episodes are the outcome's own
    }

    assert wrong == set()


@pytest.mark.parametrize("code", sorted(rules()))
def test_our_own_rules_have_their_effects_from_the_table(code):
    module = rules()[code].check.__module__
    if not module.startswith("runvitals.rules."):
        pytest.skip("a rule of another package")

    assert rules()[code].explains == effects_of(code)


def test_no_rule_file_of_ours_names_effects():
    folder = Path(runvitals.rules.__file__).parent
    named = [
        file.name
        for file in folder.glob("*/*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "explains"
    ]

    assert named == []


def test_a_rule_of_other_people_names_what_it_explains(monkeypatch):
    monkeypatch.setattr("runvitals.rules.registry._RULES", {})

    rule("ZZ901", "made-up", severity="warning", explains=["REW005"])(lambda patient: iter(()))

    assert rules()["ZZ901"].explains == ("REW005",)
