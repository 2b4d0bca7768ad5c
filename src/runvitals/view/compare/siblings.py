"""Runs like one run, as its page shows them."""

from __future__ import annotations

from collections.abc import Mapping

from runvitals.comparison.siblings import Described, siblings_of
from runvitals.view.schemas import RunRow, RunSiblings, Sibling

MAX_SIBLINGS = 64  # more do not make a band any surer


def siblings_among(id: str, rows: Mapping[str, RunRow]) -> RunSiblings:
    """The siblings of one of these runs."""
    mine = described(rows[id])
    found = siblings_of(mine, map(described, rows.values()))
    return RunSiblings(
        differs=found.differs,
        own=None if found.differs is None else mine.chosen.get(found.differs),
        alike=found.alike,
        runs=[
            Sibling(
                id=other,
                name=rows[other].name,
                verdict=rows[other].verdict,
                value=found.values.get(other),
            )
            for other in found.runs[:MAX_SIBLINGS]
        ],
    )


def described(row: RunRow) -> Described:
    """A row of the list as its siblings see it; runs that cannot be read have none."""
    kind = (row.root, row.project, row.framework, row.algorithm, row.problem)
    return Described(row.id, row.name, kind, row.config)
