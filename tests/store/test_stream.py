from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from runvitals.model import RowBlock
from runvitals.store.stream import StreamDecoder, StreamEncoder


def block(names=("loss", "kl"), steps=range(3), fill=None):
    steps = np.array(list(steps), np.int64)
    values = np.arange(len(steps) * len(names), dtype=np.float64).reshape(len(steps), len(names))
    return RowBlock(tuple(names), steps, steps / 7.0, values if fill is None else values * 0 + fill)


def records(count):
    """Encoded records one by one, and the blocks in them."""
    encoder = StreamEncoder({"rank": "0"})
    blocks = [block(steps=range(10 * i, 10 * i + 3)) for i in range(count)]
    return [encoder.encode([b]) for b in blocks], blocks


def same(left, right):
    return (
        left.names == right.names
        and np.array_equal(left.steps, right.steps)
        and np.array_equal(left.times, right.times)
        and np.array_equal(left.values, right.values, equal_nan=True)
    )


def test_gives_back_what_was_written():
    encoder = StreamEncoder({"rank": "3", "segment": "2"})
    blocks = [block(), block(["é/\n🙂", ""], [5]), block(fill=np.nan), block(fill=-np.inf)]
    data = encoder.encode(blocks[:2]) + encoder.encode(blocks[2:])

    decoder = StreamDecoder()
    found, damage = decoder.feed(data, final=True)

    assert not damage
    merged = [b for b in found if b.names == blocks[1].names]
    assert same(merged[0], blocks[1])
    pooled = np.concatenate([b.values for b in found if b.names == blocks[0].names])
    expected = np.concatenate([b.values for b in (blocks[0], blocks[2], blocks[3])])
    assert np.array_equal(pooled, expected, equal_nan=True)
    assert decoder.facts["segment"] == "2"


def test_other_arrow_readers_open_it():
    encoder = StreamEncoder({"rank": "0"})
    data = encoder.encode([block()])

    table = pa.ipc.open_stream(data).read_all()

    assert table.column("step").to_pylist() == [0, 1, 2]
    assert table.column("values").to_pylist()[1] == [2.0, 3.0]
    assert table.column("names").to_pylist()[0] == ["loss", "kl"]


@pytest.mark.parametrize("keep", range(0, 900, 7))
def test_a_torn_tail_costs_only_the_torn_record(keep):
    parts, blocks = records(4)
    data = b"".join(parts)[: len(b"".join(parts[:2])) + keep]
    whole = sum(len(b"".join(parts[: i + 1])) <= len(data) for i in range(4))

    found, damage = StreamDecoder().feed(data, final=True)

    assert len(found) == whole
    assert all(same(f, b) for f, b in zip(found, blocks, strict=False))
    assert [d.tail for d in damage] in ([], [True])


def test_a_flipped_bit_anywhere_costs_at_most_its_record():
    parts, blocks = records(6)
    good = b"".join(parts)
    header = StreamDecoder()._read_header(good)
    rng = random.Random(0)
    for _ in range(400):
        data = bytearray(good)
        at = rng.randrange(header, len(data))
        data[at] ^= 1 << rng.randrange(8)

        found, _ = StreamDecoder().feed(bytes(data), final=True)

        kept = sum(any(same(f, b) for f in found) for b in blocks)
        assert kept >= 5, f"bit flip at {at}"
        assert all(any(same(f, b) for b in blocks) for f in found), f"false data from flip at {at}"


def test_reads_a_growing_file_piece_by_piece():
    parts, blocks = records(5)
    data = b"".join(parts)
    decoder = StreamDecoder()
    found = []
    for end in range(0, len(data) + 50, 50):
        more, damage = decoder.feed(data[decoder.offset : end], final=False)
        found += more
        assert not damage

    assert len(found) == 5
    assert all(same(f, b) for f, b in zip(found, blocks, strict=True))


def test_rows_whose_names_were_lost_find_them_in_a_later_record():
    encoder = StreamEncoder({})
    parts = [encoder.encode([block(steps=[i])]) for i in range(6)]
    header = StreamDecoder()._read_header(parts[0])
    broken = bytearray(b"".join(parts))
    for i in (0, 1, 2):  # names stand in records 0, 1 and 2, then again in 4
        start = len(b"".join(parts[:i])) + (header if i == 0 else 0)
        broken[start + 100] ^= 255

    found, _ = StreamDecoder().feed(bytes(broken), final=True)

    assert sorted(int(b.steps[0]) for b in found) == [3, 4, 5]


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 100, b"\xff" * 100_000, b"not arrow", bytes(range(256)) * 40]
)
def test_garbage_is_damage_and_no_crash(data):
    found, damage = StreamDecoder().feed(data, final=True)

    assert found == []
    assert bool(damage) == bool(data)


@pytest.mark.parametrize("at", [4, 20, 100, 200, 300])
def test_a_damaged_header_costs_no_points(at):
    parts, blocks = records(3)
    data = bytearray(b"".join(parts))
    data[at] ^= 0xFF
    decoder = StreamDecoder()

    found, _ = decoder.feed(bytes(data), final=True)

    assert sum(map(len, found)) == sum(map(len, blocks))
