"""Verdicts that outlive the server."""

from __future__ import annotations

from dataclasses import replace

import pytest

import runvitals.diagnosis.judge as judge_module
from runvitals.fleet.cache import RunCache, user_cache
from runvitals.fleet.judging import Job, judge_fleet
from runvitals.readers import follow
from runvitals.readers.discovery.discover import discover
from runvitals.readers.settings_file import SettingsFile
from runvitals.server.work.judge_place import judge_place, known_place, settings_from
from runvitals.view.places import place_of


@pytest.fixture
def place(trained):
    folder = trained("calm", sick=True)
    [found] = discover(folder)
    return place_of(found, folder.parent)


def test_a_verdict_is_known_again(place, tmp_path):
    made = judge_place(place, None, RunCache(tmp_path / "cache"))

    again = known_place(RunCache(tmp_path / "cache"), place)

    assert again is not None
    assert again.runs == made.runs


def test_a_run_that_has_changed_is_judged_anew(place, tmp_path):
    cache = RunCache(tmp_path / "cache")
    judge_place(place, None, cache)
    (place.path / "samples").mkdir()
    (place.path / "samples" / "rank0.jsonl").write_text("{}\n")

    assert known_place(cache, place) is None


def test_what_comes_while_a_run_is_judged_is_not_missed(place, tmp_path, monkeypatch):
    cache = RunCache(tmp_path / "cache")

    def opened(*args, **options):
        (place.path / "samples").mkdir()
        (place.path / "samples" / "rank0.jsonl").write_text("{}\n")
        return follow.opened(*args, **options)

    monkeypatch.setattr("runvitals.server.work.judge_place.opened", opened)
    judge_place(place, None, cache)

    assert known_place(cache, place) is None


def test_a_verdict_of_rules_that_failed_is_not_kept(place, tmp_path, monkeypatch):
    cache = RunCache(tmp_path / "cache")

    def judge(*args):
        return replace(judge_module.judge(*args), problems=("KL001 failed",))

    monkeypatch.setattr("runvitals.server.work.judge_place.judge", judge)
    judge_place(place, None, cache)

    assert known_place(cache, place) is None


def test_what_a_command_has_judged_is_known_to_the_server(place, tmp_path):
    judge_fleet(Job((place.path,), settings_from(None)), workers=1, keep_few=True)

    again = known_place(user_cache(), place)

    made = judge_place(place)
    assert again.runs == made.runs


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
    judge_place(place, strict, cache)

    assert known_place(cache, place, strict) is not None
    assert known_place(cache, place) is None
    assert known_place(cache, place, SettingsFile(strict.path, 'ignore = ["CLIP"]')) is None
