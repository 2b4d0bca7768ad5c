"""One run, read from its folder, from a bucket and from an index: the same in every way."""

from __future__ import annotations

import numpy as np
import pytest
from tests.fleet.conftest import QUIET, record

import runvitals as rv
from runvitals.cli.options import log_path
from runvitals.diagnosis.judge import Settings, judge
from runvitals.index.database import opened
from runvitals.index.filling import Filler
from runvitals.readers.open import open_runs
from runvitals.remote.push import push
from runvitals.render.json_ import as_json
from runvitals.render.judged import judged
from runvitals.store.clickhouse import points


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run with ranks, a restart, odd numbers and more than numbers; and one that collapsed."""
    top = tmp_path_factory.mktemp("contract")
    for rank in (0, 1):
        for first in (0, 20) if rank == 0 else (0,):
            with rv.init(
                dir=top, project="p", id="job", rank=rank, resume=True, tags=["a"], notes="n",
                config={"learning_rate": 0.1, "nested": {"x": 1}}, algorithm="PPO", **QUIET,
            ) as run:  # fmt: skip
                for step in range(first, first + 40):
                    values = {"outcome/return_mean": step + 0.1 * rank, "policy/entropy": 0.5}
                    run.log(values, step=step)
                    if step == 7:
                        run.log({"odd": float("nan"), "other": float("-inf")}, step=step)
                if rank == 0:
                    run.log_histogram("advantages", np.arange(50.0), step=30)
                    run.log_text("note", "hello", step=30)
    record(top / "cartpole" / "sick", sick=True)
    return top


@pytest.fixture(params=["folder", "bucket", "index", "index, series by series"])
def place(request, recorded, tmp_path, monkeypatch):
    if request.param == "folder":
        return recorded
    if request.param == "bucket":
        url = request.getfixturevalue("bucket")
        list(push(recorded, url))
        return log_path(url)
    if request.param != "index":
        monkeypatch.setattr(points, "LARGE", 1)
    url = f"chdb://{tmp_path}/index"
    with opened(url, create=True) as database:
        database.create()
        Filler(database, Settings(), verdicts=False).fill(recorded)
    return log_path(url)


def by_id(top):
    return {run.id: run for run in open_runs(top)}


def test_identity_settings_and_series_are_the_same(place, recorded):
    wanted, found = by_id(recorded), by_id(place)

    assert found.keys() == wanted.keys()
    for id, run in wanted.items():
        same = found[id]
        for name in ("name", "project", "status", "config", "summary", "tags", "notes",
                     "started", "ended", "framework", "algorithm", "settings", "bindings",
                     "last_step", "warnings"):  # fmt: skip
            assert getattr(same, name) == getattr(run, name), name
        assert sorted(same.names()) == sorted(run.names())
        assert same.points.count == run.points.count
        for name in run.names():
            assert same.points.ranks(name) == run.points.ranks(name)
            assert same.points.lives(name) == run.points.lives(name)
            for rank in run.points.ranks(name):
                for kept, logged in (
                    (same.points.column(name, rank), run.points.column(name, rank)),
                    (same.points.abandoned(name, rank), run.points.abandoned(name, rank)),
                ):
                    np.testing.assert_array_equal(kept[0], logged[0])
                    np.testing.assert_allclose(kept[1], logged[1], rtol=0, atol=1e-6)
                    np.testing.assert_array_equal(kept[2], logged[2])


def test_what_is_not_a_number_is_the_same(place, recorded):
    wanted, found = by_id(recorded)["job"], by_id(place)["job"]

    assert found.texts()
    assert repr(found.texts()) == repr(wanted.texts())
    assert repr(found.histograms()) == repr(wanted.histograms())


def test_the_judgement_is_the_same(place, recorded):
    def judgements(top):
        return as_json([judged(run, judge(run, Settings()), run.id) for run in by_id(top).values()])

    wanted = sorted(judgements(recorded)["runs"], key=lambda run: run["path"])

    assert sorted(judgements(place)["runs"], key=lambda run: run["path"]) == wanted
    assert {run["path"]: run["verdict"]["word"] for run in wanted}["sick"] == "collapsed"
