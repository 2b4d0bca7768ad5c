"""Every sign speaks in logs of other make too: a short and a long one each; `varied_logs` plays all."""

from itertools import islice

import pytest
from tests.signs.varied_cases import CASES
from tests.signs.varied_logs import play

DOCUMENTS = sorted({case.document for case in CASES})
SPOKEN = 0.97  # of all logs that show a sign


@pytest.mark.parametrize("document", DOCUMENTS)
def test_signs_are_spoken_of_and_alarmed_where_the_outcome_fell(document):
    cases = [case for case in CASES if case.document == document]

    played = [one for case in cases for one in islice(play(case), 3)]

    silent = [f"{one.case.name}, {one.make}" for one in played if not one.said]
    assert len(silent) <= (1 - SPOKEN) * len(played), silent
    fell = [one for one in played if one.harmful and one.mode == "falls"]
    assert [one.case.name for one in fell if not one.alarmed] == []
