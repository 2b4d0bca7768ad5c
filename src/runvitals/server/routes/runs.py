"""`/api/runs`: the list."""

from __future__ import annotations

import threading
import time
from typing import Annotated, Any
from zlib import crc32

import orjson
from fastapi import APIRouter, Query, Request, Response

from runvitals.server.answers import AGE, JSON, packed, unchanged
from runvitals.server.scopes import scope, sees_everything
from runvitals.server.work.dashboard import Dashboard
from runvitals.server.work.library import group_keys
from runvitals.store.files import dumps
from runvitals.view.json_safe import readable
from runvitals.view.schemas import RunList, RunRow

Since = Annotated[str, Query(max_length=64, description="The version of the list that is known.")]
Refresh = Annotated[bool, Query(description="Look for new runs now; the next answers have them.")]
FIRST_LOOK = 0.4  # seconds that a page waits before it says that there are no runs


class _Encoded:
    """Rows as JSON; only those that have changed are made anew."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[RunRow, bytes]] = {}
        self._lock = threading.Lock()

    def fragments(self, rows: list[RunRow], *, whole: bool) -> list[orjson.Fragment]:
        now = time.time()
        with self._lock:
            kept: dict[str, tuple[RunRow, bytes]] = {} if whole else dict(self._rows)
            for row in rows:
                known = self._rows.get(row.id)
                if known is None or known[0] is not row:
                    known = (row, dumps(row.model_dump(exclude={AGE})))
                kept[row.id] = known
            self._rows = kept
        return [orjson.Fragment(_with_age(row, kept[row.id][1], now)) for row in rows]


def number_of(since: str, began: str) -> int | None:
    """The version of the list that a page has; None if it is of another server, or of none."""
    server, _, number = since.rpartition("-")
    return int(number) if server == began and number.isdecimal() else None


def _with_age(row: RunRow, encoded: bytes, now: float) -> bytes:
    age = b"null" if row.started is None else b"%d" % max(0, now - row.started)
    return b'%s,"%s":%s}' % (encoded[:-1], AGE.encode(), age)


def router(dashboard: Dashboard) -> APIRouter:
    """The list of runs."""
    made = APIRouter(prefix="/api", tags=["runs"])
    encoded = _Encoded()

    @made.get("/runs", response_model=RunList)
    def runs(request: Request, since: Since = "", refresh: Refresh = False) -> Response:
        """All runs found so far, the newest first, or what has changed since a version of the list."""
        library = dashboard.library
        if refresh:
            dashboard.look_now()
        library.await_scan(FIRST_LOOK)
        began, version = f"{dashboard.started:.3f}", library.version
        everything = sees_everything()
        known_version = number_of(since, began) if everything else None
        tag = f'W/"{began}-{version}-{known_version}-{crc32(repr(scope()).encode()):08x}"'
        known = unchanged(request, tag)
        if known is not None:
            return known
        scanning, judging = library.scanning, library.unjudged  # asked first: rows only get newer
        rows, gone = (
            (list(library.rows()), []) if known_version is None else library.news(known_version)
        )
        rows = [dashboard.noted(row) for row in rows]
        if not everything:
            rows = [row for row in rows if dashboard.may_read(row.id)]
        content: dict[str, Any] = {
            "runs": encoded.fragments(rows, whole=everything and known_version is None),
            "version": f"{began}-{version}",
            "whole": known_version is None,
            "gone": gone,
            "scanning": scanning,
            "judging": judging,
            "group_keys": library.group_keys() if everything else group_keys(rows),
            "missing": [readable(root) for root in library.missing] if everything else [],
            "problems": [readable(problem) for problem in library.problems] if everything else [],
        }
        return packed(request, orjson.dumps(content), JSON, tag)

    return made
