"""Ranks of several nodes become one table in the bucket; no moment of it loses or doubles a point."""

import numpy as np
import pytest
from tests.remote.test_ship_and_mirror import columns, record

import runvitals as rv
from runvitals.remote import merge as merge_module
from runvitals.remote.merge import merge_run
from runvitals.remote.mirror import mirror_of
from runvitals.remote.push import push
from runvitals.remote.run_list import RemoteRunList
from runvitals.remote.ship import Shipper
from runvitals.store.objects.store import open_objects

NODES, ROWS = 3, 40
KEY = "p/job"


@pytest.fixture
def nodes(tmp_path, monkeypatch):
    """The folders of three nodes, each with the points of one rank."""
    monkeypatch.setenv("WORLD_SIZE", str(NODES))
    for rank in range(NODES):
        monkeypatch.setenv("RANK", str(rank))
        run = record(tmp_path / f"node{rank}", rows=ROWS, id="job")
        run.log({"time/step_s": 0.1 + rank}, step=ROWS)
        run.finish()
    monkeypatch.delenv("RANK")
    monkeypatch.delenv("WORLD_SIZE")
    return [tmp_path / f"node{rank}" for rank in range(NODES)]


def points_there(place):
    mirror = mirror_of(place)
    mirror.sync()
    assert mirror.problems == []
    return rv.open_run(mirror.folder)


def root(place):
    """Where the objects of the run begin."""
    [origin] = open_objects(place).folders(f"{KEY}/")
    return f"{KEY}/{origin}"


def names_there(place):
    names = [e.key for e in open_objects(place).listed(f"{KEY}/") if "/points/" in e.key]
    return [name.rpartition("/")[2] for name in names if name.endswith(".parquet")]


def test_the_node_that_comes_last_merges_and_every_reader_sees_all_ranks(nodes, place):
    seen = []
    for node in nodes:
        list(push(node, place))
        run = points_there(place)
        seen.append((run.points.count, len(run.points.ranks("time/step_s"))))

    assert seen == [(n * (2 * ROWS + 1), n) for n in (1, 2, 3)]
    assert all(name.startswith("merged-") for name in names_there(place))
    here = rv.open_run(nodes[2])
    for name, arrays in columns(here).items():
        for mine, theirs in zip(arrays, run.points.column(name, 2), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    [entry] = RemoteRunList(open_objects(place)).entries().values()
    assert (entry["status"], entry["points"]) == ("finished", 2 * ROWS + 1)


def test_a_second_push_sends_and_merges_nothing(nodes, place):
    for node in nodes:
        list(push(node, place))
    before = {e.key: e.tag for e in open_objects(place).listed(f"{root(place)}/points/")}

    again = [one.done.objects for node in nodes for one in push(node, place)]

    assert again == [0, 0, 0]
    assert {e.key: e.tag for e in open_objects(place).listed(f"{root(place)}/points/")} == before


@pytest.mark.parametrize("moment", ["replace", "delete"])
def test_a_merge_that_is_killed_loses_and_doubles_nothing(nodes, place, moment, monkeypatch):
    monkeypatch.setattr("runvitals.remote.push.merge_run", lambda *_: None)
    for node in nodes:
        list(push(node, place))
    objects = open_objects(place)
    monkeypatch.setattr(objects, moment, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))

    with pytest.raises(KeyboardInterrupt):
        merge_run(objects, root(place))

    assert points_there(place).points.count == NODES * (2 * ROWS + 1)
    merge_run(open_objects(place), root(place))
    assert points_there(place).points.count == NODES * (2 * ROWS + 1)
    assert all(name.startswith("merged-") for name in names_there(place))


def test_ranks_are_not_merged_while_one_of_them_lives(nodes, place):
    for node in nodes:
        run = next(node.glob("p/job"))
        Shipper(run, open_objects(place), KEY).ship(final=True)
    open_objects(place).put(f"{KEY}/alive/rank1.json", b"{}")

    assert merge_run(open_objects(place), KEY) is None
    assert len(names_there(place)) >= NODES


def test_objects_that_go_while_a_reader_fetches_are_looked_for_again(nodes, place, monkeypatch):
    monkeypatch.setattr("runvitals.remote.push.merge_run", lambda *_: None)
    for node in nodes:
        list(push(node, place))
    mirror = mirror_of(place)
    fetch = mirror.objects.get
    merged = []

    def get(key):
        if key.endswith(".parquet") and not merged:
            merged.append(merge_module.merge_run(open_objects(place), root(place)))
        return fetch(key)

    monkeypatch.setattr(mirror.objects, "get", get)

    mirror.sync()

    assert merged[0] is not None
    assert rv.open_run(mirror.folder).points.count == NODES * (2 * ROWS + 1)
