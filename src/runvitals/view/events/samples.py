"""Pages of logged samples: reward hacking is found by reading them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runvitals.model import IntArray, Sample
from runvitals.rollouts.record import rollout_of
from runvitals.store.files import dumps
from runvitals.view.events.lines import EventLines, EventList, Label
from runvitals.view.json_safe import MAX_CHARACTERS, json_safe, number
from runvitals.view.schemas.run import SampleRow, Samples

MAX_STEPS = 5_000
MAX_TEXT = 32 * 2**20  # characters of a page
LISTED_AT_EACH_END = 100  # samples at either end whose fields are listed
KEY = 200  # characters that samples are sorted by
MAX_SORTED = 8  # fields whose values are kept
SAMPLE: Label = ("sample", "")
_FIRST = ("prompt", "completion", "response", "answer", "reward", "score")
_Key = tuple[int, float, str]
_Chosen = NDArray[np.bool_]


@dataclass(frozen=True)
class SampleQuery:
    """Which samples: those of a step or a range of steps, with a text or a number in a range in them.

    `sort` is a field, `-reward` for the highest first. Samples with one of the `ids` come along in
    any case.
    """

    sort: str | None = None
    limit: int = 50
    offset: int = 0
    step: int | None = None
    from_step: int | None = None
    to_step: int | None = None
    search: str | None = None
    number: str = "reward"
    low: float | None = None
    high: float | None = None
    ids: tuple[str, ...] = ()


class SampleShelf:
    """The samples of a run. What they were sorted by is kept, so that only new ones are read for it."""

    def __init__(self, events: EventLines | EventList) -> None:
        self._events = events
        self._keys: dict[str, dict[int, _Key | None]] = {}
        self._generation = 0

    def page(self, wish: SampleQuery) -> Samples:
        """A page of those that match."""
        if self._generation != self._events.generation:
            self._keys, self._generation = {}, self._events.generation
        everything = self._events.numbers(SAMPLE)
        steps = self._events.steps(everything)
        places = np.flatnonzero(self._chosen(everything, steps, wish))
        if wish.sort:
            places = self._sorted(places, everything, steps, wish.sort)
        shown = places[wish.offset : wish.offset + wish.limit]
        rows = self._rows(shown, everything, wish.limit)
        return Samples(
            total=len(places),
            offset=wish.offset,
            fields=self._fields(everything),
            steps=np.unique(steps)[-MAX_STEPS:].tolist(),
            samples=rows + self._named(set(wish.ids) - {row.id for row in rows}, everything, steps),
        )

    def _named(self, ids: set[str], numbers: IntArray, steps: IntArray) -> list[SampleRow]:
        """Samples by their ids, which begin with their step."""
        places = np.flatnonzero(np.isin(steps, [int(id.rpartition("-")[0]) for id in ids]))
        return [row for row in self._rows(places, numbers, len(places) or 1) if row.id in ids]

    def _chosen(self, numbers: IntArray, steps: IntArray, wish: SampleQuery) -> _Chosen:
        chosen: _Chosen = np.ones(len(numbers), bool)
        if wish.step is not None:
            chosen &= steps == wish.step
        if wish.from_step is not None:
            chosen &= steps >= wish.from_step
        if wish.to_step is not None:
            chosen &= steps <= wish.to_step
        if wish.low is not None or wish.high is not None:
            low = -math.inf if wish.low is None else wish.low
            high = math.inf if wish.high is None else wish.high
            keys = self._values(wish.number, numbers[chosen])
            fits = [one is not None and one[0] == 1 and low <= one[1] <= high for one in keys]
            chosen[chosen] = fits
        if wish.search:
            found = self._mentioning(wish.search, numbers[chosen])
            chosen[chosen] = np.isin(numbers[chosen], found)
        return chosen

    def _mentioning(self, text: str, numbers: IntArray) -> list[int]:
        """A line that does not have the text need not be parsed, if JSON writes that as it is."""
        wanted = text.lower()
        as_is = (
            wanted.isascii() and wanted.isprintable() and '"' not in wanted and "\\" not in wanted
        )
        lines = self._events.raw(np.sort(numbers))
        likely = [n for n, line in lines if not as_is or wanted.encode() in line.lower()]
        return [
            one
            for one, sample in self._events.read(likely)
            if isinstance(sample, Sample) and _mentions(sample.fields, wanted)
        ]

    def _sorted(self, places: IntArray, numbers: IntArray, steps: IntArray, sort: str) -> IntArray:
        field = sort.removeprefix("-")
        keys: list[_Key | None] = (
            [(1, float(step), "") for step in steps[places].tolist()]
            if field == "step"
            else self._values(field, numbers[places])
        )
        found = [(key, place) for key, place in zip(keys, places.tolist(), strict=True) if key]
        found.sort(key=lambda one: one[0], reverse=sort.startswith("-"))
        rest = [place for key, place in zip(keys, places.tolist(), strict=True) if not key]
        return np.array([place for _, place in found] + rest, np.int64)

    def _values(self, field: str, numbers: IntArray) -> list[_Key | None]:
        """What samples have in a field, to sort by; None where there is no such field."""
        known = self._keys.pop(field, None) or {}
        missing = [one for one in np.sort(numbers).tolist() if one not in known]
        known |= dict.fromkeys(missing)
        for one, sample in self._events.read(missing):
            if isinstance(sample, Sample) and (field in sample.fields or field == "time"):
                known[one] = _key(sample.fields.get(field, sample.time))
        self._keys[field] = known
        while len(self._keys) > MAX_SORTED:
            self._keys.pop(next(iter(self._keys)))
        return [known.get(one) for one in numbers.tolist()]

    def _fields(self, numbers: IntArray) -> list[str]:
        looked = dict.fromkeys(
            [*numbers[:LISTED_AT_EACH_END].tolist(), *numbers[-LISTED_AT_EACH_END:].tolist()]
        )
        names = dict.fromkeys(
            name
            for _, sample in self._events.read(looked)
            if isinstance(sample, Sample)
            for name in sample.fields
        )
        return sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))

    def _rows(self, places: IntArray, numbers: IntArray, limit: int) -> list[SampleRow]:
        longest = min(MAX_CHARACTERS, MAX_TEXT // limit)
        where = dict(zip(numbers[places].tolist(), places.tolist(), strict=True))
        return [
            SampleRow(
                index=where[one],
                id=_id(sample),
                step=sample.step,
                time=number(sample.time),
                fields=json_safe(sample.fields, longest),
            )
            for one, sample in self._events.read(where)
            if isinstance(sample, Sample)
        ]


def _id(sample: Sample) -> str:
    rollout = rollout_of(sample)
    return "" if rollout is None else rollout.id


def _mentions(fields: Mapping[str, object], wanted: str) -> bool:
    return any(
        wanted in (value if isinstance(value, str) else dumps(value).decode()).lower()
        for value in fields.values()
    )


def _key(value: object) -> _Key:
    """Numbers before texts; what is not a number at all before both."""
    if isinstance(value, int | float):
        return (0, -math.inf, "") if value != value else (1, _bounded(value), "")
    return 2, 0.0, str(value)[:KEY]


def _bounded(value: float) -> float:
    return float(max(-1e308, min(value, 1e308)))
