"""The list of runs beside them: one object instead of a listing of everything.

`_runs/list.json` holds an entry for each run. Whoever ships a run first writes its own entry as a
small object (`_runs/new/...`), then tries to fold all of these into the list with a conditional
write. If somebody else is faster, the entry waits for the next one: nothing is lost, nobody waits.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from runvitals.model import ReadError, RemoteError
from runvitals.remote.keys import ALIVE, LISTS, fields_of, is_safe
from runvitals.store.copied import age
from runvitals.store.files import dumps, without_checksum
from runvitals.store.layout import RUN_FILE, RUN_FORMAT
from runvitals.store.lock import SILENT_SECONDS
from runvitals.store.objects.store import Entry, Objects, open_objects
from runvitals.store.run_file import checked, read_run_file

LIST = f"{LISTS}/list.json"
NEW = f"{LISTS}/new"
FORMAT = "runvitals-run-list/1"
MAX_ABOVE = 3  # the objects of a run lie below its id, that below its project
RUNNING, CRASHED = "running", "crashed"
SILENT = "silent_since"  # when a run that nobody says has ended was last noted
_KEPT = "id name project status exit_code started ended framework algorithm tags".split()


def entry_of(folder: Path, key: str, objects: Objects, *, ended: bool) -> dict[str, Any] | None:
    """What the list says about a run; None as long as nobody knows more than its ranks.

    Only the node of rank 0 has `run.json`; the others take it from where they ship to. A run that says
    it is running although nobody writes it has crashed.
    """
    said = _said(folder, key, objects)
    if said is None:
        return None
    entry: dict[str, Any] = {name: said.get(name) for name in _KEPT}
    beats = list(objects.listed(f"{key}/{ALIVE}/")) if ended else []
    now = time.time()
    alive = any(now - beat.modified < SILENT_SECONDS for beat in beats)
    if ended and entry["status"] == RUNNING and not alive:
        entry["status"] = CRASHED
    summary = said.get("summary")
    known = [one for one in summary.values() if isinstance(one, dict)] if summary else []
    return {
        "key": key,
        **entry,
        "series": len(known),
        "points": sum(int(one.get("count") or 0) for one in known),
        "last_step": max((int(one.get("step") or 0) for one in known), default=None),
        "noted": now,
        "waits_for": sorted(Path(e.key).stem for e in beats),  # ranks of other nodes
    }


def entry_warnings(entry: dict[str, Any]) -> list[str]:
    """What is missing of a run as far as the list knows: its shippers fell silent."""
    now = time.time()
    if SILENT in entry:
        silent = age(now - float(entry[SILENT]))
        return [f"the last heartbeat was {silent} ago; rows recorded since are not there"]
    waits_for, noted = entry.get("waits_for"), float(entry.get("noted") or now)
    if waits_for and now - noted > SILENT_SECONDS:
        who = ", ".join(waits_for)
        return [f"{who} had not shipped everything when this was noted {age(now - noted)} ago"]
    return []


def identity_in(entry: dict[str, Any]) -> dict[str, Any]:
    """What `run.json` would say of a run, as far as its entry in the list knows."""
    known = {name: entry[name] for name in _KEPT if entry.get(name) is not None}
    return {"format": RUN_FORMAT, **known}


def _said(folder: Path, key: str, objects: Objects) -> dict[str, Any] | None:
    try:
        return read_run_file(folder).content
    except ReadError:
        data = objects.get(f"{key}/{RUN_FILE}")
    try:
        return None if data is None else checked(without_checksum(data)).content
    except ValueError:
        return None


class RemoteRunList:
    """The list of one place."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._seen: dict[str, tuple[str, Any]] = {}  # objects as last read: tag and content

    def note(self, entry: dict[str, Any] | None, *, final: bool) -> None:
        """Write the entry of a run; once it has ended, fold it into the list."""
        if entry is None:
            return
        name = str(entry["key"]).replace("/", "~")
        self._objects.put(f"{NEW}/{name}.json", dumps(entry))
        if final:
            self.fold()

    def fold(self) -> bool:
        """Fold all new entries of ended runs into the list; False if another process was faster."""
        found = self._objects.tagged(LIST)
        runs = _runs_in(found[0], str(self._objects.address)) if found is not None else {}
        folded = []
        for key, entry in self._read(self._objects.listed(f"{NEW}/"))[0]:
            if entry.get("status") != RUNNING:
                runs[str(entry["key"])] = entry
                folded.append(key)
        if not folded:
            return True
        content = dumps({"format": FORMAT, "runs": list(runs.values())})
        if not self._objects.replace(LIST, content, None if found is None else found[1]):
            return False
        # only now: whoever reads in between sees the entry twice, and never not at all
        self._objects.delete(folded)
        return True

    def entries(self) -> dict[str, dict[str, Any]]:
        """All runs by their key: one listing, one object, and one object for each live run.

        When asked again, only objects that have changed are read again. What is new is looked for
        first: an entry that is folded meanwhile is then in the list. A run that was last noted longer
        ago than a live one ever is has crashed.
        """
        there = {entry.key: entry for entry in self._objects.listed(f"{LISTS}/")}
        self._seen = {key: seen for key, seen in self._seen.items() if key in there}
        new, folded = self._read(entry for key, entry in there.items() if key != LIST)
        runs = self._list(there.get(LIST), folded=folded)
        for _, entry in new:
            known = runs.get(str(entry["key"]), {})
            if float(known.get("noted") or 0.0) <= float(entry.get("noted") or 0.0):
                runs[str(entry["key"])] = entry
        return runs

    def _list(self, listed: Entry | None, *, folded: bool) -> dict[str, dict[str, Any]]:
        """The runs of the list; read again if it is another one than last time."""
        tag, runs = self._seen.get(LIST, ("", {}))
        if folded or (listed is not None and (not tag or listed.tag != tag)):
            found = self._objects.tagged(LIST)
            if found is None:
                return {}
            runs = _runs_in(found[0], str(self._objects.address))
            self._seen[LIST] = ("" if listed is None or folded else listed.tag, runs)
        return dict(runs)

    def _read(self, listed: Iterable[Entry]) -> tuple[list[tuple[str, dict[str, Any]]], bool]:
        """Entries that are not in the list yet, and whether one went there while we looked."""
        found, folded = [], False
        now = time.time()
        for one in listed:
            if not one.key.startswith(f"{NEW}/"):
                continue
            tag, entry = self._seen.get(one.key, ("", {}))
            if not tag or tag != one.tag:
                data = self._objects.get(one.key)
                folded |= data is None
                entry = fields_of(data)
                self._seen[one.key] = (one.tag, entry)
            if is_safe(str(entry.get("key", ""))):
                silent = now - one.modified > SILENT_SECONDS
                if silent and entry.get("status") == RUNNING:
                    entry = {**entry, "status": CRASHED, SILENT: one.modified}
                found.append((one.key, entry))
        return found, folded


def lists_for(objects: Objects) -> Iterator[tuple[RemoteRunList, str]]:
    """The lists that may name the runs of a place, and how these begin there.

    The place may be a project or a single run: then the list lies above it.
    """
    yield RemoteRunList(objects), ""
    address, begin = objects.address, ""
    for _ in range(MAX_ABOVE):
        above = address.above()
        if above is None:
            return
        address, name = above
        begin = f"{name}/{begin}".rstrip("/")
        parent = open_objects(address)
        parent.requests = objects.requests  # they are all ours
        yield RemoteRunList(parent), begin


def below(runs: dict[str, dict[str, Any]], begin: str) -> dict[str, dict[str, Any]]:
    """Runs whose keys begin so, by the rest of their keys.

    >>> below({"p/a": {}, "p/b": {}, "q/a": {}}, "p"), below({"p/a": {}}, "p/a")
    ({'a': {}, 'b': {}}, {'': {}})
    """
    if not begin:
        return runs
    within = {key: run for key, run in runs.items() if f"{key}/".startswith(f"{begin}/")}
    return {key[len(begin) + 1 :]: run for key, run in within.items()}


def _runs_in(data: bytes, where: str) -> dict[str, dict[str, Any]]:
    try:
        content = orjson.loads(data)
        return {str(run["key"]): run for run in content["runs"] if is_safe(str(run["key"]))}
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise RemoteError(
            "the list of runs is damaged",
            where=f"{where}/{LIST}",
            hint="delete that object; `runvitals push` and ended runs write it again",
        ) from error
