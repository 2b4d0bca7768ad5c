"""A large log read in another process is the log that is read here."""

import os

import numpy as np
import pytest
from benchmarks.dashboard.logs import write_log

from runvitals.readers import ahead
from runvitals.readers.ahead import ReadAhead, begin
from runvitals.readers.registry import read_ahead, read_files
from runvitals.readers.tfevents.tensorboard import READER

TAGS, STEPS = 3, 200


@pytest.fixture
def log(tmp_path):
    """The only file of a run."""
    write_log(tmp_path / "run", tags=TAGS, steps=STEPS)
    [file] = (tmp_path / "run").iterdir()
    return file


def test_what_was_read_ahead_is_what_the_files_hold_and_goes_on_as_they_grow(tmp_path, log):
    [here] = read_files(READER, [log])

    [elsewhere] = ReadAhead(tmp_path, log).logs(READER, [log])

    assert elsewhere.points.names() == here.points.names()
    for name in here.points.names():
        for one, other in zip(elsewhere.points.column(name), here.points.column(name), strict=True):
            np.testing.assert_array_equal(one, other)
    write_log(tmp_path / "more", tags=TAGS, steps=2 * STEPS)
    [longer] = (tmp_path / "more").iterdir()
    log.write_bytes(longer.read_bytes())
    assert sum(len(block) for _, block in elsewhere.read_new()) == TAGS * STEPS


def test_it_is_given_away_once(tmp_path, log):
    reading = ReadAhead(tmp_path, log)
    assert reading.logs(READER, [log]) is not None

    assert reading.logs(READER, [log]) is None


def test_a_file_that_has_changed_since_is_read_anew(tmp_path, log):
    reading = ReadAhead(tmp_path, log)
    reading._process.wait()
    os.utime(log, ns=(1, 1))

    assert reading.logs(READER, [log]) is None


def test_a_process_that_fails_leaves_the_reading_to_this_one(tmp_path, log):
    reading = ReadAhead(tmp_path / "elsewhere", log)

    assert reading.logs(READER, [log]) is None


def test_readers_take_what_was_read_ahead(tmp_path, log):
    reading = ReadAhead(tmp_path, log)
    read_ahead[:] = [reading.logs]
    try:
        [taken] = read_files(READER, [log])
    finally:
        read_ahead.clear()

    assert reading._answer.closed
    assert taken.points.count == TAGS * STEPS


def test_only_a_large_log_is_worth_a_process(tmp_path, log, monkeypatch):
    assert begin([tmp_path]) is None

    monkeypatch.setattr(ahead, "LARGE", 1)

    assert begin([tmp_path]).logs(READER, [log]) is not None


def test_where_there_are_many_files_nothing_is_read_ahead(tmp_path, log, monkeypatch):
    monkeypatch.setattr(ahead, "LARGE", 1)
    monkeypatch.setattr(ahead, "MAX_ENTRIES", 1)

    assert begin([tmp_path]) is None


def test_a_folder_that_does_not_exist_yet_is_waited_for_by_others(tmp_path):
    assert begin([tmp_path / "nothing"]) is None
