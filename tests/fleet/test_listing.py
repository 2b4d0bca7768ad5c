"""`runvitals runs` reads a run once; what is unchanged is listed from the cache."""

from __future__ import annotations

import json
import os
import time

import pytest
from tests.fleet.conftest import record
from tests.fleet.test_judgement_cache import logs_of_another_tool

from runvitals.fleet import listing
from runvitals.fleet.listing import listed
from runvitals.readers import registry
from runvitals.readers.options import ReadOptions
from runvitals.readers.raw import memory


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(listing, "MANY", 1_000)
    monkeypatch.setattr(memory, "_facts", {})


@pytest.fixture
def read(monkeypatch):
    """The places that were read, in a list."""
    found = []
    real = listing.opened
    monkeypatch.setattr(
        listing,
        "opened",
        lambda place, options: found.append(place.path.name) or real(place, options),
    )
    return found


@pytest.fixture
def logs(tmp_path):
    return logs_of_another_tool(tmp_path / "logs", age=86_400)


def test_what_is_unchanged_is_not_read_again(logs, read):
    first = listed(logs, ReadOptions(), [])
    read.clear()

    again = listed(logs, ReadOptions(), [])

    assert read == []
    assert again == first
    assert len(again) == 6


def test_a_log_that_has_changed_is_read_again(logs, read):
    listed(logs, ReadOptions(), [])
    read.clear()
    path = logs / "c" / "progress.csv"
    path.write_text(path.read_text() + "40000,99.0,0.01\n")
    old = time.time() - 86_400
    os.utime(path, (old, old))

    again = {run["name"]: run["last_step"] for run in listed(logs, ReadOptions(), [])}

    assert read == ["c"]
    assert again == dict.fromkeys("abdef", 39_000) | {"c": 40_000}


def test_other_options_are_another_list(logs, read):
    listed(logs, ReadOptions(), [])

    told = listed(logs, ReadOptions(algorithm="SAC"), [])

    assert len(read) == 12
    assert {run["algorithm"] for run in told} == {"SAC"}


def test_a_run_is_called_as_it_is_asked_for(logs, monkeypatch):
    listed(logs, ReadOptions(), [])
    monkeypatch.chdir(logs.parent)
    from pathlib import Path

    again = listed(Path("logs"), ReadOptions(), [])

    assert [run["path"] for run in again] == [f"logs/{name}" for name in "abcdef"]


def test_numbers_that_json_does_not_have_survive(tmp_path, read):
    record(tmp_path / "runs" / "one", rows=4)
    path = tmp_path / "runs" / "x.csv"
    path.write_text(
        "step,episode_reward\n" + "".join(f"{i},{i}.5\n" for i in range(30)) + "30,nan\n"
    )
    os.utime(path, (1, 1))
    first = listed(tmp_path / "runs", ReadOptions(), [])
    read.clear()

    again = listed(tmp_path / "runs", ReadOptions(), [])

    assert read == []
    assert json.dumps(again) == json.dumps(first)


def test_files_whose_kind_is_known_are_not_opened_to_find_runs(tmp_path, monkeypatch, read):
    logs = tmp_path / "many"
    for i in range(memory_size := 25):
        (logs / f"run{i}").mkdir(parents=True)
        path = logs / f"run{i}" / "progress.csv"
        path.write_text("step,reward\n" + "".join(f"{n},{n + i}\n" for n in range(30)))
        os.utime(path, (1, 1))
        os.utime(path.parent, (1, 1))
    first = listed(logs, ReadOptions(), [])
    memory._facts.clear()
    sniffed = []
    real = registry._sniffed
    monkeypatch.setattr(
        registry, "_sniffed", lambda path, likely: sniffed.append(path) or real(path, likely)
    )

    again = listed(logs, ReadOptions(), [])

    assert sniffed == []
    assert again == first
    assert len(again) == memory_size


def test_a_file_beside_a_known_one_makes_it_be_looked_at_again(tmp_path):
    path = tmp_path / "run" / "x.csv"
    path.parent.mkdir()
    path.write_text("step,reward\n1,2\n")
    os.utime(path, (1, 1))
    os.utime(path.parent, (1, 1))
    memory.recalled(path, "kind", lambda: "csv")
    kept = memory.below(tmp_path)
    memory._facts.clear()
    (path.parent / "hparams.yaml").write_text("lr: 1\n")

    memory.remember(kept)

    assert list(kept) == [f"{path}\0kind"]
    assert memory.recalled(path, "kind", lambda: "other") == "other"


def test_a_file_that_has_just_changed_is_not_remembered(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("step,reward\n1,2\n")
    memory.recalled(path, "kind", lambda: "csv")

    assert memory.below(tmp_path) == {}


def test_a_process_tells_what_it_cannot_read(logs, monkeypatch):
    monkeypatch.setattr(listing, "MANY", 1)
    (logs / "broken").mkdir()
    (logs / "broken" / "trainer_state.json").write_text('{"log_history": [')
    problems = []

    found = listed(logs, ReadOptions(), problems)

    assert len(found) == 6
    assert [str(one.path) for one in problems] == [str(logs / "broken" / "trainer_state.json")]
