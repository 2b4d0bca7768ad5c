"""Verdict, findings and report card of one run never contradict each other."""

from __future__ import annotations

import pytest
from tests.diagnosis.coherence import Coherence, Judged, judged_by_rules
from tests.signs.documents import DOCUMENTS
from tests.signs.playing import SETTINGS, run_of, tape_of


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    """Runs of each document: rising, flat, collapsing, and with infinite numbers at the end."""
    found = []
    for document in DOCUMENTS:
        for setting in (*SETTINGS, "broken"):
            tape = tape_of(document, "rising" if setting == "broken" else setting, seed=7)
            if setting == "broken":
                for values in tape.series.values():
                    values[200:] = float("inf")
            found.append(judged_by_rules(f"{document.name}, {setting}", run_of(tape)))
    return found


class TestPlayedRuns(Coherence):
    def test_all_kinds_of_verdicts_are_among_them(self, judged: list[Judged]) -> None:
        assert {one.word for one in judged} >= {
            "learning",
            "learned",
            "not learning",
            "collapsed",
            "diverged",
        }
