"""Runs like one run, as its page shows them."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from runvitals.comparison.siblings import ENOUGH, Described, judged_by_siblings, siblings_of
from runvitals.diagnosis.engine import Choice
from runvitals.model import OutcomeCurve, SiblingCurves
from runvitals.render.judged import Judged
from runvitals.rules.outcome.roles import LOWER_IS_BETTER
from runvitals.view.run.figures import FiguresOfRun
from runvitals.view.schemas.comparison import RunSiblings, Sibling
from runvitals.view.schemas.run import RunRow

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


def held_against(
    one: Judged,
    row: RunRow,
    rows: Iterable[RunRow],
    figures: Callable[[str], FiguresOfRun],
    choice: Choice,
) -> Judged:
    """A judgement with what the rules about siblings add, if the run has enough of them.

    The process that judged the run knows nothing of other runs; their figures were kept.
    """
    outcome = row.outcome
    if outcome is None:
        return one
    shared = outcome.metric or outcome.name
    known = {other.id: other for other in rows}
    group = siblings_of(described(row), map(described, known.values()))
    if not group.alike or len(group.runs) < ENOUGH:
        return one
    like = [id for id in group.runs[:MAX_SIBLINGS] if _outcome(known[id]) == shared]
    own, *others = (_curve(figures(id), shared) for id in (row.id, *like))
    if own is None:
        return one
    told = SiblingCurves(
        series=outcome.name,
        lower_is_better=outcome.metric in LOWER_IS_BETTER,
        own=own,
        others=tuple(curve for curve in others if curve is not None),
        differs=group.told(row.config),
    )
    return one.held_against(judged_by_siblings(told, choice, row.framework, outcome.metric))


def _outcome(row: RunRow) -> str | None:
    return None if row.outcome is None else row.outcome.metric or row.outcome.name


def _curve(figures: FiguresOfRun, metric: str) -> OutcomeCurve | None:
    kept = figures.curve(metric)
    if kept is None or len(kept[0]) < 2 or not np.isfinite(kept[1]).all():
        return None
    return OutcomeCurve(*kept)


def described(row: RunRow) -> Described:
    """A row of the list as its siblings see it; runs that cannot be read have none."""
    kind = (row.root, row.project, row.framework, row.algorithm, row.problem)
    return Described(row.id, row.name, kind, row.config)
