"""Notes about runs and saved views, in a file beside the runs: `.runvitals.json` in the folder served.

Nothing else is ever written by the server, and no log is changed. Runs are named by their path from
that folder, so that it can be moved with its notes.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from runvitals.model.atomic import replacing
from runvitals.view.places import Place
from runvitals.view.schemas.run import RunNotes, RunRow, SavedView

NAME = ".runvitals.json"


class Sidecar:
    """What people noted about the runs below some folders."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._lock = threading.Lock()
        self._known: dict[Path, tuple[int, dict[str, Any]]] = {}  # by file: its time and content
        self._rows: dict[str, tuple[RunRow, RunNotes, RunRow]] = {}

    def notes(self, place: Place, index: int) -> RunNotes:
        """What was noted about a run; nothing if nobody did."""
        found = self._read(place.root).get("runs", {}).get(_key(place, index), {})
        return RunNotes.model_validate(found)

    def note(self, place: Place, index: int, notes: RunNotes) -> None:
        """Keep what somebody noted about a run."""
        told = notes.model_dump(exclude_defaults=True)
        self._change(place.root, "runs", _key(place, index), told)

    def noted(self, row: RunRow, place: Place, index: int) -> RunRow:
        """A run's line with what was noted about it; the same object while nothing changes."""
        notes = self.notes(place, index)
        if notes == RunNotes():
            return row
        known = self._rows.get(row.id)
        if known is None or known[0] is not row or known[1] != notes:
            known = (row, notes, row.model_copy(update=shown(row, notes)))
            self._rows[row.id] = known
        return known[2]

    def views(self, project: str) -> list[SavedView]:
        """The views of a project."""
        found = self._read(self._roots[0]).get("views", {}).get(project, [])
        return [SavedView.model_validate(view) for view in found]

    def keep_views(self, project: str, views: Sequence[SavedView]) -> None:
        """Keep the views of a project."""
        told = [view.model_dump() for view in views]
        self._change(self._roots[0], "views", project, told)

    def _read(self, root: Path) -> dict[str, Any]:
        file = _file(root)
        try:
            changed = file.stat().st_mtime_ns
            known = self._known.get(file)
            if known is not None and known[0] == changed:
                return known[1]
            found = orjson.loads(file.read_bytes())
        except (OSError, ValueError):
            return {}  # nobody has taken notes yet, or the file is not one of ours
        said = found if isinstance(found, dict) else {}
        self._known[file] = (changed, said)
        return said

    def _change(self, root: Path, part: str, key: str, value: Any) -> None:
        with self._lock:
            said = dict(self._read(root))
            mine = {**said.get(part, {}), key: value}
            said[part] = {one: told for one, told in mine.items() if told}
            with replacing(_file(root)) as file:
                file.write(orjson.dumps(said, option=orjson.OPT_INDENT_2))
            self._known.pop(_file(root), None)


def shown(row: RunRow, notes: RunNotes) -> dict[str, Any]:
    """What notes change in a run's line: its name and its tags."""
    marks = [*(["starred"] if notes.star else []), *(["archived"] if notes.archived else [])]
    return {
        "name": notes.name or row.name,
        "tags": list(dict.fromkeys([*row.tags, *notes.tags, *marks])),
    }


def _file(root: Path) -> Path:
    return (root if root.is_dir() else root.parent) / NAME


def _key(place: Place, index: int) -> str:
    return place.shown if index == 0 else f"{place.shown}#{index}"
