"""Names in logs that people published, against labels made by hand; and every name in the reference.

The floors lie a little below what `python -m benchmarks.reading.names_measured -v` and
`python -m benchmarks.reading.names` show. Raise them when the figures rise; a change that needs one
lowered has broken something.
"""

from __future__ import annotations

import pytest
from benchmarks.reading import names, names_left_out
from benchmarks.reading.labelled_names import FOLDERS
from benchmarks.reading.name_verdicts import Measure
from benchmarks.reading.names_measured import measure_folder
from tests.outside import outside

CORPUS = outside("corpus")
outside("reference")


@pytest.fixture(scope="module")
def both():
    return sum((measure_folder(CORPUS, folder) for folder in FOLDERS), Measure())


@pytest.fixture(scope="module")
def logged():
    return sum(names_left_out.logged(CORPUS).values(), Measure())


class TestPublicLogs:
    @pytest.mark.parametrize(
        ("part", "whole", "least"),
        [
            ("open", "hold a run", 1.0),
            ("tool right", "known tool", 0.97),
            ("algorithm right", "known algorithm", 0.97),
            ("understood", "meaningful", 0.97),
        ],
    )
    def test_they_are_understood(self, both, part, whole, least):
        missed = [m for m in both.mistakes if "wrong" not in m.kind]

        assert both.share(part, whole) >= least, missed

    def test_no_outcome_is_taken_for_another(self, both):
        assert [m for m in both.mistakes if m.kind == "outcome wrong"] == []

    def test_hardly_any_other_name_is_misread(self, both):
        wrong = [m for m in both.mistakes if m.kind == "other wrong"]

        assert both.share("other wrong", "bound") <= 0.003, wrong

    def test_an_own_loop_is_not_taken_for_a_tool(self, both):
        assert [m for m in both.mistakes if m.kind == "tool of an own loop"] == []


class TestAToolTheCatalogNeverSaw:
    def test_most_names_of_its_logs_are_understood(self, logged):
        assert logged.share("understood", "meaningful") >= 0.8

    def test_few_names_of_its_logs_are_misread(self, logged):
        wrong = [m for m in logged.mistakes if "wrong" in m.kind]

        assert logged.share("wrong", "names") <= 0.025, wrong


@pytest.fixture(scope="module")
def every():
    return names.rows()


@pytest.mark.parametrize(
    ("mode", "right", "wrong"),
    [("hint", 0.99, 0.0), ("siblings", 0.97, 0.0), ("bare", 0.6, 0.0), ("unseen", 0.5, 0.055)],
)
def test_names_of_known_and_unseen_tools(every, mode, right, wrong):
    tally = names.total(names.measure(every, mode))

    mistakes = [(row.tool, row.name, row.metric, found.metric) for row, found in tally.wrong]
    assert tally.share("wrong") <= wrong, mistakes
    assert tally.share("right") >= right, [(row.tool, row.name) for row in tally.unresolved]
