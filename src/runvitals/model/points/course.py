"""How the lives of a series that was partly put aside follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from runvitals.model.points.aside import AsideRows, in_sequence
from runvitals.model.points.merge import EMPTY, Arrays, Clock
from runvitals.model.points.parts import AnyPart, clock_in_memory, values_of_life


class LifeClock(NamedTuple):
    """One life of series that were logged together: its whole clock, and how many points count."""

    life: int
    clock: Clock
    kept: int


class JoinedLives(NamedTuple):
    """The lives of series that were logged together, and the steps and times that count."""

    lives: list[LifeClock]
    clock: Clock


def course_of(parts: Sequence[AnyPart]) -> JoinedLives | None:
    """The lives of a series; None if the parts of one are not in the order of their steps."""
    by_life: dict[int, list[AnyPart]] = {}
    for part in parts:
        by_life.setdefault(part[0], []).append(part)
    lives: list[LifeClock] = []
    limit: int | None = None  # first step of any later life
    for life in sorted(by_life, reverse=True):
        clock = _clock_in_order(by_life[life])
        if clock is None:
            return None
        steps = clock[0]
        kept = len(steps) if limit is None else int(np.searchsorted(steps, limit, side="left"))
        lives.insert(0, LifeClock(life, clock, kept))
        limit = int(steps[0]) if limit is None else min(limit, int(steps[0]))
    if len(lives) == 1:
        return JoinedLives(lives, lives[0].clock)
    steps = np.concatenate([one.clock[0][: one.kept] for one in lives])
    times = np.concatenate([one.clock[1][: one.kept] for one in lives])
    return JoinedLives(lives, (steps, times))


def _clock_in_order(parts: Sequence[AnyPart]) -> Clock | None:
    """Steps and times of one life; None if its parts are not in the order of their steps."""
    first, tail = parts[0], parts[1:]
    since = clock_in_memory(tail)
    if since is None:
        return None
    if len(first) == 4:
        clock = (
            np.concatenate([first[1], since[0]]),
            np.concatenate([first[2], since[1]]),
        )
        return clock if in_sequence(clock) else None
    rows = first[1].rows
    if isinstance(rows, AsideRows):
        goes_on = rows.in_order and rows.go_on_with(since)
    else:
        goes_on = not tail
    if not goes_on:
        return None
    before = rows.clock()
    if not tail:
        return before
    return np.concatenate([before[0], since[0]]), np.concatenate([before[1], since[1]])


def taken(course: JoinedLives, parts: Sequence[AnyPart]) -> tuple[Arrays, Arrays]:
    """The series, and the points that a later life logged again."""
    values = np.empty(len(course.clock[0]))
    at = 0
    anew: list[Arrays] = []
    for life in course.lives:
        values[at : at + life.kept] = values_of_life(parts, life.life, 0, life.kept)
        at += life.kept
        size = len(life.clock[0])
        if life.kept < size:
            cut = slice(life.kept, None)
            logged_again = values_of_life(parts, life.life, life.kept, size)
            anew.append((life.clock[0][cut], life.clock[1][cut], logged_again))
    return (*course.clock, values), _one_after_another(anew)


def _one_after_another(arrays: Sequence[Arrays]) -> Arrays:
    if not arrays:
        return EMPTY
    steps, times, values = zip(*arrays, strict=True)
    return np.concatenate(steps), np.concatenate(times), np.concatenate(values)
