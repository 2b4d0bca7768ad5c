"""Finds the runs that reports were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from runvitals.model import ReadError, Run
from runvitals.readers.discovery.discover import discover
from runvitals.readers.follow import opened
from runvitals.readers.open import existing, nothing_found
from runvitals.readers.options import ReadOptions
from runvitals.view.places import Place, place_of


def places_below(logs: Sequence[Path], problems: list[ReadError] | None = None) -> list[Place]:
    """Where runs lie, each once; raises `ReadError` where there is none.

    What else could not be read goes into `problems`.
    """
    found: dict[str, Place] = {}
    for log in logs:
        top = existing(log)
        unreadable: list[ReadError] = []
        places = [place_of(one, top) for one in discover(top, unreadable)]
        if not places:
            raise unreadable[0] if unreadable else nothing_found(top)
        found.update((place.id, place) for place in places)
        if problems is not None:
            problems += unreadable
    return list(found.values())


def runs_of(place: Place, options: ReadOptions) -> Iterator[tuple[Run, int]]:
    """The runs of a place, mostly one, with their number in it."""
    yield from ((run, index) for index, run in enumerate(opened(place.found, options)))
