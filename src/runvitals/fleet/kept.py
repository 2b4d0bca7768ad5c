"""Judged runs in the cache: what one command judged, the others, pages and agents have at once."""

from collections.abc import Sequence
from dataclasses import replace

import orjson

from runvitals.fleet.cache import RunCache, is_over, moved
from runvitals.fleet.fingerprint import newest_change
from runvitals.readers.discovery.files import Found
from runvitals.render.judged import Judged
from runvitals.view.run.kept import KeptRun, read_judged
from runvitals.view.schemas.run import RunRow

_USE = "judged"


def save(cache: RunCache, found: Found, settings: str, files: str, runs: Sequence[KeptRun]) -> None:
    """Keep the runs of a place unless they may go on. `files`: its fingerprint before it was read."""
    if is_over(found, (one.row.status for one in runs), newest_change):
        parts = [
            (one.row.model_dump_json(), one.said, one.evidence, one.figures_json) for one in runs
        ]
        cache.save(_USE, found, settings, files, orjson.dumps(parts))


def load_runs(cache: RunCache, found: Found, settings: str, files: str) -> list[KeptRun] | None:
    """The runs of a place as lists show them, if their judgement by these settings is known."""
    kept = cache.load(_USE, found, settings, files)
    try:
        return (
            None
            if kept is None
            else [
                KeptRun(RunRow.model_validate_json(row), said, figures)
                for row, said, _, figures in orjson.loads(kept[1])
            ]
        )
    except ValueError:
        return None  # written by a version that the stamp of the code does not tell apart


def load_judged(cache: RunCache, found: Found, settings: str, files: str) -> list[Judged] | None:
    """The same runs as reports show them."""
    kept = cache.load(_USE, found, settings, files)
    if kept is None:
        return None
    before, now = kept[0], str(found.path)
    try:
        known = [read_judged(said, series) for _, said, series, _ in orjson.loads(kept[1])]
    except ValueError:
        return None
    # the path as it is said now, which may be relative to another folder
    return [
        replace(
            one,
            shown=moved(one.shown, before, now),
            run=replace(one.run, path=moved(one.run.path, before, now)),
        )
        for one in known
    ]
