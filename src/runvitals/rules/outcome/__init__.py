"""One reading of what a run is for: which series say it, how each went, and what that amounts to."""

from runvitals.rules.outcome.course import Course, Shape, course
from runvitals.rules.outcome.health import Health
from runvitals.rules.outcome.reading import Outcome, Outcomes, read_outcomes
from runvitals.rules.outcome.roles import CANDIDATES, HELD_OUT, LOWER_IS_BETTER, ROLES, Role
from runvitals.rules.outcome.table import NEVER, tell

__all__ = [
    "CANDIDATES",
    "HELD_OUT",
    "LOWER_IS_BETTER",
    "NEVER",
    "ROLES",
    "Course",
    "Health",
    "Outcome",
    "Outcomes",
    "Role",
    "Shape",
    "course",
    "read_outcomes",
    "tell",
]
