"""A finding reaches the HTML report through three records: `Hit`, `Finding`, `FindingCard`."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from runvitals.diagnosis import judge
from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.diagnosis.judge import Settings
from runvitals.model import Hit, Span
from runvitals.readers.discovery.files import Found
from runvitals.rules.registry import Rule
from runvitals.testing import make_run
from runvitals.view.html_report import contents
from runvitals.view.places import place_of

MESSAGE = "a message that nothing else has"


def _hit() -> Hit:
    return Hit("loss", Span(0, 9, 10), MESSAGE)


def test_a_finding_is_in_three_records_and_is_validated_from_none_of_its_dicts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed_on: list[Any] = []  # kept, so that no record is gone before it is counted
    validated: list[object] = []
    real_validate = BaseModel.model_validate.__func__

    def keeping(make: Any, *args: Any) -> Any:
        handed_on.append(made := make(*args))
        return made

    def validate(model: type[BaseModel], given: object, **options: Any) -> Any:
        validated.append(given)
        return real_validate(model, given, **options)

    # made here: what lived before somebody froze the garbage collector is not listed
    hit = _hit()
    rule = Rule("ZZ001", "rule-zz001", "warning", lambda patient: iter([hit]), (), (), (), "policy")

    def by_this_rule(run: Any, choice: Choice, **options: Any) -> Any:
        del choice
        return judge_by_rules(run, Choice(select=("ZZ",)), **{**options, "extra": [rule]})

    monkeypatch.setattr(judge, "judge_by_rules", by_this_rule)
    for name in ("judged", "judgement_of", "detail_of"):
        monkeypatch.setattr(contents, name, partial(keeping, getattr(contents, name)))
    monkeypatch.setattr(BaseModel, "model_validate", classmethod(validate))

    place = place_of(Found(Path("nowhere"), ()), Path())
    contents.contents_of(make_run({"loss": range(10)}), place, 0, Settings())

    holders = {type(one).__name__ for one in gc.get_objects() if _says(one)}
    assert holders == {"Hit", "Finding", "FindingCard"}
    assert validated
    assert not [one for one in validated if isinstance(one, dict)]


def _says(thing: object) -> bool:
    """True if it is a record of ours that says it and where; a line of a table quotes only the text."""
    if not str(type(thing).__module__).startswith("runvitals."):
        return False
    return hasattr(thing, "span") and getattr(thing, "message", None) == MESSAGE
