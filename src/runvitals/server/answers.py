"""JSON answers; and what a page asks for first, the list, a run, its points, without FastAPI.

Importing that takes as long as all else these answers need, so `EarlyPage` gives them before. The
endpoints of `routes/` are the same functions, with their parameters described and checked.
"""

import re
import threading
import time
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import orjson
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from runvitals import __version__
from runvitals.model import Run
from runvitals.server.scopes import scope, sees_everything
from runvitals.server.sending import packed, tag_of, unchanged
from runvitals.server.work.dashboard import Dashboard
from runvitals.server.work.library import group_keys
from runvitals.server.work.sidecar import shown
from runvitals.store.files import dumps
from runvitals.view.json_safe import meant, readable
from runvitals.view.points.axis_series import AXES, counters, split_key
from runvitals.view.points.wire import DrawnRange, drawn, encode
from runvitals.view.run.detail import detail_of
from runvitals.view.schemas.run import RunRow

JSON = "application/json"
BINARY = "application/octet-stream"
AGE = "age_seconds"
FIRST_LOOK = 0.4  # seconds that a page waits before it says that there are no runs
MAX_NAMES = 256
LONGEST = 64  # characters of a version
MAX_BUCKETS = 5_000
RUN = re.compile(r"/api/runs/([0-9a-f]{12})(/series)?")


def answer(request: Request, content: BaseModel) -> Response:
    """The content as JSON; 304 if the page has it. That a run grows older is not a change."""
    fields = content.model_dump()
    age = fields.pop(AGE, None)
    body = dumps(fields)
    tag = tag_of(body)
    if (known := unchanged(request, tag)) is not None:
        return known
    if age is not None:
        body = dumps({**fields, AGE: age})
    return packed(request, body, JSON, tag)


class FirstAnswers:
    """The list of runs, a run, and its points."""

    def __init__(self, dashboard: Dashboard) -> None:
        self.dashboard = dashboard
        self._encoded = _Encoded()

    def given_early(self, request: Request) -> Response | None:
        """The answer to a request as the page asks; None if it takes all of the server to answer."""
        path, query = request.url.path, request.query_params
        try:
            if path == "/api/runs":
                since = query.get("since", "")
                plain = set(query) <= {"since"} and len(since) <= LONGEST
                return self.runs(request, since) if plain else None
            if (found := RUN.fullmatch(path)) is None:
                return None
            id, points = found.groups()
            if not points:
                return self.run(request, id) if not query else None
            names, buckets = query.getlist("name"), query.get("buckets", "")
            plain = set(query) == {"name", "x", "buckets"} and len(names) <= MAX_NAMES
            if not plain or not (buckets.isdecimal() and 0 < int(buckets) <= MAX_BUCKETS):
                return None
            return self.series(request, id, names, DrawnRange(query["x"], None, None, int(buckets)))
        except HTTPException:
            return None  # the app says why

    def runs(self, request: Request, since: str) -> Response:
        """All runs found so far, the newest first, or what has changed since a version of the list."""
        dashboard, library = self.dashboard, self.dashboard.library
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
            "runs": self._encoded.fragments(rows, whole=everything and known_version is None),
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

    def run(self, request: Request, id: str) -> Response:
        """All of a run but its points."""
        dashboard = self.dashboard
        with dashboard.open_run(id) as opened:
            detail = detail_of(opened, dashboard.judgement(id))
            detail.noted = dashboard.sidecar.notes(opened.place, opened.index)
        return answer(request, detail.model_copy(update=shown(detail, detail.noted)))

    def series(
        self, request: Request, id: str, names: Sequence[str], stretch: DrawnRange
    ) -> Response:
        """Some series in binary, as points or as lowest and highest per bucket."""
        with self.dashboard.open_run(id) as opened:
            tag = tag_of(opened.stamp, opened.run.points.count, request.url.query, __version__)
            if (known := unchanged(request, tag)) is not None:
                return known
            stretch = stretch._replace(axis=axis_of(opened.run, stretch.axis))
            wanted = []
            for key in names:
                found = split_key(opened.run, key)
                if found is None:
                    raise HTTPException(404, f"this run has no series {key!r}")
                wanted.append((key, found))
            body = encode(
                (key, drawn(opened.axis_series, *found, stretch)) for key, found in wanted
            )
        return packed(request, body, BINARY, tag)


def axis_of(run: Run, told: str) -> str:
    """The axis that is meant; raises 404 if the run has no such thing."""
    axes = [*AXES, *counters(run)]
    if (axis := meant(told, axes)) not in axes:
        raise HTTPException(404, f"this run has no axis {told!r}")
    return axis


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
