"""A judgement is kept as long as its run, the rules and the settings are as they were."""

from __future__ import annotations

import csv
import os
import time

import pytest
from tests.fleet.conftest import record

from runvitals.diagnosis.judge import Settings, settings_for
from runvitals.fleet import judging
from runvitals.fleet.cache import user_cache
from runvitals.fleet.judging import Job, judge_fleet
from runvitals.render.json_ import as_json


@pytest.fixture
def opened(monkeypatch):
    """The places that were read, in a list."""
    read = []
    real = judging.opened

    def noting(found, options):
        read.append(found.path.name)
        return real(found, options)

    monkeypatch.setattr(judging, "opened", noting)
    return read


def judged(folder, settings=None, **job):
    return judge_fleet(Job((folder,), settings or Settings(), **job), workers=1)


def lines(fleet):
    return [one.run for one in fleet.judged]


def test_a_fleet_that_has_not_changed_is_not_read_again(fleet, opened):
    first = judged(fleet)
    opened.clear()

    again = judged(fleet)

    assert opened == []
    assert again.known == 6
    assert as_json(again.judged) == as_json(first.judged)
    assert lines(again) == lines(first)


@pytest.mark.filterwarnings("error")
def test_settings_that_are_whole_numbers_are_kept_as_such(fleet):
    record(fleet / "whole", n_steps=2048)
    first = judged(fleet)

    again = judged(fleet)

    assert again.known == 7
    assert lines(again) == lines(first)
    kept = [facts.setting("n_steps") for facts in lines(again) if facts.name == "whole"]
    assert kept == [2048]
    assert type(kept[0]) is int


def test_evidence_survives_to_the_last_bit(fleet):
    first = {one.shown: one for one in judged(fleet).judged}

    again = judged(fleet).judged

    pairs = [(one.evidence[n].series, first[one.shown].evidence[n].series)
             for one in again for n in one.evidence]  # fmt: skip
    assert pairs
    for kept, made in pairs:
        assert kept.steps.tobytes() == made.steps.tobytes()
        assert kept.times.tobytes() == made.times.tobytes()
        assert kept.values.tobytes() == made.values.tobytes()


def test_only_the_run_that_changed_is_judged_again(fleet, opened):
    judged(fleet)
    opened.clear()
    run_file = fleet / "run3" / "run.json"
    run_file.write_text(run_file.read_text().replace("0.05", "0.5"))

    again = judged(fleet)

    assert opened == ["run3"]
    assert {one.setting("learning_rate") for one in lines(again)} == {0.05, 3e-4, 0.5}


def test_other_settings_are_another_judgement(fleet, opened):
    judged(fleet)
    opened.clear()

    chosen = judged(fleet, settings_for(select=["KL"]))

    assert len(opened) == 6
    assert all(one.diagnosis.clear != () for one in chosen.judged)


def test_rules_of_the_users_own_count_by_their_content(fleet, tmp_path, opened):
    own = tmp_path / "own.py"
    own.write_text("# nothing yet\n")
    judged(fleet, Settings(rule_files=(own,)))
    opened.clear()
    own.write_text("# nothing yet, either\n")

    judged(fleet, Settings(rule_files=(own,)))

    assert len(opened) == 6


def test_a_run_that_goes_on_is_not_kept(fleet, opened, monkeypatch):
    run_file = fleet / "run1" / "run.json"
    run_file.write_text(run_file.read_text().replace('"finished"', '"running"'))
    monkeypatch.setattr("runvitals.store.reader.writer_alive", lambda *_: True)
    judged(fleet)
    opened.clear()

    judged(fleet)

    assert opened == ["run1"]


def entries(tmp_path):
    return sorted(path for path in (tmp_path / "cache" / "kept").rglob("*") if path.is_file())


def test_nothing_is_written_into_the_folders_of_runs(fleet):
    before = sorted(fleet.rglob("*"))

    judged(fleet)

    assert sorted(fleet.rglob("*")) == before


def test_a_cache_that_cannot_be_written_is_done_without(fleet, opened, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    judged(fleet)
    opened.clear()

    again = judged(fleet)

    assert len(opened) == len(again.judged) == 6


@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied"])
def test_damaged_entries_are_made_again(fleet, opened, tmp_path, harm):
    first = judged(fleet)
    opened.clear()
    for file in entries(tmp_path):
        content = file.read_bytes()
        broken = content[:-1] + bytes([content[-1] ^ 1])
        file.write_bytes({"cut": content[:100], "flipped": broken, "emptied": b""}[harm])

    again = judged(fleet)

    assert len(opened) == 6
    assert as_json(again.judged) == as_json(first.judged)


def test_an_entry_that_somebody_else_wrote_is_not_believed(fleet, opened, tmp_path, monkeypatch):
    judged(fleet)
    opened.clear()
    key = tmp_path / "cache" / "reference.key"
    key.write_bytes(bytes(32))  # as if all of it came from a user with another key

    judged(fleet)

    assert len(opened) == 6


def test_an_entry_of_one_run_is_not_taken_for_another(fleet, opened, tmp_path):
    judged(fleet)
    opened.clear()
    files = entries(tmp_path)
    for one, other in zip(files, [*files[1:], files[0]], strict=True):
        one.rename(other.with_suffix(".moved"))
    for file in entries(tmp_path):
        file.rename(file.with_suffix(""))

    judged(fleet)

    assert len(opened) == 6


def test_a_file_that_was_rewritten_with_its_old_size_and_time_counts(fleet, opened):
    judged(fleet)
    opened.clear()
    run_file = fleet / "run3" / "run.json"
    was = run_file.stat()
    run_file.write_text(run_file.read_text().replace("0.05", "0.06"))
    os.utime(run_file, ns=(was.st_atime_ns, was.st_mtime_ns))

    judged(fleet)

    assert opened == ["run3"]


def test_the_cache_does_not_grow_without_bound(fleet, tmp_path):
    judged(fleet)
    for age, file in enumerate(entries(tmp_path)):
        os.utime(file, (age, age))
    newest = entries(tmp_path)[-2:]

    user_cache().prune(most=2)

    assert entries(tmp_path) == newest


def test_the_cache_does_not_take_more_room_than_it_may(fleet, tmp_path):
    judged(fleet)
    longest = max(file.stat().st_size for file in entries(tmp_path))

    user_cache().prune(most_bytes=2 * longest)

    kept = [file.stat().st_size for file in entries(tmp_path)]
    assert 1 <= len(kept) < 6
    assert sum(kept) <= 2 * longest


def test_nothing_is_written_when_nothing_is_to_be_kept(fleet, tmp_path):
    judged(fleet, keep=False)

    assert entries(tmp_path) == []


def logs_of_another_tool(folder, *, age):
    folder.mkdir()
    for name in "abcdef":
        (folder / name).mkdir()
        path = folder / name / "progress.csv"
        with path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["step", "rollout/ep_rew_mean", "train/approx_kl"])
            table.writerows([1000 * i, 10.0 + i, 0.01] for i in range(40))
        then = time.time() - age
        os.utime(path, (then, then))
    return folder


def test_other_tools_logs_are_kept_in_the_cache_once_they_are_old(tmp_path, monkeypatch, opened):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    logs = logs_of_another_tool(tmp_path / "logs", age=86_400)
    first = judged(logs)
    opened.clear()

    again = judged(logs)

    assert opened == []
    assert [path.name for path in logs.rglob("*") if path.is_file()] == ["progress.csv"] * 6
    assert as_json(again.judged) == as_json(first.judged)


def test_a_log_that_may_still_grow_is_judged_each_time(tmp_path, monkeypatch, opened):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    logs = logs_of_another_tool(tmp_path / "logs", age=10)
    judged(logs)
    opened.clear()

    judged(logs)

    assert len(opened) == 6


def test_settings_that_appear_beside_a_log_count(tmp_path, monkeypatch, opened):
    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    logs = logs_of_another_tool(tmp_path / "logs", age=86_400)
    judged(logs)
    opened.clear()
    (logs / "c" / "args.json").write_text('{"learning_rate": 0.1}')
    old = time.time() - 86_400
    os.utime(logs / "c" / "args.json", (old, old))

    judged(logs)

    assert opened == ["c"]


def test_processes_see_the_environment_as_it_is_now(monkeypatch):
    names = ["RUNVITALS_TEST"] * (judging.FEW + 1)
    for now in ("one", "another"):
        monkeypatch.setenv("RUNVITALS_TEST", now)

        assert set(judging.spread(os.getenv, names, workers=2)) == {now}
