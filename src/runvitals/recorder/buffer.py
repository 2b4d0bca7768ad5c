"""Between `log()` and the disk: rows as packed bytes, appended without a lock.

`log()` pays for packing and one append, both atomic under the interpreter, so threads and
signal handlers can log at any moment. The flusher takes the rows from the front, one atomic step
each. A row is `[keyset, step, time, value, value, ...]` in float64; the keyset stands for its names.
"""

from __future__ import annotations

import itertools
import operator
import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runvitals.model import STORE, Losses, RowBlock
from runvitals.recorder.complaints import describe
from runvitals.recorder.values import (
    PLAIN,
    DeferredNumbers,
    NotANumberError,
    flatten,
    resolve,
    scalar,
)

_HEAD = 3  # keyset, step, time
_ONE = struct.Struct("=d")
# More than a second's worth of any loop, and little beside a model (judgement).
BUDGET_BYTES = 64 * 2**20
MAX_KEYSETS = 4096  # further combinations of names are stored name by name
MAX_NAMES = 100_000
MAX_NAME_BYTES = 64 * 2**20  # of all names together
TOO_MANY = "too many different names, or too long ones"
TOO_FAST = "rows came faster than they could be written"
WIDEST = 1024  # names in a packed row; a wider one is cut, so that rows are of like size

Complain = Callable[[str, str], None]
_pack_head = struct.Struct(f"={_HEAD}d").pack


@dataclass(slots=True, eq=False)
class _Keyset:
    """What is known of rows with these names: how to take their values out and to pack them."""

    number: int
    names: tuple[str, ...]
    pick: Callable[[dict[str, Any]], tuple[Any, ...]]
    pack: Callable[..., bytes]
    types: Sequence[type] = ()  # of the values of a row that could be packed; most rows are like it


class RowBuffer:
    """Rows that wait for the next flush, bounded in bytes."""

    def __init__(self, complain: Complain) -> None:
        self.rows: deque[bytes] = deque()
        self.limit = BUDGET_BYTES // 1024  # rows; shrinks when wider rows come
        self.losses = Losses(STORE)
        self._complain = complain
        self._keysets: dict[tuple[str, ...], _Keyset] = {}
        self._by_width: dict[int, _Keyset] = {}  # the last one used, by its number of names
        self._names: dict[int, tuple[str, ...]] = {}
        self._numbers = itertools.count()
        self._known: set[str] = set()
        self._name_bytes = 0
        self._later: deque[tuple[dict[str, Any] | DeferredNumbers, int, float]] = deque()

    def add(self, values: Mapping[str, Any], step: int, now: float) -> None:
        """Take a row in. Plain numbers under the names of the row before take the short way."""
        # Here is most of what `log()` costs: each line of it passes over all values once, in C.
        if type(values) is dict and (keyset := self._by_width.get(len(values))) is not None:
            try:
                numbers = keyset.pick(values)
            except Exception:  # noqa: BLE001 - other names; their `__eq__` may fail in any way
                numbers = ()
            # Exact types, all at once: quicker than a question per value, and a tensor, whose
            # `float()` would wait for its device, cannot slip through.
            if numbers and [*map(type, numbers)] == keyset.types:
                try:
                    row = _pack_head(keyset.number, step, now) + keyset.pack(*numbers)
                except (OverflowError, struct.error):
                    pass  # an integer beyond float64; the long way knows what to do
                else:
                    self.rows.append(row)
                    return
        self._add_plain(values, step, now)

    def _add_plain(self, values: Mapping[str, Any], step: int, now: float) -> None:
        """Take in a row of plain numbers under known names; another one goes the long way."""
        types = [*map(type, values.values())]
        if PLAIN.issuperset(types):
            keyset = self._keysets.get(tuple(values))
            if keyset is not None:
                try:
                    row = _pack_head(keyset.number, step, now) + keyset.pack(*values.values())
                except (OverflowError, struct.error):
                    pass
                else:
                    self.rows.append(row)
                    keyset.types = types
                    self._by_width[len(types)] = keyset
                    return
        self._add_any(values, step, now)

    def _add_any(self, values: Mapping[str, Any], step: int, now: float) -> None:
        row: dict[str, Any] = {}
        waits = False
        for name, value in flatten(values):
            try:
                number = scalar(value)
            except NotANumberError as reason:
                self._complain(
                    f"value {_short(name)}", f"{_short(name)} was not logged: it {reason}"
                )
                continue
            waits = waits or type(number) is not float
            row[name] = number
        if not row:
            return
        if waits:
            self.add_later(row, step, now)
            return
        self._add_floats(row, step, now)

    def add_later(self, row: dict[str, Any] | DeferredNumbers, step: int, now: float) -> None:
        """Take in a row whose numbers are asked for at the next flush."""
        self._later.append((row, step, now))
        if len(self._later) > self.limit:
            self._forget_later(TOO_FAST)

    def _add_floats(self, row: Mapping[str, float], step: int, now: float) -> None:
        if len(row) > WIDEST:
            self._add_wide(row, step, now)
            return
        names = tuple(row)
        keyset = self._keysets.get(names) or self._register(names)
        if keyset is not None:
            self.rows.append(_pack_head(keyset.number, step, now) + keyset.pack(*row.values()))
            return
        for name, number in row.items():
            single = self._keysets.get((name,)) or self._register((name,))
            if single is not None:
                self.rows.append(_pack_head(single.number, step, now) + single.pack(number))
            else:
                self.losses.add(TOO_MANY, 1, 1, step, step)

    def _add_wide(self, row: Mapping[str, float], step: int, now: float) -> None:
        items = iter(row.items())
        while part := dict(itertools.islice(items, WIDEST)):
            self._add_floats(part, step, now)

    def _register(self, names: tuple[str, ...]) -> _Keyset | None:
        if len(names) > 1 and len(self._keysets) >= MAX_KEYSETS:
            return None
        new = [name for name in names if name not in self._known]
        size = self._name_bytes + sum(map(len, new))
        if new and (len(self._known) + len(new) > MAX_NAMES or size > MAX_NAME_BYTES):
            if len(names) == 1:
                text = f"more than {MAX_NAMES:,} different names"
                if size > MAX_NAME_BYTES:
                    text = f"names of more than {MAX_NAME_BYTES >> 20} MiB"
                text += f": {_short(names[0])} was not logged; is a step or an id part of the name?"
                self._complain("names", text)
            return None
        self._known.update(new)
        self._name_bytes = size
        width = _HEAD + len(names)
        # 64 bytes stand for what a bytes object and its place in the deque cost beside the numbers
        self.limit = max(64, min(self.limit, BUDGET_BYTES // (width * 8 + 64)))
        number = next(self._numbers)  # atomic: threads that register at once get different ones
        # names before the entry: a row that another thread packs with it can already be read back
        self._names[number] = names
        pack = struct.Struct(f"={len(names)}d").pack
        keyset = self._keysets[names] = _Keyset(number, names, _picker(names), pack)
        return keyset

    def drop_oldest(self) -> None:
        """Drop a quarter of the waiting rows, because the disk is slower than the training loop."""
        gone = self._take(max(1, len(self.rows) // 4))
        if gone:
            steps = [_step(row) for row in gone]
            points = sum(len(row) // 8 - _HEAD for row in gone)
            self.losses.add(TOO_FAST, len(gone), points, min(steps), max(steps))

    def _take(self, count: int) -> list[bytes]:
        """Rows from the front; another thread may take some at the same time."""
        pop = self.rows.popleft
        taken: list[bytes] = []
        try:
            for _ in range(count):
                taken.append(pop())
        except IndexError:
            pass  # another thread was faster
        return taken

    @property
    def has_later(self) -> bool:
        """True if rows are waiting for a device."""
        return bool(self._later)

    def resolve_later(self) -> None:
        """Ask the devices for the numbers of the rows that wait for them; may take long."""
        for _ in range(len(self._later)):
            # Left in the queue until the device has answered: if it never does, `give_up_later` still
            # finds the row there and counts it as lost.
            row, step, now = self._later[0]
            numbers = self._resolved(row)
            try:
                self._later.popleft()
            except IndexError:
                return  # given up in the meantime
            if numbers:
                self._add_floats(numbers, step, now)

    def give_up_later(self, why: str) -> None:
        """Give up on rows that still wait for a device."""
        while self._later:
            self._forget_later(why)

    def _forget_later(self, why: str) -> None:
        try:
            row, step, _ = self._later.popleft()
        except IndexError:
            return
        self.losses.add(why, 1, 1 if isinstance(row, DeferredNumbers) else len(row), step, step)

    def drain(self) -> list[RowBlock]:
        """Take out everything that waits, as one block per combination of names."""
        rows = self._take(len(self.rows))
        count = len(rows)
        if not count:
            return []
        widths = np.fromiter(map(len, rows), np.int64, count) // 8
        flat = np.frombuffer(b"".join(rows), np.float64)
        if bool((widths == widths[0]).all()):
            matrix = flat.reshape(count, -1)
            if bool((matrix[:, 0] == matrix[0, 0]).all()):
                return [self._block(matrix)]
        starts = np.cumsum(widths) - widths
        keysets = flat[starts]
        # stable: rows of one keyset stay in the order in which they were logged
        order = np.argsort(keysets, kind="stable")
        edges = np.flatnonzero(np.diff(keysets[order])) + 1
        groups = np.split(order, edges)
        groups.sort(key=lambda group: int(group[0]))
        return [
            self._block(flat[starts[group][:, None] + np.arange(widths[group[0]])])
            for group in groups
        ]

    def _resolved(self, row: dict[str, Any] | DeferredNumbers) -> dict[str, float]:
        if isinstance(row, DeferredNumbers):
            try:
                return row.numbers()
            except Exception as error:  # noqa: BLE001 - a device may fail in any way
                kind = type(error).__name__
                self._complain(
                    f"later {kind}", f"a row could not be read back: {kind}: {describe(error)}"
                )
                return {}
        numbers = {}
        for name, value in row.items():
            try:
                numbers[name] = resolve(value)
            except Exception as error:  # noqa: BLE001 - a device may fail in any way
                what = _short(name)
                self._complain(f"value {what}", f"{what} could not be read back: {error}")
        return numbers

    def _block(self, matrix: np.ndarray[Any, np.dtype[np.float64]]) -> RowBlock:
        return RowBlock(
            self._names[int(matrix[0, 0])],
            matrix[:, 1].astype(np.int64),
            matrix[:, 2].copy(),
            np.ascontiguousarray(matrix[:, _HEAD:]),
        )


def _picker(names: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """The values under these names, as a tuple."""
    if len(names) == 1:
        return lambda values: (values[names[0]],)
    return operator.itemgetter(*names)


def _step(row: bytes) -> int:
    return int(_ONE.unpack_from(row, 8)[0])


def _short(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}...")
