"""Steps that fall back: resumed, started anew, given up, or written by two processes at once.

One rule for all. A run that falls back goes on from a checkpoint if it comes to stand behind its own
beginning: what it logs anew replaces what was there. It is another run if it begins where runs begin
(near 0) or where this one began; then both are kept, unless what is measured goes on where it was: then
only the counter started over, and is counted on. A start that was soon given up belongs to the run
that followed, and a few rows behind a long run (a start that was given up, a last evaluation) are left
out. Steps that fall back all the time are of several writers, who are pulled apart if each of
them counts on its own.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from runvitals.model import FloatArray, IntArray
from runvitals.readers.log import Blocks

Stretch = tuple[int, int]  # the rows from here to before there

_SHORT_START = 20  # rows; a longer start is a run of its own
_FAR_SHORTER = 5  # than a run that follows
_MAX_WRITERS = 8
_MIN_OF_WRITER = 8  # rows
# Shares of all rows (judgement). Restarts are rare; steps that fall back more often than this are not
# of one process, and neither are many falls to places where no run begins.
_MAX_FALLS = 0.25
_MAX_ODD_FALLS = 0.05
_COMPARED = 10  # rows at each end of a stretch, to see whether what is measured goes on
_MIN_TOLD = 3  # comparisons that tell, of which
_MOSTLY = 2 / 3  # have to agree (judgement): learning rates start over by themselves
# of the way back to the beginning: where fewer tell, all lie within it (judgement)
_SURELY_ON = 0.2


@dataclass
class Life:
    """One run: the rows of each process life in order, and what is odd about them."""

    pieces: list[IntArray]
    warnings: list[str] = field(default_factory=list)
    disordered: bool = False
    interleaved: bool = False  # rows of another run lie between its own
    given_up: int = 0  # rows of starts that were given up
    behind: int = 0  # rows of a start behind the run, of which nothing came


def find_lives(
    steps: IntArray,
    *,
    split: bool = True,
    breaks: Sequence[int] = (),
    other: Callable[[Stretch, Stretch], bool] | None = None,
    same: Callable[[IntArray, IntArray], bool] | None = None,
) -> list[Life]:
    """The runs in rows with these steps, in order.

    At `breaks` a process surely began, such as where a header was written again. `other` tells whether
    two stretches measure different things, so that they stand side by side; `same` whether two writers
    wrote the same numbers. Without `split` all of it is one run.
    """
    back = (np.flatnonzero(steps[1:] < steps[:-1]) + 1).tolist()
    breaks = [place for place in breaks if 0 < place < len(steps)]
    if not back and not breaks:
        return [Life([np.arange(len(steps))])]
    if len(back) > _MAX_FALLS * len(steps):
        return _writers(steps, split, same)
    stretches = list(pairwise([*back, len(steps)]))
    first, stride = int(steps[0]), _stride(steps)
    begins = {p for p, end in stretches if _is_start(steps, p, end, first, stride)}
    if len(back) - len(begins) > max(3, _MAX_ODD_FALLS * len(steps)):
        return _writers(steps, split, same)
    late = {p for p, end in stretches if p not in begins and _stray(steps, p, end)}
    edges = sorted({*back, *breaks} - late)
    runs: list[list[int]] = [[0]]  # where the lives of each run begin
    for place, end in pairwise([*edges, len(steps)]):
        begin = runs[-1][0]
        if other is not None and other((begin, place), (place, end)):
            continue
        if split and _is_other_run(steps, begin, place, end, stride):
            runs.append([place])
        else:
            runs[-1].append(place)
    return _without_given_up(steps, runs)


def counted_on(steps: IntArray, columns: Iterable[FloatArray]) -> IntArray | None:
    """The steps of one training whose counter started over, counted on; None if that is not so.

    A training that goes on begins a stretch near where the one before ended, another run begins near
    where the first began. `columns` hold what was measured, a number for each step.
    """
    falls = np.flatnonzero(steps[1:] < steps[:-1]) + 1
    stride = _stride(steps)
    if not len(falls) or int(steps[falls].max()) > int(steps[0]) + 2 * stride:
        return None
    edges = np.array([0, *falls, len(steps)])
    if int(np.diff(edges)[:-1].min()) < _SHORT_START:
        return None
    told = np.array([far for column in columns for far in _back_to_start(column, edges)])
    near = _SURELY_ON if len(told) < _MIN_TOLD else 0.5
    if not len(told) or (told < near).mean() < (1 if len(told) < _MIN_TOLD else _MOSTLY):
        return None
    shifts = np.cumsum(steps[falls - 1] + np.maximum(0, stride - steps[falls]))
    return steps + np.repeat(np.array([0, *shifts]), np.diff(edges))


def _back_to_start(values: FloatArray, edges: IntArray) -> Iterator[float]:
    """For each stretch but the first: how far the values fall back to where they began.

    0 if they go on where the stretch before ended, 1 if they begin as in the first. Nothing is said
    of a stretch before which they had not moved from their beginning.
    """
    first = values[: min(_COMPARED, edges[1])]
    begin, noise = np.median(first), np.median(np.abs(first - np.median(first)))
    for before, start, end in zip(edges, edges[1:], edges[2:], strict=False):
        last = values[max(before, start - _COMPARED) : start]
        left = np.median(last)
        spread = max(noise, np.median(np.abs(last - left)))
        if abs(left - begin) > max(3 * spread, 0.01 * abs(begin)):
            now = np.median(values[start : min(start + _COMPARED, end)])
            if not np.isfinite([begin, left, now]).all():  # "best so far: -inf"
                continue
            yield float(abs(now - left) / max(abs(now - left) + abs(now - begin), 1e-12))


def _stride(steps: IntArray) -> int:
    """The usual distance between steps."""
    moves = np.diff(steps)
    moves = moves[moves > 0]
    return max(1, int(np.median(moves))) if len(moves) else 1


def _is_start(steps: IntArray, place: int, end: int, first: int, stride: int) -> bool:
    """True if the stretch from `place` begins where runs begin, or where this one did."""
    step = int(steps[place])
    return step <= first + stride or _is_near_zero(steps, place, end, stride)


def _is_near_zero(steps: IntArray, place: int, end: int, stride: int) -> bool:
    return abs(int(steps[place])) <= 2 * max(stride, _stride(steps[place:end]))


def _is_other_run(steps: IntArray, begin: int, place: int, end: int, stride: int) -> bool:
    """True if the stretch from `place` does not continue the run from `begin`."""
    first, step = int(steps[begin]), int(steps[place])
    if step > int(steps[place - 1]):
        return False  # it goes on
    if _is_start(steps, place, end, first, stride):
        if abs(first) <= 2 * stride or step < first - stride:
            return True
        if _is_near_zero(steps, place, end, stride):
            return True
        return place - begin > end - place  # the same checkpoint again, but it did not get as far
    replaced = int((steps[begin:place] >= step).sum())
    if 2 * replaced <= place - begin or end - place < 2:
        return False
    return int(steps[place:end].max()) < int(steps[begin:place].max())


def _stray(steps: IntArray, place: int, end: int) -> bool:
    """True if the rows from `place` are a few late ones rather than a resumed run."""
    ahead = steps[place:end]
    below = int((ahead <= steps[place - 1]).sum())  # rows before it is where it was
    repeated = int((steps[:place] >= steps[place]).sum())
    return below <= 2 and repeated >= 5 * below


def _without_given_up(steps: IntArray, runs: list[list[int]]) -> list[Life]:
    """Short starts go to the run that followed, those behind all runs are left out; then each run
    with its lives."""
    ends = [*(lives[0] for lives in runs[1:]), len(steps)]
    short: set[int] = set()
    behind = _given_up_behind(runs, ends)
    left_out = len(steps) - runs[behind][0] if behind < len(runs) else 0
    runs, ends = runs[:behind], ends[:behind]
    # from the end on: a start that was given up is short beside the run that really followed, not
    # beside the next attempt that was given up as well
    following = 0  # rows of the run that comes next
    for index in reversed(range(len(runs))):
        length = ends[index] - runs[index][0]
        if length < _SHORT_START and length * _FAR_SHORTER < following:
            short.add(index)
        else:
            following = length
    found: list[Life] = []
    waiting: list[int] = []
    for index, (lives, end) in enumerate(zip(runs, ends, strict=True)):
        if index in short:
            waiting += lives
            continue
        given_up = lives[0] - waiting[0] if waiting else 0
        edges = [*waiting, *lives, end]
        waiting = []
        pieces = [np.arange(first, last) for first, last in pairwise(edges)]
        life = Life(pieces, given_up=given_up)
        if index == len(runs) - 1:
            life.behind = left_out
        _tell(steps, life, len(lives) - 1)
        found.append(life)
    return found


def _given_up_behind(runs: list[list[int]], ends: list[int]) -> int:
    """The number of runs before the short starts at the end, each far shorter than a run before."""
    longest, last = 0, 0
    for index, (lives, end) in enumerate(zip(runs, ends, strict=True)):
        length = end - lives[0]
        if length >= _SHORT_START or length * _FAR_SHORTER >= longest:
            last = index + 1
        longest = max(longest, length)
    return last


def _tell(steps: IntArray, life: Life, resumes: int) -> None:
    """Adds warnings about rows that were replaced or left out."""
    if life.given_up:
        life.warnings.append(f"{life.given_up} rows of given-up starts lie before the run")
    if life.behind:
        life.warnings.append(
            f"{life.behind} rows behind the run start over, too few for another run; they were left out"
        )
    if not resumes:
        return
    limit: int | None = None
    replaced = 0
    rows = life.pieces[-resumes - 1 :]
    for piece in reversed(rows):
        if limit is not None:
            replaced += int((steps[piece] >= limit).sum())
        first = int(steps[piece].min())
        limit = first if limit is None else min(limit, first)
    told = f"the run was resumed {times_told(resumes)}"
    if replaced:
        total = sum(map(len, rows))
        told += f"; {replaced:,} of {total:,} rows were logged again, and the later ones count"
    life.warnings.append(told)


def times_told(count: int) -> str:
    """A count in words: "once", "3 times"."""
    return "once" if count == 1 else f"{count} times"


def _writers(
    steps: IntArray, split: bool, same: Callable[[IntArray, IntArray], bool] | None
) -> list[Life]:
    """Rows of several writers: each a run of its own, unless they wrote the same or cannot be told
    apart."""
    writers = _pulled_apart(steps) if split else []
    if len(writers) > 1 and not (same is not None and same(writers[0], writers[1])):
        told = (
            f"{len(writers)} processes wrote this file at the same time: each is a run of its own"
        )
        return [Life([rows], [told], interleaved=True) for rows in writers]
    why = "steps are in no order (several writers?); rows were sorted by step"
    if len(writers) > 1:
        why = f"{len(writers)} processes wrote the same run; rows were sorted by step"
    return [Life([np.arange(len(steps))], [why], disordered=True)]


def _pulled_apart(steps: IntArray) -> list[IntArray]:
    """The rows of each writer, if the steps are those of a few counters; else none.

    Each row goes to the writer that is nearest before it.
    """
    last: list[int] = []
    rows: list[list[int]] = []
    for row, step in enumerate(steps.tolist()):
        behind = [(step - at, rows[i][-1], i) for i, at in enumerate(last) if at < step]
        if behind:
            writer = min(behind)[2]
            last[writer] = step
            rows[writer].append(row)
        elif len(last) == _MAX_WRITERS:
            return []
        else:
            last.append(step)
            rows.append([row])
    if len(rows) < 2 or min(map(len, rows)) < max(_MIN_OF_WRITER, 0.05 * len(steps)):
        return []
    found = [np.array(mine, np.int64) for mine in rows]
    # a counter misses few of its steps; rows in no order at all come apart with holes everywhere
    for mine in found:
        moves = np.diff(steps[mine])
        if float((moves > 2 * _stride(steps[mine])).mean()) > 0.1:
            return []
    return found


@dataclass
class CountedOn:
    """Shifts the steps of each stretch; `starts` is 0 while no counter was seen to start over.

    Some tags are written more rarely than others, so that the time says of which stretch a point is.
    """

    starts: int = 0
    _on: bool | None = None  # decided by the first blocks
    _tag: str = ""  # goes by this tag, which is written most often
    # times at which the stretches but the first begin
    _bounds: list[float] = field(default_factory=list)
    _firsts: list[int] = field(default_factory=list)  # steps at which they begin
    _lasts: list[int] = field(default_factory=lambda: [0])  # highest steps of all stretches
    _newest: tuple[int, float] = (0, 0.0)

    def apply(self, blocks: Blocks) -> Blocks:
        """Blocks of one tag each, counted on; as they are if no counter starts over."""
        if self._on is None and blocks:
            self._on = self._starts_over(blocks)
        if not self._on:
            return blocks
        for _, block in blocks:
            if block.names[0] == self._tag:
                self._note(block.steps, block.times)
        self.starts = len(self._bounds)
        lasts = np.array(self._lasts, np.int64)
        for _, block in blocks:
            np.maximum.at(lasts, self._stretches(block.times), block.steps)
        self._lasts = lasts.tolist()
        gaps = lasts[:-1] + np.maximum(0, 1 - np.array(self._firsts, np.int64))
        shifts = np.array([0, *np.cumsum(gaps)])
        return [
            (segment, replace(block, steps=block.steps + shifts[self._stretches(block.times)]))
            for segment, block in blocks
        ]

    def _stretches(self, times: FloatArray) -> IntArray:
        return np.searchsorted(self._bounds, times, side="right")

    def _starts_over(self, blocks: Blocks) -> bool:
        """True if the counter of the tag that is written most often starts over as training goes on."""
        if len({segment for segment, _ in blocks}) != 1:
            return False
        most = max((block for _, block in blocks), key=len)
        if not (most.steps[1:] < most.steps[:-1]).any():
            return False
        alike = [
            block.values[:, 0]
            for _, block in blocks
            if block.steps is most.steps or np.array_equal(block.steps, most.steps)
        ]
        if not (np.diff(most.times) >= 0).all() or counted_on(most.steps, alike) is None:
            return False
        self._tag = most.names[0]
        return True

    def _note(self, steps: IntArray, times: FloatArray) -> None:
        """Note where the stretches begin: half-way in time between the points before and behind."""
        all_steps, all_times = np.append(self._newest[0], steps), np.append(self._newest[1], times)
        for place in np.flatnonzero(all_steps[1:] < all_steps[:-1]):
            self._bounds.append(float(all_times[place] + all_times[place + 1]) / 2)
            self._firsts.append(int(all_steps[place + 1]))
            self._lasts.append(0)
        self._newest = int(all_steps[-1]), float(all_times[-1])
