"""Every sign in the founding documents speaks, and their healthy runs are quiet.

Each area is judged in all its settings and strengths, with one seed each; `python -m tests.signs.table`
takes all seeds and prints one table of them.
"""

import pytest
from tests.signs.documents import DOCUMENTS
from tests.signs.playing import healthy_twins, play_each
from tests.signs.table import TWINS, areas, lines, score

SPOKEN = 0.97  # of all runs that show a sign
ALARMED = 0.92  # of those in which harm is done
QUIET = 0.99  # of the healthy runs
AREAS = areas()


@pytest.mark.parametrize("area", AREAS)
def test_every_sign_of_an_area_speaks(area, capsys):
    played = list(play_each(AREAS[area]))

    total = score(played)

    with capsys.disabled():
        print("\n" + "\n".join(lines(played)))
    assert total.share_spoken >= SPOKEN
    assert total.share_alarmed >= ALARMED


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.name)
def test_the_healthy_run_of_a_document_is_quiet(document):
    found = list(healthy_twins(document, TWINS))

    assert [one.alarms for one in found if one.alarms] == []
    assert {one.verdict.word for one in found} <= {"learning", "learned"}
