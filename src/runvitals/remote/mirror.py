"""Brings runs from a remote place into a cache on this machine, in the layout of a run folder.

Whatever reads run folders then reads these. A live run is brought up to date with one listing and
the parts that are new; a finished one is asked for once, or not before somebody opens it: until then
its folder holds what the list of runs says. A large Parquet file stays where it is: a small file in
its place says where, and columns are read from there as they are wanted.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import RemoteError
from runvitals.model.atomic import replacing
from runvitals.model.references import cache_folder, read_reference, write_reference
from runvitals.model.run import ENDED
from runvitals.remote import copies
from runvitals.remote.keys import (
    ALIVE,
    LISTS,
    PARTS,
    FilePart,
    RunListing,
    is_origin,
    is_safe,
    listing_of,
    without_origin,
)
from runvitals.remote.run_list import RUNNING, SILENT, RemoteRunList, below, identity_in, lists_for
from runvitals.store.copied import COPIED_FILE, write_pointer
from runvitals.store.files import read_json_if_any, write_json
from runvitals.store.layout import (
    LISTED_FILE,
    MERGED_FILE,
    RUN_FILE,
    read_merged,
    segment_of,
    segments,
)
from runvitals.store.lock import SILENT_SECONDS, lock_path
from runvitals.store.merged import drop_replaced
from runvitals.store.objects.store import Address, Entry, Objects, open_objects, parse
from runvitals.store.stream import rows_between

MAX_CACHE_BYTES = 20 * 2**30  # RUNVITALS_CACHE_BYTES gives another limit
FETCHED_WHOLE_BYTES = 64 * 2**20  # of a Parquet file; larger ones are read where they lie
_COMPLETE = "complete"  # when the list said that the run, which is all here, had ended
_ROOT = "root"  # where the objects of this copy begin
_OWN_FOLDERS = {PARTS, ALIVE, "points"}
_TRIES = 3  # to fetch a run whose objects are being replaced


@dataclass
class Mirror:
    """One remote address and its folder in the cache.

    `lazily`: of ended runs that are not here yet only what the list says is noted.
    """

    objects: Objects
    folder: Path
    lazily: bool = False
    problems: list[str] = field(default_factory=list)
    _clock_told: bool = False
    _whole: bool = True  # nothing that was listed had gone when it was fetched
    # the list that names these runs, and how their keys begin there
    _list: tuple[RemoteRunList, str] | None = None
    _here: dict[str, float] = field(default_factory=dict)  # ended runs that were seen complete
    _looked: bool = False
    # old heartbeats: tag and content
    _beats: dict[str, tuple[str, bytes]] = field(default_factory=dict)

    def sync(self, pattern: str = "") -> int:
        """Bring all runs, or those that a pattern names, up to date; the number that changed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        changed = 0
        found = dict(self._runs())
        for root, (name, twins) in copies.folder_names(found).items():
            entry = found[root]
            target = self.folder / name if name else self.folder
            noted = _ended(entry)
            if not copies.matches(root, pattern):
                continue
            self._make_room(root, target)
            if self._is_here(root, target, noted) and not twins:
                continue
            if (
                self.lazily
                and name
                and noted is not None
                and not twins
                and not copies.read_state(target)
            ):
                self._note(root, name, target, entry)
            else:
                changed += self._sync_run(root, target, noted, twins)
        if changed or not self._looked:
            self._looked = True
            copies.keep_within(
                self.folder.parent, int(os.environ.get("RUNVITALS_CACHE_BYTES", MAX_CACHE_BYTES))
            )
        return changed

    def fetch(self, name: str) -> None:
        """Bring a run of which only its entry in the list is here."""
        target = self.folder / name
        said = read_reference(target / LISTED_FILE)
        root = str(said.get("root") or name)
        self._sync_run(root, target, said.get("noted"))
        if (target / LISTED_FILE).exists():
            raise RemoteError("this run is no longer there", where=f"{self.objects.address}/{root}")

    def _make_room(self, root: str, target: Path) -> None:
        """Remove the copy of another run that had this folder before a second one of its id came."""
        state = copies.read_state(target)
        if state and state.get(_ROOT, without_origin(root)) != root:
            shutil.rmtree(target)

    def _note(self, root: str, name: str, target: Path, entry: dict[str, Any]) -> None:
        """Write a folder that holds what the list says about an ended run, dated at its end."""
        said = {**entry, "from": str(self.objects.address), "key": name, "root": root}
        if read_json_if_any(target / LISTED_FILE, read_reference) != said:
            target.mkdir(parents=True, exist_ok=True)
            write_reference(target / LISTED_FILE, said)
            write_json(target / RUN_FILE, identity_in(entry))
            ended = float(entry.get("ended") or entry["noted"])
            os.utime(target / RUN_FILE, (ended, ended))
        self._here[root] = entry["noted"]

    def _is_here(self, key: str, target: Path, noted: float | None) -> bool:
        """True if the copy of an ended run is complete and the list has not mentioned it since."""
        if noted is None:
            return False
        if self._here.get(key) == noted and target.exists():
            return True
        if copies.read_state(target).get(_COMPLETE) != noted:
            return False
        self._here[key] = noted
        return True

    def listed(self) -> dict[str, dict[str, Any]]:
        """What the list of runs says about those of this place; empty where there is no list."""
        if self._list is not None:
            runs, begin = self._list
            return below(runs.entries(), begin)
        for runs, begin in lists_for(self.objects):
            try:
                found = below(runs.entries(), begin)
            except RemoteError:
                if not begin:
                    raise
                return {}  # who may read a project need not be allowed to look above it
            if found:
                self._list = (runs, begin)
                return found
        return {}

    def _runs(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """Keys of runs, and what the list says about each; nothing where there is no list."""
        listed = self.listed()
        if listed:
            return listed.items()
        return [(root, {}) for root in self._roots("") if not root or is_safe(root)]

    def _roots(self, key: str) -> list[str]:
        """Where the objects of runs begin, at or below a key: a place, a project or a run."""
        inside = self.objects.folders(f"{key}/" if key else "")
        below = [f"{key}/{name}" if key else name for name in inside if name != LISTS]
        found = [name for name in below if is_origin(name.rpartition("/")[2])]
        if key.count("/") == 1:
            earlier = not found or bool(set(inside) & _OWN_FOLDERS)
        else:
            earlier = self.objects.get(f"{key}/{RUN_FILE}".lstrip("/")) is not None
        if earlier:
            found.append(key)  # shipped by an earlier version
        return found or [root for name in below for root in self._roots(name)]

    def _sync_run(
        self, root: str, target: Path, noted: float | None, twins: Sequence[str] = ()
    ) -> bool:
        changed = False
        for _ in range(_TRIES):
            there = self._listed(f"{root}/" if root else "")
            if RUN_FILE not in there.whole and not there.parts and not there.merged:
                return False
            self._whole = True
            changed |= self._bring(there, target)
            if self._whole:
                break  # else ranks were merged or parts rolled up while we fetched: look again
        self._say_what_it_lacks(root, there, target, twins)
        state = copies.read_state(target)
        state[_COMPLETE] = noted if self._whole and not there.alive else None
        state[_ROOT] = root
        write_json(target / copies.STATE_FILE, state)
        (target / LISTED_FILE).unlink(missing_ok=True)
        return changed

    def _listed(self, prefix: str) -> RunListing:
        there = listing_of(self.objects, prefix)
        if (list_of_merged := there.whole.pop(MERGED_FILE, None)) is not None:
            there.merged = self.objects.get(list_of_merged.key)
        for key in there.strange:
            self._say(f"{key} is not an object of a run and was left out")
        return there

    def _bring(self, there: RunListing, target: Path) -> bool:
        (target / "points").mkdir(parents=True, exist_ok=True)
        state = copies.read_state(target)
        changed = False
        replaced = self._replaced(there)
        for file, some in there.parts.items():
            if file not in replaced:
                changed |= self._append(there.prefix, target, file, some, live=bool(there.alive))
        # run.json after the tables: it says that the run has ended
        for name, entry in sorted(there.whole.items(), key=lambda pair: pair[0] == RUN_FILE):
            if name == RUN_FILE:
                changed |= self._take_merged(there, target)
                if not self._whole:
                    break
            mark = [entry.size, entry.tag]
            if name not in replaced and state.get(name) != mark:
                if self._fetch(target, name, entry):
                    state[name] = mark
                    changed = True
                else:
                    self._whole = False
        self._heartbeats(target, there.alive)
        write_json(target / copies.STATE_FILE, state)
        return changed

    def _replaced(self, there: RunListing) -> set[str]:
        """Files whose points are in the table of merged ranks, and tables that it replaced."""
        if there.merged is None:
            return set()
        try:
            merged = read_merged(there.merged)
        except ValueError as error:
            self._say(f"{there.prefix}{MERGED_FILE} is damaged and was left out: {error}")
            there.merged = None
            return set()
        mine = (merged.table, merged.rest, merged.sums)
        kept = {path(Path()).as_posix() for path in mine}
        replaced = {name for name in there.whole if name.startswith("points/merged-")} - kept
        for segment in merged.sizes:
            own = (segment.table, segment.rest, segment.sums, segment.stream)
            replaced |= {path(Path()).as_posix() for path in own}
        return replaced

    def _take_merged(self, there: RunListing, target: Path) -> bool:
        """Let the table of merged ranks replace the files of the single ranks."""
        path = target / MERGED_FILE
        if there.merged is None or not self._whole:
            return False
        if path.exists() and path.read_bytes() == there.merged:
            return False
        with replacing(path) as file:
            file.write(there.merged)
        drop_replaced(target)
        return True

    def _append(
        self, prefix: str, target: Path, file: str, parts: list[FilePart], *, live: bool
    ) -> bool:
        """Append new parts; a gap is left for the next time."""
        path = target / file
        if path.suffix == ".arrows" and path.with_suffix(".parquet").exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        have = path.stat().st_size if path.exists() else 0
        before = have
        # the longest of those with the same start first: a rolled-up part saves fetching small ones
        for part in sorted(parts, key=lambda part: (part.start, -part.stop)):
            if part.stop <= have:
                continue
            if part.start > have:
                if not live:
                    self._say(f"{prefix}{file}: bytes {have:,} to {part.start:,} are missing there")
                break
            data = self.objects.get(f"{prefix}{part.key}")
            if data is None:
                self._whole = False
                break  # rolled up or compacted meanwhile: the next listing knows
            if len(data) != part.stop - part.start:
                self._say(f"{prefix}{part.key} has {len(data)} bytes and was left out")
                break
            with open(path, "r+b" if path.exists() else "wb") as out:
                # do not write existing bytes again: somebody may be reading them
                out.seek(have)
                out.write(data[have - part.start :])
            have = part.stop
        return have > before

    def _fetch(self, target: Path, name: str, entry: Entry) -> bool:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".parquet") and entry.size > FETCHED_WHOLE_BYTES:
            write_pointer(path, f"{self.objects.address}/{entry.key}", entry.size)
        else:
            data = self.objects.get(entry.key)
            if data is None:
                return False
            with replacing(path) as file:
                file.write(data)
        if name.endswith(".parquet") and not name.endswith(".rest.parquet"):
            path.with_suffix(".arrows").unlink(missing_ok=True)
        return True

    def _heartbeats(self, target: Path, alive: dict[str, Entry]) -> None:
        """Write the lock file that a writer on another host would have, dated at its heartbeat."""
        for name, entry in alive.items():
            rank = Path(name).stem.removeprefix("rank")
            if not rank.isdigit():
                continue
            age = time.time() - entry.modified
            if age < -60.0 and not self._clock_told:
                self._clock_told = True
                self._say(
                    f"the store's clock is {-age:.0f} s ahead of this machine's; "
                    "whether runs are alive is judged by it"
                )
            path = lock_path(target, int(rank))
            if not path.exists():
                write_json(path, {"host": "elsewhere", "pid": 0})
            os.utime(path, (entry.modified, entry.modified))
        if not alive:
            for path in (target / "points").glob("rank*.lock"):
                path.unlink(missing_ok=True)

    def _say_what_it_lacks(
        self, root: str, there: RunListing, target: Path, twins: Sequence[str]
    ) -> None:
        """Tell readers of the copy which shippers fell silent, and which other runs have its id."""
        now = time.time()
        said: dict[str, Any] = {}
        old = [e for e in there.alive.values() if now - e.modified >= SILENT_SECONDS]
        if silent := [one for one in map(partial(self._silent, target), old) if one is not None]:
            said["silent"] = silent
        if twins:
            said["twins"] = list(twins)
        if not is_origin(root.rpartition("/")[2]) and len(began := copies.beginnings(target)) > 1:
            said["mixed"] = began
        path = target / COPIED_FILE
        if not said:
            path.unlink(missing_ok=True)
        elif read_json_if_any(path) != said:
            write_json(path, said)

    def _silent(self, target: Path, entry: Entry) -> dict[str, Any] | None:
        """What an old heartbeat promised and how much arrived; None if all of it is here."""
        seen = self._beats.get(entry.key)
        if seen is None or seen[0] != entry.tag:
            seen = self._beats[entry.key] = (entry.tag, self.objects.get(entry.key) or b"{}")
        try:
            beat = orjson.loads(seen[1])
            promised = {segment_of(stem): int(rows) for stem, rows in beat.get("rows", {}).items()}
        except (ValueError, AttributeError):
            beat, promised = {}, {}
        stored = {s for s in segments(target) if not s.stream(target).exists()}
        rank = int(Path(entry.key).stem.removeprefix("rank"))
        ended = read_json_if_any(target / RUN_FILE).get("status", RUNNING) != RUNNING
        if ended and promised.keys() <= stored:
            return None
        here = {s: rows_between(s.stream(target), 0) for s in promised.keys() - stored}
        return {
            "rank": rank,
            "host": str(beat.get("host") or "an unknown host"),
            "heartbeat": entry.modified,
            "promised": sum(promised.values()),
            "there": sum(min(rows, here.get(s, rows)) for s, rows in promised.items()),
        }

    def _say(self, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)


def mirror_of(url: str | Address, cache: Path | None = None, *, lazily: bool = False) -> Mirror:
    """The mirror of an address; nothing is fetched yet."""
    address = url if isinstance(url, Address) else parse(url)
    objects = open_objects(address)
    return Mirror(objects, (cache or cache_folder()) / copies.cache_name(address), lazily)


def fetch_listed(folder: Path) -> None:
    """Bring the run of a folder that holds no more than its entry in the list."""
    if not (folder / LISTED_FILE).exists():
        return  # somebody else was faster
    said = read_reference(folder / LISTED_FILE)
    key = str(said["key"])
    top = folder.parents[key.count("/")]
    Mirror(open_objects(str(said["from"])), top).fetch(key)


def listed_runs(url: str, pattern: str = "") -> dict[str, dict[str, Any]]:
    """What the list beside the runs of an address says about them; nothing of the runs is fetched.

    By project and id; where several runs share these, by where the objects of each begin.
    """
    found = mirror_of(url).listed()
    return {
        root if twins else name: found[root]
        for root, (name, twins) in copies.folder_names(found).items()
        if copies.matches(root, pattern)
    }


def _ended(entry: dict[str, Any]) -> float | None:
    """When the list last spoke of a run that has ended; None while it may still change."""
    return entry.get("noted") if entry.get("status") in ENDED and not entry.get(SILENT) else None
