"""A dashboard over a bucket shows ended runs from the list, and fetches them when they are opened."""

import json

import pytest
from tests.remote.test_ship_and_mirror import QUIET, record
from tests.server.conftest import Site, until

import runvitals as rv
from runvitals.fleet.cache import RunCache
from runvitals.model import ReadError, RemoteError
from runvitals.remote.mirror import fetch_listed, mirror_of
from runvitals.remote.push import push
from runvitals.server.app import app_over
from runvitals.server.work import watcher
from runvitals.server.work.dashboard import Dashboard
from runvitals.store.layout import only_listed

NAMES = ["a", "b", "c"]


@pytest.fixture
def mirror(place, tmp_path):
    for name in NAMES:
        record(tmp_path / "runs", id=name).finish()
    list(push(tmp_path / "runs", place))
    made = mirror_of(place, lazily=True)
    made.sync()
    return made


@pytest.fixture
def fetched():
    return []


@pytest.fixture
def site(mirror, fetched, monkeypatch):
    monkeypatch.setattr(watcher, "MAX_FETCHED_AHEAD", 1)

    def bring(folder):
        fetched.append(folder.name)
        fetch_listed(folder)

    dashboard = Dashboard([mirror.folder], RunCache(None), workers=0, bring=bring)
    with Site(app_over(dashboard), base_url="http://localhost") as site:
        yield site


def folders(mirror):
    return {path.parent.name: path.parent for path in mirror.folder.glob("*/*/run.json")}


def test_the_list_is_all_that_is_fetched_at_first(mirror):
    assert mirror.objects.requests["get"] <= 2  # of the list itself
    assert sorted(folders(mirror)) == NAMES
    assert all(map(only_listed, folders(mirror).values()))


def test_a_second_look_writes_nothing_anew(mirror, place):
    before = {path: path.stat().st_ino for path in mirror.folder.rglob(".listed.json")}

    again = mirror_of(place, lazily=True)
    again.sync()

    assert {path: path.stat().st_ino for path in mirror.folder.rglob(".listed.json")} == before
    assert len(before) == len(NAMES)


def test_only_the_latest_run_is_read_before_somebody_asks(mirror, site, fetched):
    rows = until(lambda: (r := site.runs()) and any(one["verdict"] for one in r) and r)

    assert {row["path"][-1]: row["points"] for row in rows} == dict.fromkeys(NAMES, 400)
    assert {row["status"] for row in rows} == {"finished"}
    assert fetched == ["c"]  # it ended last
    assert [name for name in NAMES if only_listed(folders(mirror)[name])] == ["a", "b"]


def test_a_run_that_is_opened_is_fetched_and_judged(mirror, site, fetched):
    id = next(row["id"] for row in site.runs_so_far() if row["path"] == "p/a")

    page = site.get(f"/api/runs/{id}").json()

    assert page["points"] == 400
    assert "a" in fetched
    assert "b" not in fetched
    assert not only_listed(folders(mirror)["a"])
    until(lambda: next(row for row in site.runs() if row["path"] == "p/a")["verdict"])


def test_an_entry_that_somebody_else_wrote_is_not_fetched(mirror, tmp_path):
    folder = tmp_path / "served" / "p" / "a"
    folder.mkdir(parents=True)
    entry = json.loads((folders(mirror)["a"] / ".listed.json").read_bytes())
    (folder / ".listed.json").write_text(json.dumps(entry))

    with pytest.raises(ReadError, match="not part of a copy that you made"):
        fetch_listed(folder)

    assert [path.name for path in folder.iterdir()] == [".listed.json"]


def test_other_commands_fetch_what_was_only_listed(mirror, place):
    mirror_of(place).sync()

    assert not any(map(only_listed, folders(mirror).values()))


def test_a_run_that_is_gone_is_said_to_be(mirror):
    folder = folders(mirror)["b"]
    mirror.objects.delete([entry.key for entry in mirror.objects.listed("p/b/")])

    with pytest.raises(RemoteError, match="no longer there"):
        fetch_listed(folder)


def test_a_run_that_goes_on_is_fetched_again(mirror, place, tmp_path):
    fetch_listed(folders(mirror)["a"])
    run = rv.init(project="p", id="a", dir=tmp_path / "runs", resume=True, **QUIET)
    run.log({"outcome/return_mean": 1.0}, step=500)
    run.finish()
    list(push(tmp_path / "runs", place))

    mirror_of(place, lazily=True).sync()

    assert not only_listed(folders(mirror)["a"])
    assert rv.open_run(folders(mirror)["a"]).points.count == 401
