"""Bits that flip at rest: what is read is right, or it is said that it may not be."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest

from runvitals.store.checksums import Sums, write_sums
from runvitals.store.compact import DAMAGED
from runvitals.store.layout import Segment
from runvitals.store.reader import open_folder
from runvitals.store.table import open_table


@pytest.fixture
def finished(start):
    run = start()
    for i in range(300):
        run.log({"loss": 1.0 / (i + 1), "policy/approx_kl": i * 0.001, "lr": 3e-4}, step=i)
        if i % 50 == 0:
            run.log({"rare": float(i)}, step=i)
    run.finish()
    return run.folder


def numbers(folder):
    view = open_folder(folder)
    found = {name: view.points.column(name) for name in view.names()}
    return found, view.missing


def same(one, other):
    return one.keys() == other.keys() and all(
        np.array_equal(a, b, equal_nan=True)
        for name in one
        for a, b in zip(one[name], other[name], strict=True)
    )


def test_no_flipped_bit_gives_a_wrong_number_without_a_word(finished):
    truth, missing = numbers(finished)
    assert missing == []
    files = sorted((finished / "points").glob("*.parquet"))
    assert len(files) == 2  # a table, and one for rare names
    chance = random.Random(0)
    silent = told = 0
    for _ in range(120):
        path = chance.choices(files, [f.stat().st_size for f in files])[0]
        good = path.read_bytes()
        bad = bytearray(good)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        path.write_bytes(bad)
        found, missing = numbers(finished)
        silent += not missing and not same(found, truth)
        told += bool(missing)
        path.write_bytes(good)

    assert silent == 0
    assert told == 120


@pytest.fixture
def few_columns(start):
    """A table as small as they come, so that each bit of its metadata can be tried."""
    run = start(judge=False)
    for i in range(10):
        run.log({"loss": 1.0 / (i + 1)}, step=i)
    run.finish()
    return run.folder


def flips(data, begin=0):
    """The same bytes with each bit flipped, one after another, from a place on."""
    for at in range(begin, len(data)):
        for bit in range(8):
            bad = bytearray(data)
            bad[at] ^= 1 << bit
            yield at, bytes(bad)


def test_every_bit_of_the_metadata_of_a_table_is_told(few_columns):
    path = few_columns / "points" / "rank0.parquet"
    good = path.read_bytes()
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    truth = [list(block.values[:, 0]) for block in open_table(few_columns, Segment(), pytest.fail)]

    for at, bad in flips(good, footer):
        path.write_bytes(bad)
        told = []
        try:
            blocks = list(open_table(few_columns, Segment(), told.append))
        except DAMAGED:
            blocks = []
        assert told, f"byte {at}"
        assert not blocks or [list(block.values[:, 0]) for block in blocks] == truth, f"byte {at}"


def test_no_bit_of_the_layout_gives_wrong_rows_without_checksums(few_columns):
    # as in a bucket, and in runs of the first versions: then only what fits the rows is believed
    path = few_columns / "points" / "rank0.parquet"
    (few_columns / "points" / "rank0.sums.json").unlink()
    good = path.read_bytes()
    truth, _ = numbers(few_columns)
    [layout] = re.finditer(rb'\{"rest":.*?\]\}\]\}', good)

    for at, bad in flips(good[: layout.end()], layout.start()):
        path.write_bytes(bad + good[layout.end() :])
        found, missing = numbers(few_columns)
        assert missing or same(found, truth), f"byte {at}"


@pytest.mark.parametrize(
    "layout",
    [
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[7]}]}',
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[-1]}]}',
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[0.0]}]}',
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[0,0]}]}',
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[]}]}',
        '{"rest":false,"keysets":[{"names":["gain"],"groups":[0]}]}',
        '{"rest":false,"keysets":[{"names":[null],"groups":[0]}]}',
        '{"rest":2,"keysets":[{"names":["loss"],"groups":[0]}]}',
        '{"rest":false,"keysets":[{"names":["loss"],"groups":[0],"owners":[["rank0",9]]}]}',
        '{"rest":false,"keysets":7}',
        "[]",
    ],
)
def test_a_layout_that_does_not_fit_its_table_is_told(few_columns, layout):
    path = few_columns / "points" / "rank0.parquet"
    (few_columns / "points" / "rank0.sums.json").unlink()
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"runvitals.layout": layout}), path)

    [gap] = open_folder(few_columns).missing[:1]

    assert "rank0.parquet is damaged and was skipped: its metadata" in gap


def test_a_damaged_footer_of_a_large_table_does_not_end_the_process(few_columns):
    # pyarrow calls terminate() when it is asked for a column whose statistics make no sense
    path = few_columns / "points" / "rank0.parquet"
    good = path.read_bytes()
    footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    program = (
        "import sys, pathlib\n"
        "from runvitals.store import table\n"
        "from runvitals.store.reader import open_folder\n"
        "table.LARGE = 1\n"
        "folder, footer = pathlib.Path(sys.argv[1]), int(sys.argv[2])\n"
        "path = folder / 'points' / 'rank0.parquet'\n"
        "good = path.read_bytes()\n"
        "for at in range(footer, len(good)):\n"
        "    path.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1:])\n"
        "    run = open_folder(folder)\n"
        "    assert run.missing, at\n"
    )

    words = [sys.executable, "-c", program, str(few_columns), str(footer)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "sums",
    [
        '{"rank0.parquet": {"size": 10, "piece": 0, "crc32c": []}}',
        '{"rank0.parquet": {"size": 10, "piece": 4, "crc32c": [1]}}',
        '{"rank0.parquet": {"size": 10, "piece": 4, "crc32c": [1, 2, "3"]}}',
        '{"rank0.parquet": {"size": 10}}',
        '{"rank0.parquet": 7}',
        "[]",
    ],
)
def test_sums_that_make_no_sense_are_told(few_columns, sums):
    (few_columns / "points" / "rank0.sums.json").write_text(sums)

    assert any("rank0.sums.json is damaged" in gap for gap in open_folder(few_columns).missing)


def test_a_flipped_bit_in_the_sums_is_told(few_columns):
    path = few_columns / "points" / "rank0.sums.json"

    for at, bad in flips(path.read_bytes()):
        path.write_bytes(bad)
        view = open_folder(few_columns)
        assert view.missing or len(view["loss"].values) == 10, f"byte {at}"


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_cut_table_is_told(finished, share):
    [path] = (finished / "points").glob("rank0.parquet")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    assert open_folder(finished).missing


def test_a_damaged_column_costs_only_itself(finished):
    path = finished / "points" / "rank0.parquet"
    truth, _ = numbers(finished)
    columns = pq.read_metadata(path).row_group(0)
    place = next(
        columns.column(i).data_page_offset + columns.column(i).total_compressed_size // 2
        for i in range(columns.num_columns)
        if columns.column(i).path_in_schema == "loss"
    )
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)

    found, missing = numbers(finished)

    assert "loss" not in found
    assert any("300 points of loss are damaged" in gap for gap in missing)
    assert same(found, {name: column for name, column in truth.items() if name != "loss"})


def test_a_large_table_is_checked_page_by_page(finished, monkeypatch):
    from runvitals.store import checksums, table

    monkeypatch.setattr(table, "LARGE", 1)
    monkeypatch.setattr(checksums, "WHOLE_BYTES", 1)
    path = finished / "points" / "rank0.parquet"
    truth, _ = numbers(finished)
    good = path.read_bytes()
    chance = random.Random(1)
    for _ in range(40):
        bad = bytearray(good)
        bad[chance.randrange(4, len(bad))] ^= 1 << chance.randrange(8)
        path.write_bytes(bad)
        found, _ = numbers(finished)
        view = open_folder(finished)
        for name in view.names():
            view.points.column(name)
        assert view.missing or same(found, truth)


def test_a_footer_that_points_past_the_end_of_the_file_is_told(tmp_path):
    file = tmp_path / "rank0.parquet"
    file.write_bytes(b"x" * 1000)
    write_sums(tmp_path / "rank0.sums.json", [(file.name, file)])

    sums = Sums(tmp_path / "rank0.sums.json", file)

    assert sums.wrong(0, 1000) is None
    assert sums.wrong(600_470, 602_487) == "it refers to bytes 600,470 to 602,487, and has 1,000"
