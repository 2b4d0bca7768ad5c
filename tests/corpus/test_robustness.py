"""What should not matter hardly changes a judgement: over public logs, labelled sick or healthy."""

from __future__ import annotations

import pytest
from benchmarks.judging.evidence import labelled_logs
from benchmarks.judging.robustness import RENAMED, Counted, measure
from tests.outside import outside

CORPUS = outside("corpus")
# What holds now; the aim is no flip at all, and 2 % of another class. The flips by the unit of the
# reward: parts between 0 and 1 could pay 1, larger ones nobody knows what.
MAX_FLIPS = {"last tenth dropped": 1, "every second row dropped": 1, "reward x 10": 2}
MAX_CHANGED = 0.02


@pytest.fixture(scope="module")
def counted() -> dict[str, Counted]:
    return measure(labelled_logs([CORPUS / "public", CORPUS / "public2"]))


def test_hardly_any_run_goes_from_alarm_to_praise_or_back(counted: dict[str, Counted]) -> None:
    flipped = {name: one.flipped for name, one in counted.items()}

    assert {
        name: lines for name, lines in flipped.items() if len(lines) > MAX_FLIPS.get(name, 0)
    } == {}


def test_few_runs_change_their_class(counted: dict[str, Counted]) -> None:
    runs = sum(one.runs for one in counted.values())
    changed = [line for one in counted.values() for line in one.changed]

    assert runs >= 600
    assert len(changed) <= MAX_CHANGED * runs, changed


def test_neither_the_folder_nor_the_order_of_rows_matters(counted: dict[str, Counted]) -> None:
    assert counted[RENAMED].changed == []
    assert counted["rows shuffled"].changed == []
