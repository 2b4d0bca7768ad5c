"""Verdicts that outlive the server."""

from __future__ import annotations

import os

import pytest

from runvitals.readers.discovery.discover import discover
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import judge_place
from runvitals.server.work.verdict_cache import VerdictCache
from runvitals.view.places import place_of


@pytest.fixture
def place(trained):
    folder = trained("calm", sick=True)
    [found] = discover(folder)
    return place_of(found, folder.parent)


def test_a_verdict_is_known_again(place, tmp_path):
    made = judge_place(place)
    VerdictCache(tmp_path / "cache").save(place, made)

    again = VerdictCache(tmp_path / "cache").load(place)

    assert again is not None
    assert again.runs == made.runs


def test_a_run_that_has_changed_is_judged_anew(place, tmp_path):
    cache = VerdictCache(tmp_path / "cache")
    cache.save(place, judge_place(place))
    (place.path / "samples").mkdir()
    (place.path / "samples" / "rank0.jsonl").write_text("{}\n")

    assert cache.load(place) is None


def test_a_damaged_cache_is_no_cache(place, tmp_path):
    cache = VerdictCache(tmp_path / "cache")
    cache.save(place, judge_place(place))
    [file] = (tmp_path / "cache").glob("*/*.json")
    file.write_text(file.read_text()[:100])

    assert cache.load(place) is None


def test_the_cache_does_not_grow_without_bound(place, tmp_path):
    cache = VerdictCache(tmp_path / "cache")
    cache.save(place, judge_place(place))
    [file] = (tmp_path / "cache").glob("*/*.json")
    for i in range(5):
        old = file.with_name(f"old{i}.json")
        old.write_text("{}")
        os.utime(old, (i, i))

    cache.prune(most=2)

    assert sorted(f.name for f in file.parent.iterdir()) == sorted([file.name, "old4.json"])


def test_a_folder_that_cannot_be_written_is_no_cache(place, tmp_path):
    (tmp_path / "file").write_text("")
    cache = VerdictCache(tmp_path / "file" / "cache")

    cache.save(place, judge_place(place))

    assert cache.load(place) is None


def test_a_server_that_starts_again_has_the_verdicts_at_once(site, trained, tmp_path):
    runs = trained("calm").parent
    cache = VerdictCache(tmp_path / "cache")
    first = site(runs, cache=cache).runs()

    second = site(runs, cache=cache).runs()

    assert first[0]["verdict"] == second[0]["verdict"]
    assert (tmp_path / "cache").is_dir()


def test_other_settings_are_judged_anew(place, tmp_path):
    cache = VerdictCache(tmp_path / "cache")
    strict = SettingsFile(tmp_path / "runvitals.toml", 'ignore = ["KL"]')
    cache.save(place, judge_place(place, strict), strict)

    assert cache.load(place, strict) is not None
    assert cache.load(place) is None
    assert cache.load(place, SettingsFile(strict.path, 'ignore = ["CLIP"]')) is None
