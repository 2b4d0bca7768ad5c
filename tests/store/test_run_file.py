"""`run.json` that changed on the disk: what it says is right, or it is said that it may not be."""

from __future__ import annotations

import json

import orjson
import pytest

import runvitals as rv
from runvitals.model import DamagedError, ReadError
from runvitals.store.files import read_json, with_checksum, without_checksum, write_json
from runvitals.store.reader import open_folder
from runvitals.store.run_file import checked

CHANGED = "run.json was changed outside runvitals or is damaged"


@pytest.fixture
def ended(start):
    run = start(judge=False, config={"lr": 3e-4, "algo": "PPO"}, tags=["a"])
    for i in range(10):
        run.log({"loss": 1.0 / (i + 1)}, step=i)
    run.finish()
    return run.folder


def test_every_flipped_bit_leaves_the_same_meaning_or_is_told(ended):
    good = (ended / "run.json").read_bytes()
    truth = checked(without_checksum(good))
    assert truth.problems == ()

    for at in range(len(good)):
        for bit in range(8):
            bad = bytearray(good)
            bad[at] ^= 1 << bit
            try:
                content, problems = checked(without_checksum(bytes(bad)))
            except ValueError:
                continue  # not JSON any more, which is told
            known = {name: content.get(name) for name in truth.content}
            assert problems or known == truth.content, f"bit {bit} of byte {at}"


def test_a_flipped_bit_is_told_with_the_run(ended):
    path = ended / "run.json"
    path.write_bytes(path.read_bytes().replace(b'"status": "finished"', b'"status": "finishee"'))

    run = open_folder(ended)

    assert run.status == "finishee"
    assert any(CHANGED in warning for warning in run.warnings)
    assert len(run["loss"]) == 10


def test_an_edited_file_is_shown_and_told(ended):
    path = ended / "run.json"
    content = json.loads(path.read_text())
    content["tags"], content["config"]["lr"] = ["mine"], 1.0
    path.write_text(json.dumps(content, indent=4))

    run = open_folder(ended)

    assert (run.tags, run.config["lr"], run.status) == (("mine",), 1.0, "finished")
    [warning] = [warning for warning in run.warnings if CHANGED in warning]
    assert 'remove its "runvitals_crc32" line' in warning
    assert not run.missing  # all points are there


def test_an_edited_file_without_its_checksum_is_taken_as_it_is(ended):
    path = ended / "run.json"
    content = json.loads(path.read_text())
    del content["runvitals_crc32"]
    path.write_text(json.dumps({**content, "notes": "mine"}))

    run = open_folder(ended)

    assert run.notes == "mine"
    assert run.warnings == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("config", ["lr"]),
        ("started", "noon"),
        ("ended", 1e300),
        ("tags", [{}]),
        ("status", 7),
        ("last_step", "x"),
        ("summary", 0),
        ("counters", {"env_steps": "many"}),
    ],
)
def test_a_field_of_another_type_is_left_out_and_told(ended, name, value):
    path = ended / "run.json"
    content = {**read_json(path), name: value}
    path.write_bytes(orjson.dumps(content))

    run = open_folder(ended)
    rv.judge(run)

    assert any(f"`{name}` is not" in warning for warning in run.warnings)
    assert len(run["loss"]) == 10


def test_a_run_that_is_resumed_goes_on_saying_that_its_file_was_changed(ended, start):
    path = ended / "run.json"
    path.write_bytes(path.read_bytes().replace(b"PPO", b"PPN"))

    run = start(id=ended.name, resume=True, judge=False)
    run.log({"loss": 0.1}, step=10)
    run.finish()

    view = open_folder(ended)
    assert view.config["algo"] == "PPN"
    assert any("before it was resumed: run.json was changed" in one for one in view.warnings)


def test_a_changed_progress_file_is_told(ended):
    write_json(ended / "training_progress.json", {"completed_chunks": 3})
    path = ended / "training_progress.json"
    path.write_bytes(path.read_bytes().replace(b"3", b"7", 1))

    run = open_folder(ended)

    assert run.progress == {"completed_chunks": 7}
    assert any("training_progress.json was changed" in warning for warning in run.warnings)


def test_a_state_file_with_a_wrong_checksum_is_damaged(tmp_path):
    path = tmp_path / "state.json"
    write_json(path, {"seen": 12})
    path.write_bytes(path.read_bytes().replace(b"12", b"13"))

    with pytest.raises(DamagedError, match="its checksum is wrong"):
        read_json(path)


@pytest.mark.parametrize("content", [{}, {"a": 1}, {"a": {"b": []}}, {"a": '"runvitals_crc32":"'}])
@pytest.mark.parametrize("options", [0, orjson.OPT_INDENT_2, orjson.OPT_APPEND_NEWLINE])
def test_what_gets_a_checksum_is_read_back(content, options):
    data = with_checksum(orjson.dumps(content, option=options))

    assert without_checksum(data) == (content, True)


@pytest.fixture
def from_the_future(ended):
    content = read_json(ended / "run.json")
    write_json(ended / "run.json", {**content, "format": "runvitals-run/9"})
    return ended


def test_a_run_of_a_newer_format_is_refused_with_what_to_do(from_the_future):
    with pytest.raises(ReadError, match="a newer version of runvitals wrote this run") as refused:
        open_folder(from_the_future)

    assert "runvitals-run/9" in refused.value.problem
    assert refused.value.hint == "pip install --upgrade runvitals"


def test_a_run_of_a_newer_format_is_not_resumed_nor_touched(from_the_future):
    before = (from_the_future / "run.json").read_bytes()

    with pytest.raises(ReadError, match="a newer version of runvitals wrote this run"):
        rv.init(
            project=from_the_future.parent.name,
            id=from_the_future.name,
            dir=from_the_future.parents[1],
            resume=True,
        )

    assert (from_the_future / "run.json").read_bytes() == before
