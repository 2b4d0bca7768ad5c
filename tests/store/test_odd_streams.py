"""Streams with holes, zeros and rubbish: read in bounded memory, with a message."""

from __future__ import annotations

import os

import numpy as np
import pytest

from runvitals.store import compact, files, reader, stream
from runvitals.store.reader import open_folder


@pytest.fixture
def crashed(start, tmp_path):
    """A run folder as a power failure may leave it, and its stream."""
    import shutil

    run = start(compact=False)
    for step in range(100):
        run.log({"x": float(step)}, step=step)
    run.finish()
    copy = tmp_path / "copy"
    shutil.copytree(run.folder, copy)
    [path] = (copy / "points").glob("*.arrows")
    return copy, path


@pytest.mark.parametrize("filler", [b"\0", b"\xff", b"\xff\xff\xff\xff\x10\0\0\0"])
def test_a_long_tail_without_records_is_skipped_in_pieces(crashed, monkeypatch, filler):
    folder, path = crashed
    monkeypatch.setattr(stream, "_MAX_TRIES", 1000)
    monkeypatch.setattr(stream, "MAX_RECORD_LENGTH", 1 << 20)
    monkeypatch.setattr(reader, "_PIECE", 1 << 18)
    with open(path, "ab") as file:
        file.write(filler * ((8 << 20) // len(filler)))
    largest = []
    feed = stream.StreamDecoder.feed

    def watched(self, data, *, final):
        largest.append(len(data))
        return feed(self, data, final=final)

    monkeypatch.setattr(stream.StreamDecoder, "feed", watched)

    view = open_folder(folder)

    assert view["x"].values.tolist() == list(np.arange(100.0))
    assert view.missing
    assert max(largest) < 3 << 20


def test_a_sparse_file_takes_no_memory(crashed, monkeypatch):
    folder, path = crashed
    size = path.stat().st_size
    os.truncate(path, size + (300 << 20))

    view = open_folder(folder)

    assert len(view["x"]) == 100
    assert any("damaged bytes" in gap for gap in view.missing)


def test_a_hole_of_any_size_takes_no_time_and_rows_behind_it_are_found(crashed):
    folder, path = crashed
    data = path.read_bytes()
    with open(path, "r+b") as file:
        if not _can_hold(file, 1 << 42):
            pytest.skip("this file system has no sparse files of 4 TiB")
        file.seek((1 << 42) - len(data) - len(data) % 8)
        file.write(data)

    view = open_folder(folder)

    assert len(view["x"]) == 200  # those before the hole and those behind it
    assert any("damaged bytes" in gap for gap in view.missing)
    damage: list[stream.Damage] = []
    assert sum(len(block.steps) for block in compact.read_stream(path, 0, damage)) == 200
    assert len(damage) >= 1


def _can_hold(file, size):
    try:
        file.truncate(size)
    except OSError:
        return False
    return os.fstat(file.fileno()).st_blocks * 512 < size


def test_a_run_json_that_never_ends_is_not_read(crashed):
    folder, _ = crashed
    os.truncate(folder / "run.json", files.MAX_JSON_BYTES + 1)

    view = open_folder(folder)

    assert len(view["x"]) == 100
    assert any("run.json: 536,870,913 bytes are more than" in said for said in view.warnings)


def test_rows_behind_a_hole_are_found(crashed, monkeypatch):
    folder, path = crashed
    data = path.read_bytes()
    monkeypatch.setattr(stream, "MAX_RECORD_LENGTH", 1 << 20)
    monkeypatch.setattr(reader, "_PIECE", 1 << 18)
    path.write_bytes(data + bytes(4 << 20) + data)

    view = open_folder(folder)

    assert view.points.count >= 100
    assert view.missing


def test_what_waits_for_compaction_is_not_counted_again_for_each_block(start, monkeypatch):
    run = start()
    for i in range(5_000):
        run.log({f"n{i}": float(i)}, step=i)
    looked_at = [0]

    class Watched(list):
        def __iter__(self):
            looked_at[0] += len(self)
            return super().__iter__()

    before = compact.TableWriter.__init__

    def watched(self, *words):
        before(self, *words)
        self._rest = Watched()

    monkeypatch.setattr(compact.TableWriter, "__init__", watched)
    run.finish()

    assert len(open_folder(run.folder)) == 5_000
    assert 0 < looked_at[0] <= 10 * 5_000
