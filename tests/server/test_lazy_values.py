"""Runs too large for the memory: what is shown of them is the same."""

from __future__ import annotations

import numpy as np
import pytest

from runvitals.model import RowBlock
from runvitals.store import table
from runvitals.store.compact import compact
from runvitals.store.layout import Segment
from runvitals.store.writer import PointWriter
from runvitals.view.points.axis_series import LazyValues

ROWS = 50_000
NAMES = ("policy/entropy", "progress/episodes", "train/entropy_loss")


@pytest.fixture
def folder(tmp_path):
    """A finished run with values that are not finite, and a name that means another with its sign."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(ROWS, len(NAMES)))
    values[:, 1] = np.arange(ROWS) // 7
    values[[100, 20_000, ROWS - 1], 0] = np.nan
    values[4_321, 2] = np.inf
    run = tmp_path / "run"
    (run / "points").mkdir(parents=True)
    writer = PointWriter(run, Segment())
    writer.write([RowBlock(NAMES, np.arange(ROWS) * 3, 1e9 + np.arange(ROWS), values)])
    writer.close()
    compact(run, Segment())
    return tmp_path


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"buckets": 50},
        {"from": 30_001, "to": 99_999, "buckets": 40},
        {"from": 60_000, "to": 60_300},
        {"x": "time", "buckets": 20},
        {"x": "progress/episodes", "buckets": 20},
    ],
    ids=["whole", "coarse", "a part", "close up", "over time", "over a counter"],
)
def test_a_series_that_stays_in_its_file_is_shown_as_any_other(
    site, folder, series, monkeypatch, query
):
    known = site(folder)
    expected = series(known, "run", *NAMES, **query)
    monkeypatch.setattr(table, "LARGE", 1)
    late = site(folder)

    shown = series(late, "run", *NAMES, **query)

    with late.app.state.dashboard.open_run(late.id_of("run")) as opened:
        over_axis = opened.axis_series.get(NAMES[0], None, query.get("x", "step"))
        assert isinstance(over_axis.values, LazyValues)
        assert opened.run.points.held <= ROWS  # at most the counter
    for name in NAMES:
        for key, value in expected[name].items():
            np.testing.assert_array_equal(shown[name][key], value)


def test_the_page_of_a_large_run_says_the_same(site, folder, monkeypatch):
    expected = site(folder).run("run")
    monkeypatch.setattr(table, "LARGE", 1)

    told = site(folder).run("run")

    assert told["charts"] == expected["charts"]
    assert told["charts"][0]["names"]
    assert {key: told[key] for key in ("last_step", "points", "steps_per_second", "lives")} == {
        key: expected[key] for key in ("last_step", "points", "steps_per_second", "lives")
    }
    assert told["verdict"] == expected["verdict"]
