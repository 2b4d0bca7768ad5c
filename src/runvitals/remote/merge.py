"""Puts the tables of all ranks of an ended run into one, where they lie.

Whichever shipper ends last does it; `runvitals push` does it for nodes that synchronise later. Two that
try at once do no harm: `points/merged.json` is written only if nobody else has written it meanwhile.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from runvitals.model import DamagedError, RemoteError
from runvitals.remote.keys import RunListing, listing_of
from runvitals.store.layout import MERGED_FILE, RUN_FILE, Merged, read_merged
from runvitals.store.lock import SILENT_SECONDS
from runvitals.store.merged import merge_tables
from runvitals.store.objects.store import Entry, Objects

_TABLE, _REST, _SUMS = ".parquet", ".rest.parquet", ".sums.json"


def merge_run(objects: Objects, key: str, local: Path | None = None) -> Merged | None:
    """Merge the finished ranks of a run that nobody writes any more; None if nothing was to do.

    `local` is a folder of the run on this machine: what it has need not be fetched.
    """
    there = listing_of(objects, f"{key}/")
    now = time.time()
    alive = any(now - beat.modified < SILENT_SECONDS for beat in there.alive.values())
    if alive or RUN_FILE not in there.whole:
        return None
    tagged = objects.tagged(f"{key}/{MERGED_FILE}") if MERGED_FILE in there.whole else None
    content, tag = tagged or (b"", None)
    before = _read_list(objects, key, content) if tagged else None
    known = set() if before is None else {segment.stem for segment in before.sizes}
    replaced = [stem for stem in _tables(there) if stem in known]
    wanted = [stem for stem in _tables(there) if stem not in known]
    if not wanted or len(wanted) + len(known) < 2:
        _delete(objects, key, there, replaced, before)
        return None
    with tempfile.TemporaryDirectory(prefix="runvitals-merge-") as scratch:
        folder = Path(scratch)
        (folder / "points").mkdir()
        if before is not None:
            (folder / MERGED_FILE).write_bytes(content)
            wanted = [before.stem, *wanted]
        names = [f"{stem}{end}" for stem in wanted for end in (_TABLE, _REST, _SUMS)]
        for name in sorted(there.whole.keys() & {f"points/{name}" for name in names}):
            _bring(objects, there.whole[name], folder / name, local)
        made = merge_tables(folder)
        if made is None:
            return None
        # the table after what belongs to it, and all of them before the list that makes them count
        for path in (made.rest(folder), made.sums(folder), made.table(folder)):
            if path.exists():
                objects.put(f"{key}/points/{path.name}", path)
        content = (folder / MERGED_FILE).read_bytes()
    if not objects.replace(f"{key}/{MERGED_FILE}", content, tag):
        return None  # somebody else was faster; the next merge removes what we left
    # looked at again: what came meanwhile is not in the table, and must not be deleted
    there = listing_of(objects, f"{key}/")
    merged_now = {segment.stem for segment in made.sizes}
    _delete(objects, key, there, [s for s in _tables(there) if s in merged_now], made)
    return made


def _read_list(objects: Objects, key: str, content: bytes) -> Merged:
    try:
        return read_merged(content)
    except ValueError as error:
        where = f"{objects.address}/{key}/{MERGED_FILE}"
        raise DamagedError(where, f"the list of merged ranks is damaged: {error}") from error


def _tables(there: RunListing) -> list[str]:
    """Stems of segments that have finished."""
    points = [name.removeprefix("points/") for name in there.whole if name.startswith("points/")]
    stems = [name.removesuffix(_TABLE) for name in points if name.endswith(_TABLE)]
    return [one for one in stems if not one.endswith(".rest") and not one.startswith("merged-")]


def _bring(objects: Objects, entry: Entry, target: Path, local: Path | None) -> None:
    mine = None if local is None else local / "points" / target.name
    try:
        if mine is not None and mine.stat().st_size == entry.size:
            try:
                os.link(mine, target)
            except OSError:
                shutil.copyfile(mine, target)
            return
    except FileNotFoundError:
        pass  # it lies on another node
    data = objects.get(entry.key)
    if data is None:
        raise RemoteError(
            "an object went while ranks were merged", where=f"{objects.address}/{entry.key}"
        )
    target.write_bytes(data)


def _delete(
    objects: Objects, key: str, there: RunListing, stems: list[str], merged: Merged | None
) -> None:
    """Objects that nobody reads any more, since `merged.json` names what replaces them."""
    if merged is None:
        return
    names = {f"points/{stem}{end}" for stem in stems for end in (_TABLE, _REST, _SUMS)}
    earlier = (name for name in there.whole if name.startswith("points/merged-"))
    names |= {name for name in earlier if not name.startswith(f"points/{merged.stem}.")}
    doomed = [f"{key}/{name}" for name in sorted(names & there.whole.keys())]
    for segment in merged.sizes:
        parts = there.parts.get(segment.stream(Path()).as_posix(), ())
        doomed += [f"{key}/{part.key}" for part in parts]
    if doomed:
        objects.delete(doomed)
