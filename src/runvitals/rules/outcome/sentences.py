"""What is said of the course of an outcome, in the names, units and signs that were logged."""

from __future__ import annotations

from runvitals.model.formatting import number
from runvitals.rules.outcome.reading import Outcome

DIGITS = 4


def told(level: float) -> str:
    """A level as sentences give it: four digits, or all before the point."""
    return number(level, DIGITS)


def moved(one: Outcome) -> str:
    """`loss fell from 2.1 to 1.3`."""
    course = one.course
    start, now = one.shown(course.start), one.shown(course.now)
    verb = "rose" if now > start else "fell" if now < start else "stayed"
    return f"{one.series.name} {verb} from {told(start)} to {told(now)}"


def sank(one: Outcome) -> str:
    """`success_rate fell back from 0.8 at its best to 0.4`."""
    if one.course.shape != "lost":
        return moved(one)
    verb = "rose again" if one.role.lower_is_better else "fell back"
    best = f"{told(one.shown(one.course.best))} at its best"
    return f"{one.series.name} {verb} from {best} to {ends_at(one)}"


def stood(one: Outcome) -> str:
    """`accuracy stayed at 0.33`."""
    course = one.course
    if course.shape == "constant":
        return f"{one.series.name} is {ends_at(one)} in all {course.points} rows"
    start, now = one.shown(course.start), ends_at(one)
    if f"{start:.2g}" == f"{one.shown(course.now):.2g}":
        return f"{one.series.name} stayed at {now}"
    chance = abs(course.change) <= 2 * course.change_error
    return f"{one.series.name} went from {told(start)} to {now}" + (
        ", within its noise" if chance else ""
    )


def held(one: Outcome) -> str:
    """`success_rate rose from 0.2 to 0.97 and holds`."""
    course = one.course
    if course.change >= course.matters:
        return f"{moved(one)} and holds"
    return f"{one.series.name} is at {ends_at(one)} and holds"


def below(one: Outcome) -> str:
    """`below your target of 0.7`; a loss is above it."""
    side = "above" if one.role.lower_is_better else "below"
    return f"{side} your target of {told(one.shown(one.ceiling or 0.0))}"


def ends_at(one: Outcome) -> str:
    """`0.33`: where it is now."""
    return f"{told(one.shown(one.course.now))}"


def unsure(one: Outcome) -> str:
    """`return rose from 20 to 27: a gain that matters has a chance of 70%; log it more often ...`."""
    chance = one.course.chances["rise"]
    return (
        f"{moved(one)}, too noisy to tell from chance (a gain that matters: {chance:.0%}); "
        "log it for longer, or over more episodes"
    )
