"""Bits that flip at rest: what is read is right, or it is said that it may not be."""

from __future__ import annotations

import random

import numpy as np
import pytest

from runvitals.store.checksums import Sums, write_sums
from runvitals.store.reader import open_folder


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


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_a_cut_table_is_told(finished, share):
    [path] = (finished / "points").glob("rank0.parquet")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    assert open_folder(finished).missing


def test_a_damaged_column_costs_only_itself(finished):
    path = finished / "points" / "rank0.parquet"
    truth, _ = numbers(finished)
    import pyarrow.parquet as pq

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
    assert sums.wrong(600_470, 602_487) == "its footer names bytes up to 602,487, and it has 1,000"
