"""Whatever the bytes are: a log, or a `ReadError`, in bounded time and memory."""

from __future__ import annotations

import gzip
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runvitals.model import ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.tabular import (
    csv_log,
    json_history,
    json_lines,
    numpy_arrays,
    parquet,
    rllib,
    sb3_evaluations,
    sb3_monitor,
    spaced_table,
    text_lists,
)

READERS = [
    csv_log,
    json_history,
    json_lines,
    numpy_arrays,
    parquet,
    rllib,
    sb3_evaluations,
    sb3_monitor,
    spaced_table,
    text_lists,
]
QUICK = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def survive(path: Path) -> None:
    start = head(path)
    for reader in READERS:
        sure = reader.sniff(path, start)
        assert 0 <= sure <= 100
        try:
            logs = reader.read(path)
        except ReadError:
            continue
        for log in logs:
            for name in log.points.names():
                steps, times, values = log.points.column(name)
                assert len(steps) == len(times) == len(values)
            if log.read_new is not None:
                assert log.read_new() == []


cell = st.one_of(
    st.floats().map(repr),
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(
        ["", "nan", "None", "True", "1,5", '"', '"a""b"', "1e999", "[1, 2]", "2024-01-01", "é"]
    ),
    st.text(string.printable, max_size=6),
)
table = st.tuples(
    st.lists(
        st.sampled_from(["step", "loss", "time", "epoch", "a/b", "", "x y"]), min_size=1, max_size=5
    ),
    st.lists(st.lists(cell, max_size=6), max_size=12),
    st.sampled_from([",", ";", "\t", "|", "  "]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
value: Any = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats().map(str), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
row = st.dictionaries(st.sampled_from(["step", "loss", "a", "config"]), value, max_size=4)


@QUICK
@given(data=st.binary(max_size=400))
def test_any_bytes(tmp_path, data):
    path = tmp_path / "progress.csv"
    path.write_bytes(data)

    survive(path)


@QUICK
@given(drawn=table)
def test_any_table(tmp_path, drawn):
    header, rows, delimiter, end = drawn
    text = end.join(delimiter.join(cells) for cells in [header, *rows])
    path = tmp_path / "progress.csv"
    path.write_bytes(text.encode("utf-8", "replace"))

    survive(path)


@QUICK
@given(rows=st.lists(row, max_size=8), cut=st.integers(0, 20))
def test_any_json_lines(tmp_path, rows, cut):
    text = "\n".join(str(row).replace("'", '"').replace("None", "null") for row in rows)
    path = tmp_path / "result.json"
    path.write_bytes(text[: max(0, len(text) - cut)].encode("utf-8", "replace"))

    survive(path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n" * 1000,
        b"\0" * 1000,
        b"\xff\xfe" + b"\0" * 11,
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"step": ' + b"9" * 100_000 + b', "loss": 1}\n{"step": 2, "loss": 1}\n',
        b"step,loss\n" + b"1e300,1\n2e300,2\n-1e308,3\n",
        b"step,loss\n" + b'"' * 1001 + b"\n1,2\n",
        b"step,loss\n" + b",".join([b"1"] * 50_000) + b"\n1,2\n",
        b"," * 50_000 + b"\n" + b"," * 50_000 + b"\n",
        b"step\tloss\r\r\n1\t\r\n\t2\n",
        b'#{"t_start": 1e400}\nr,l,t\n1,nan,2\n2,-5,inf\n3,1e300,1\n',
        b'#{"t_start": "x"}\nr,l,t\n1,2,3\n',
        b"PAR1" + b"\0" * 100 + b"PAR1",
        b"\x1f\x8b" + b"\0" * 50,
        b"\x28\xb5\x2f\xfd" + b"\0" * 50,
        b"\xfd7zXZ\x00" + b"\0" * 50,
    ],
)
def test_nasty_files(tmp_path, data):
    path = tmp_path / "metrics.csv"
    path.write_bytes(data)

    survive(path)


def test_a_bomb_of_one_line_is_passed_over(tmp_path):
    path = tmp_path / "metrics.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"step": 1, "loss": 2}\n{"step": ')
        for _ in range(200):
            file.write(b"1" * 2**20)
        file.write(b'}\n{"step": 3, "loss": 4}\n')

    [log] = json_lines.read(path)

    assert log.points.column("loss")[0].tolist() == [1, 3]
    assert any("longer than" in warning for warning in log.warnings)


def test_absurd_steps_are_no_reason_to_allocate(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("step,loss\n0,1\n9000000000000,2\n9000000000001,3\n")

    [log] = csv_log.read(path)

    assert log.points.column("loss")[0].tolist() == [0, 9000000000000, 9000000000001]
