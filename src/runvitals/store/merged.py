"""One table for all ranks of a run: a metric of 1,024 ranks is one column instead of 1,024 files.

`points/merged.json` is what makes a merged table count: it is replaced at once and names the segments
that lie in it. Whoever finds a segment there takes it from there and looks at no file of its own. So a
merge that is killed before leaves the run as it was, one that is killed after leaves files that nobody
reads, and at no time a point counts twice.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from runvitals.model import DamagedError, FloatArray, RowBlock
from runvitals.store.checksums import Sums
from runvitals.store.compact import (
    Complain,
    TableWriter,
    read_table,
    rest_blocks,
    rest_table,
    worth_columns,
)
from runvitals.store.files import write_json
from runvitals.store.layout import MERGED_FILE, Merged, Segment, merged_of, segment_of, segments
from runvitals.store.table import ClockedRows, TableRows, open_file
from runvitals.store.table_layout import layout_of

FORMAT = "runvitals-merged/1"
MAX_COLUMN_VALUES = 32_000_000  # of the columns over all ranks that are kept once they were read
Owned = tuple[Segment, "RowBlock | RankRows"]


def merge_tables(run_folder: Path) -> Merged | None:
    """Put the finished tables of a run folder into one; None when there is nothing to put together.

    A table with a damaged place stays as it is, beside the merged one: what is wrong with it is seen
    only there.
    """
    before = merged_of(run_folder)
    old = {} if before is None else before.sizes
    new = [s for s in segments(run_folder) if s not in old and s.table(run_folder).exists()]
    new = [segment for segment in new if _is_sound(run_folder, segment)]
    if not new or len(new) + len(old) < 2:
        return None
    sizes = old | {segment: segment.table(run_folder).stat().st_size for segment in new}
    made = Merged(_digest(sizes), dict(sorted(sizes.items(), key=lambda pair: pair[0].stem)))
    _write(run_folder, made, before, new)
    write_json(
        run_folder / MERGED_FILE,
        {
            "format": FORMAT,
            "table": made.stem,
            "segments": {segment.stem: size for segment, size in made.sizes.items()},
        },
        durable=True,
    )
    return made


def drop_replaced(run_folder: Path) -> None:
    """Remove files that the merged table has replaced."""
    merged = merged_of(run_folder)
    if merged is None:
        return
    for segment in merged.sizes:
        for place in (segment.table, segment.rest, segment.sums, segment.stream):
            place(run_folder).unlink(missing_ok=True)
    for path in (run_folder / "points").glob("merged-*"):
        if not path.name.startswith(f"{merged.stem}."):
            path.unlink(missing_ok=True)


def _digest(sizes: dict[Segment, int]) -> str:
    """The same for the same segments, whoever merges them."""
    parts = sorted((segment.stem, size) for segment, size in sizes.items())
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:12]


def _is_sound(run_folder: Path, segment: Segment) -> bool:
    table, rest = segment.table(run_folder), segment.rest(run_folder)
    wrong = [Sums(segment.sums(run_folder), p).wrong() for p in (table, rest) if p.exists()]
    return not any(wrong)


def _write(run_folder: Path, made: Merged, before: Merged | None, new: list[Segment]) -> None:
    rows: dict[tuple[str, ...], int] = {}
    tables = [segment.table(run_folder) for segment in new]
    tables += [before.table(run_folder)] if before is not None else []
    for path in tables:
        metadata = pq.read_metadata(path)
        for keyset in layout_of(path, metadata).keysets:
            rows[keyset.names] = rows.get(keyset.names, 0) + int(keyset.ends(metadata)[-1])
    paths = made.table(run_folder), made.rest(run_folder), made.sums(run_folder)
    table = TableWriter(*paths, worth_columns(rows))
    try:
        for segment, block in _blocks(run_folder, before, new):
            table.add(block, segment.stem)
        table.finish()
    except BaseException:
        table.abort()
        raise


def _blocks(
    run_folder: Path, before: Merged | None, new: list[Segment]
) -> Iterator[tuple[Segment, RowBlock]]:
    def refuse(text: str) -> None:
        raise ValueError(text)  # found sound before: what is wrong now must not be merged

    if before is not None:
        for segment, part in open_merged(run_folder, before, refuse):
            yield segment, part if isinstance(part, RowBlock) else part.block()
    for segment in new:
        for block in read_table(run_folder, segment, refuse):
            yield segment, block


class _Whole:
    """The rows of all segments with the same names; the columns read last are kept."""

    def __init__(self, rows: TableRows) -> None:
        self.rows = rows
        self._kept: OrderedDict[str, FloatArray] = OrderedDict()
        self._lock = threading.Lock()

    def column(self, name: str) -> FloatArray:
        """One metric of all ranks, in one read."""
        with self._lock:
            known = self._kept.get(name)
            if known is None:
                known = self._kept[name] = self.rows.values(name)
                while len(self._kept) > 1 and len(self._kept) * len(known) > MAX_COLUMN_VALUES:
                    self._kept.popitem(last=False)
            else:
                self._kept.move_to_end(name)
            return known


class RankRows(ClockedRows):
    """The rows of one segment among those of all."""

    def __init__(self, whole: _Whole, start: int, stop: int, rank: int) -> None:
        steps, times = whole.rows.clock()
        super().__init__(whole.rows.names, rank, (steps[start:stop], times[start:stop]))
        self._whole, self._start, self._stop = whole, start, stop

    def values(self, name: str, first: int = 0, stop: int | None = None) -> FloatArray:
        """Values of one name."""
        last = self._stop if stop is None else min(self._start + stop, self._stop)
        return self._whole.column(name)[self._start + first : last]

    def block(self) -> RowBlock:
        """All of it, read now."""
        values = np.empty((len(self), len(self.names)), order="F")
        for i, name in enumerate(self.names):
            values[:, i] = self.values(name)
        return RowBlock(self.names, *self._clock, values, self.rank)


def open_merged(run_folder: Path, merged: Merged, complain: Complain) -> Iterator[Owned]:
    """What lies in the merged table, by segment: blocks of a small one, rows of a large one."""
    table = open_file(run_folder, merged, complain)
    for keyset in table.layout.keysets:
        if not keyset.owners:
            raise DamagedError(merged.table(run_folder), "it does not say whose rows these are")
        whole = _Whole(TableRows(table.file, keyset, 0))
        yield from _parts(whole, keyset.owners, late=table.stays)
    if table.layout.has_rest:
        yield from _rest(merged.rest(run_folder))


def complete_bytes(run_folder: Path, segment: Segment) -> int | None:
    """The size of the own table of a segment, merged since or not; None while it has none."""
    merged = merged_of(run_folder)
    if merged is not None and segment in merged.sizes:
        return merged.sizes[segment]
    try:
        return segment.table(run_folder).stat().st_size
    except FileNotFoundError:
        return None


def read_complete(run_folder: Path, segment: Segment, complain: Complain) -> Iterator[RowBlock]:
    """All blocks of a segment that is complete, from its own table or from the merged one."""
    merged = merged_of(run_folder)
    if merged is None or segment not in merged.sizes:
        yield from read_table(run_folder, segment, complain)
        return
    for part in _by_segment(run_folder, merged.stem, complain)[segment]:
        yield part if isinstance(part, RowBlock) else part.block()


_opened: tuple[Path, str, dict[Segment, list[RowBlock | RankRows]]] | None = None


def _by_segment(
    run_folder: Path, stem: str, complain: Complain
) -> dict[Segment, list[RowBlock | RankRows]]:
    """The merged table that was asked for last stays open: its segments are read one after another."""
    global _opened
    if _opened is None or _opened[:2] != (run_folder, stem):
        merged = merged_of(run_folder)
        found: dict[Segment, list[RowBlock | RankRows]] = {}
        if merged is not None:
            found = {segment: [] for segment in merged.sizes}
            for segment, part in open_merged(run_folder, merged, complain):
                found[segment].append(part)
        _opened = (run_folder, stem, found)
    return _opened[2]


def _parts(whole: _Whole, owners: Sequence[tuple[Segment, int]], *, late: bool) -> Iterator[Owned]:
    names = whole.rows.names
    values = None if late else np.stack([whole.rows.values(name) for name in names], axis=1)
    start = 0
    for segment, count in owners:
        rows = RankRows(whole, start, start + count, segment.rank)
        if values is not None:
            yield segment, RowBlock(names, *rows.clock(), values[start : start + count], rows.rank)
        else:
            yield segment, rows if rows.in_order else rows.block()
        start += count


def _rest(path: Path) -> Iterator[Owned]:
    import pyarrow.compute as pc  # slow to import, and few runs were merged

    table = rest_table(path)
    for stem in pc.unique(table.column("segment")).to_pylist():
        segment = segment_of(stem)
        mine = table.filter(pc.equal(table.column("segment"), pa.scalar(stem)))
        for block in rest_blocks(mine, segment.rank):
            yield segment, block
