"""A run that goes on takes no more memory the longer it is, in the server and in what judges it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runvitals.model import RowBlock
from runvitals.model.points import table as points
from runvitals.server.work import shelf
from runvitals.server.work.judge_place import judge_place
from runvitals.server.work.library import Library
from runvitals.store.files import write_json
from runvitals.store.layout import Segment
from runvitals.store.writer import PointWriter
from runvitals.view.places import Place

NAMES = tuple(f"train/number_{i}" for i in range(64))
ROWS = 5_000  # 2.6 MB of values; more than the judge keeps of a series
MEGABYTE = 2**20
Grow = Callable[[int], None]


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Grow]:
    """Writes so many more rows of a run, in records as long as a second."""
    folder = tmp_path / "live"
    (folder / "points").mkdir(parents=True)
    write_json(folder / "run.json", {"id": "live", "name": "live", "status": "running"})
    writer = PointWriter(folder, Segment())
    rng = np.random.default_rng(0)
    written = 0

    def grow(rows: int) -> None:
        nonlocal written
        for _ in range(rows // 100):
            steps = np.arange(written, written + 100)
            values = rng.normal(size=(100, len(NAMES)))
            writer.write([RowBlock(NAMES, steps, 1.8e9 + steps, values)])
            written += 100

    yield grow
    writer.close()


def place_in(folder: Path) -> Place:
    library = Library([folder])
    library.scan()
    [record] = library.records()
    return record.place


def measured(act: Callable[[], Any]) -> tuple[int, int]:
    """Bytes that are held after an act, and the most that were while it went on."""
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    act()
    most = tracemalloc.get_traced_memory()[1] - before
    gc.collect()
    return tracemalloc.get_traced_memory()[0], most


@contextmanager
def traced() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def test_a_server_holds_no_more_of_a_run_that_grows(growing, site, monkeypatch):
    monkeypatch.setattr(shelf, "FRESH", 0.0)
    growing(ROWS)
    served = site(judging=False)
    [row] = served.runs_so_far()

    def look() -> None:
        address = f"/api/runs/{row['id']}"
        charts = served.get(address).json()["charts"]
        keys = [name["key"] for chart in charts for name in chart["names"]]
        assert len(keys) == len(NAMES)
        for first in (0, 20, 40):
            answer = served.get(f"{address}/series", params={"name": keys[first : first + 24]})
            assert answer.status_code == 200

    with traced():
        look()
        held, most = measured(look)
        growing(3 * ROWS)
        look()
        held_later, most_later = measured(look)

    # what waits to be put aside is a megabyte more or less
    assert held_later - held < 2 * MEGABYTE  # of 7.7 that were logged since
    assert most_later - most < 2 * MEGABYTE


def test_judging_takes_no_more_memory_the_longer_a_run_is(growing, tmp_path):
    growing(ROWS)
    place = place_in(tmp_path)
    judge_place(place)  # imports the rules
    with traced():
        _, most = measured(lambda: judge_place(place))
        growing(3 * ROWS)
        _, most_later = measured(lambda: judge_place(place))

    assert most_later - most < 4 * MEGABYTE  # of 7.7 that were logged since
    assert most_later < 16 * MEGABYTE  # some thousand rows with their steps and times


def test_a_page_shows_the_same_wherever_the_points_lie(growing, site, monkeypatch):
    growing(900)
    shown = []
    for most in (2**40, 50_000):
        monkeypatch.setattr(points, "MAX_RECENT", most)
        monkeypatch.setattr(points, "MIN_ASIDE", 16)
        served = site()
        [row] = served.runs()
        address = f"/api/runs/{row['id']}"
        detail = served.get(address).json()
        queries = [{}, {"buckets": 50}, {"from": 100, "to": 300}, {"x": "time"}]
        series = [
            served.get(f"{address}/series", params={"name": NAMES[:9], **query}).content
            for query in queries * 2
        ]
        opened = served.app.state.dashboard.shelf.open_places()
        shown.append((detail, series, [place.runs[0].points.is_aside for place in opened]))

    (detail, series, inside), (again, series_again, aside) = shown
    assert (inside, aside) == ([False], [True])
    assert again == detail
    assert series_again == series
    assert detail["verdict"]["word"]
