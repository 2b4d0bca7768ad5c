"""Parts of the reward that are logged and not paid for: training does not push them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runvitals.rules.outcome.reading import Outcome, read
from runvitals.rules.outcome.roles import Role
from runvitals.rules.reward_parts import ASIDE, GOAL, Part, parts_of, unpaid

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

MIN_POINTS = 20  # judgement, as in REW010
UNPAID = Role("reward/component_mean", "rate")
UNPAID_SCORE = Role("reward/component_mean", "reward")
GOOD = ("rose", "high")


def witness(patient: Patient) -> Outcome | None:
    """The unpaid part that says most about the goal, if none of them got better.

    Parts that are measured for another purpose, by their names, say nothing (format, length), nor does
    any part beside a paid one that is the goal by its name, unless it is a goal by its own.
    """
    if not patient.is_any_of(["rl"]) or not patient.all("reward/component_mean"):
        return None
    found = [part for part in unpaid(patient, MIN_POINTS) if not ASIDE.search(part.name)]
    found = [part for part in found if not part.only_punishes or part.is_constant]
    if not found:
        return None
    names = {part.name for part in found}
    paid_for = any(
        GOAL.search(part.name)
        for part in parts_of(patient, MIN_POINTS)
        if part.name not in names and part.weight
    )
    goals = [part for part in found if GOAL.search(part.name)]
    if paid_for:
        found = goals
    read_ones = [_read(patient, part) for part in goals or found]
    if not read_ones or any(one.course.shape in GOOD for one in read_ones):
        return None
    return max(read_ones, key=lambda one: (one.course.falls, one.course.points))


def _read(patient: Patient, part: Part) -> Outcome:
    """A part as an outcome: a rate where it lies between 0 and 1."""
    values = part.series.values
    is_share = float(values.min()) >= 0.0 and float(values.max()) <= 1.0
    return read(patient, UNPAID if is_share else UNPAID_SCORE, part.series)
