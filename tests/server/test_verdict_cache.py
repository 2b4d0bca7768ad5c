"""Verdicts that outlive the server."""

from __future__ import annotations

import pytest

from runvitals.fleet.cache import RunCache
from runvitals.fleet.fingerprint import strict_fingerprint
from runvitals.readers.discovery.discover import discover
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import judge_place, load_place, save_place
from runvitals.view.places import place_of


@pytest.fixture
def place(trained):
    folder = trained("calm", sick=True)
    [found] = discover(folder)
    return place_of(found, folder.parent)


def kept(cache, place, settings=None):
    return load_place(cache, place, settings, strict_fingerprint(place.found))


def keep(cache, place, settings=None):
    files, made = strict_fingerprint(place.found), judge_place(place, settings)
    save_place(cache, place, settings, files, made)
    return made


def test_a_verdict_is_known_again(place, tmp_path):
    made = keep(RunCache(tmp_path / "cache"), place)

    again = kept(RunCache(tmp_path / "cache"), place)

    assert again is not None
    assert again.runs == made.runs


def test_a_run_that_has_changed_is_judged_anew(place, tmp_path):
    cache = RunCache(tmp_path / "cache")
    keep(cache, place)
    (place.path / "samples").mkdir()
    (place.path / "samples" / "rank0.jsonl").write_text("{}\n")

    assert kept(cache, place) is None


def test_what_comes_while_a_run_is_judged_is_not_missed(place, tmp_path):
    cache = RunCache(tmp_path / "cache")
    files, made = strict_fingerprint(place.found), judge_place(place)
    (place.path / "samples").mkdir()
    (place.path / "samples" / "rank0.jsonl").write_text("{}\n")
    save_place(cache, place, None, files, made)

    assert kept(cache, place) is None


def test_a_verdict_of_rules_that_failed_is_not_kept(place, tmp_path):
    cache, files = RunCache(tmp_path / "cache"), strict_fingerprint(place.found)
    save_place(cache, place, None, files, judge_place(place).model_copy(update={"failed": True}))

    assert kept(cache, place) is None


def test_a_server_that_starts_again_has_the_verdicts_at_once(site, trained, tmp_path):
    runs = trained("calm").parent
    cache = RunCache(tmp_path / "cache")
    first = site(runs, cache=cache).runs()

    second = site(runs, cache=cache).runs()

    assert first[0]["verdict"] == second[0]["verdict"]
    assert (tmp_path / "cache").is_dir()


def test_other_settings_are_judged_anew(place, tmp_path):
    cache = RunCache(tmp_path / "cache")
    strict = SettingsFile(tmp_path / "runvitals.toml", 'ignore = ["KL"]')
    keep(cache, place, strict)

    assert kept(cache, place, strict) is not None
    assert kept(cache, place) is None
    assert kept(cache, place, SettingsFile(strict.path, 'ignore = ["CLIP"]')) is None
