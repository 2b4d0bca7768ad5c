# ruff: noqa: E501 - lines of real logs are long
import contextlib
import gzip
import io
import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals.model import ReadError
from runvitals.readers.console import (
    hf_console,
    key_value_text,
    ml_agents_console,
    rl_consoles,
    sb3_tables,
    verl_console,
)
from runvitals.readers.console._stream import ConsoleStream, read_stream
from runvitals.readers.raw.literals import parse_literal
from runvitals.readers.raw.source import LineFollower, head

FORMATS = [hf_console, key_value_text, ml_agents_console, rl_consoles, sb3_tables, verl_console]
READERS = [module.READER for module in FORMATS]


def grow(path, text):
    with open(path, "ab") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def follow(log):
    log.add(log.read_new())
    return log


# Following


def test_a_follower_gives_each_complete_line_once(tmp_path):
    path = tmp_path / "a.log"
    follower = LineFollower(path)
    assert list(follower.iter_lines()) == []

    grow(path, "one\ntw")
    assert list(follower.iter_lines()) == [b"one"]
    assert follower.rest == b"tw"
    grow(path, "o\r\nthree\rfour")
    assert list(follower.iter_lines()) == [b"two", b"three"]
    assert list(follower.iter_lines()) == []
    grow(path, "\n")
    assert list(follower.iter_lines()) == [b"four"]
    assert follower.restarts == 0


@pytest.mark.parametrize("how", ["truncated", "replaced", "rewritten longer", "rotated away"])
def test_a_follower_survives_truncation_and_rotation(tmp_path, how):
    path = tmp_path / "a.log"
    grow(path, "old 1\nold 2\n")
    follower = LineFollower(path)
    list(follower.iter_lines())

    if how == "truncated":
        path.write_bytes(b"new\n")
    elif how == "replaced":
        (tmp_path / "b").write_bytes(b"old 1\nold 2\nnew\n")
        os.replace(tmp_path / "b", path)
    elif how == "rewritten longer":
        path.write_bytes(b"new\n" * 100)
    else:
        path.rename(tmp_path / "a.log.1")
        assert list(follower.iter_lines()) == []
        path.write_bytes(b"new\n")

    assert list(follower.iter_lines())[-1] == b"new"
    assert follower.restarts == 1


def test_a_follower_passes_over_endless_lines_in_bounded_memory(tmp_path):
    path = tmp_path / "a.log"
    with open(path, "wb") as file:
        file.write(b"first\n")
        file.truncate(40 * 2**20)
        file.seek(0, 2)
        file.write(b"\nlast\n")
    follower = LineFollower(path)

    lines = list(follower.iter_lines())

    assert lines == [b"first", b"last"]
    assert follower.passed_over == 1


def test_new_rows_are_read_as_the_log_grows(tmp_path):
    path = tmp_path / "train.log"
    grow(path, "step:1 - actor/x:1.0\nstep:2 - actor/x:2.0\nstep:3 - act")
    [log] = verl_console.READER.read(path)
    assert series(log, "actor/x") == [(1, 1.0), (2, 2.0)]

    assert log.read_new() == []
    grow(path, "or/x:3.0\nstep:4 - actor/x:4.0\n")
    assert series(follow(log), "actor/x") == [(n, float(n)) for n in (1, 2, 3, 4)]
    grow(path, "step:3 - actor/x:3.5\n")
    assert series(follow(log), "actor/x") == [(1, 1.0), (2, 2.0), (3, 3.5)]
    path.write_text("step:1 - actor/x:9.0\n")
    assert series(follow(log), "actor/x") == [(1, 9.0)]
    assert any("truncated" in w for w in log.warnings)


def test_a_box_that_grows_line_by_line_is_one_row(tmp_path):
    path = tmp_path / "log.txt"
    box = "-------\n| a | {} |\n| steps | {} |\n-------\n"
    grow(path, box.format(1, 10))
    [log] = sb3_tables.READER.read(path)

    for line in box.format(2, 20).splitlines(keepends=True):
        grow(path, line)
        follow(log)

    assert series(log, "a") == [(10, 1.0), (20, 2.0)]


def test_counting_goes_on_where_it_was(tmp_path):
    path = tmp_path / "train.log"
    grow(path, "{'loss': 1.0, 'epoch': 0.1}\n{'loss': 2.0, 'epoch': 0.2}\n")
    [log] = hf_console.READER.read(path)

    grow(path, "{'loss': 3.0, 'epoch': 0.3}\n{'eval_loss': 9.0, 'epoch': 0.3}\n")
    follow(log)
    grow(path, "{'train_runtime': 9.0, 'epoch': 0.3}\n")

    assert series(follow(log), "loss") == [(1, 1.0), (2, 2.0), (3, 3.0)]
    assert series(log, "eval_loss") == [(3, 9.0)]
    assert log.status == "finished"


def test_results_that_come_long_after_their_header_are_not_lost(tmp_path):
    path = tmp_path / "train.log"
    grow(path, "===== Step 1/9 =====\n📊 Training Results:\n  • Loss: 1.0\n===== Step 2/9 =====\n")
    [log] = rl_consoles.READER.read(path)

    grow(path, "📊 Training Results:\n  • Loss: 2.0\n===== Step 3/9 =====\n")

    assert series(follow(log), "Loss") == [(1, 1.0), (2, 2.0)]


def test_behaviours_are_followed_apart(tmp_path):
    path = tmp_path / "train.log"
    line = "{}. Step: {}. Time Elapsed: 1.0 s. Mean Reward: {}. Std of Reward: 0.1. Training.\n"
    grow(path, line.format("A", 10, 1.5) + line.format("B", 100, 2.5))
    a, b = ml_agents_console.READER.read(path)

    grow(path, line.format("A", 20, 3.5) + line.format("B", 200, 4.5))

    assert series(follow(a), "Mean Reward") == [(10, 1.5), (20, 3.5)]
    assert series(follow(b), "Mean Reward") == [(100, 2.5), (200, 4.5)]


def test_a_compressed_log_is_read(tmp_path):
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(b"step:1 - actor/x:1.0\nstep:2 - actor/x:2.0\n"))

    [log] = verl_console.READER.read(path)

    assert verl_console.sniff(path, head(path)) == 95
    assert series(log, "actor/x") == [(1, 1.0), (2, 2.0)]
    assert log.read_new is None


# Streams


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        ("step:{n} - actor/x:0.5\n", "verl-console", "actor/x"),
        ("noise\n{{'loss': 0.5, 'epoch': 0.{n}}}\n", "hf-console", "loss"),
        ("-----\n| x | 0.5 |\n| steps | {n} |\n-----\n", "sb3-table", "x"),
        ("Step {n} | loss:0.5 tokens_per_second_per_gpu:9\n", "rl-console", "loss"),
        ("Step {n} | loss:0.5 lr:0.1\n", "key-value-text", "loss"),
        ("iter {n}: loss 0.5, time 20ms\n", "key-value-text", "loss"),
        ("Epoch:[1/1]({n}/9), loss: 0.5\n", "key-value-text", "loss"),
        ("\r{n}0%|## | {n}/10 [00:01<00:09, 1.0it/s, loss=0.5]", "key-value-text", "loss"),
        ("Ball. Step: {n}. Mean Reward: 0.5. Training.\n", "ml-agents-console", "Mean Reward"),
        ("epoch {n}: loss=0.5\n", "key-value-text", "loss"),
        ('{{"step": {n}, "loss": 0.5}}\n', "json-lines", "loss"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_stream_is_recognised_however_it_is_cut(text, form, name, size):
    data = "".join(text.format(n=n) for n in range(1, 9)).encode()
    stream = ConsoleStream("stdin")

    for begin in range(0, len(data), size):
        stream.feed(data[begin : begin + size])
    log = stream.close()

    assert log.format == form
    assert series(log, name) == [(n, 0.5) for n in range(1, 9)]


def test_a_stream_grows_its_log():
    stream = ConsoleStream()
    stream.feed(b"starting\nstep:1 - actor/x:1.0\n")
    assert stream.log is not None
    assert series(stream.log, "actor/x") == [(1, 1.0)]
    stream.feed(b"step:2 - actor/x:2.0\nValueError: boom\n")
    assert series(stream.log, "actor/x") == [(1, 1.0), (2, 2.0)]
    assert stream.close().status == "crashed"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "nothing came"),
        (b"hello\nworld\n", "no metrics were logged"),
        (b"\0\1\2" * 99, "no metrics"),
    ],
)
def test_a_stream_without_metrics_is_refused(data, problem):
    with pytest.raises(ReadError, match=problem):
        read_stream(io.BytesIO(data))


# Hostile input

HOSTILE = [
    b"{'loss': " * 20_000,
    b"{'a'" * 50_000,
    b"{'loss': '" + b"\\" * 200_000,
    b"\x1b[" * 100_000 + b"m",
    b"\x1b]" * 100_000,
    b"1%|" * 80_000 + b"| 1/2 [",
    b"step:1 - " + b":" * 200_000,
    b"step:1 - " + b" - " * 80_000,
    b"-----\n|" + b"|" * 200_000 + b"\n-----\n",
    b"a" * 4_000 + b" " + b"b c d e " * 500,
    b"a.b" * 1_300 + b"=",
    (b"x y z w v: " * 300)[:4_000],
    b"Step 1 | " + b"Loss " * 40_000,
    b"Step 1:\n" + b"{'a':\n" * 30_000,
    b"= " * 100_000 + b"Step 1",
    b"=" * 200_000 + b" Step",
    b"(" + b"a " * 50_000 + b"pid=",
    b"Namespace(" * 20_000,
    b"python " * 20_000 + b"a.b=" * 20_000,
    b"Learning iteration 1\n" + b"  Mean reward: " + b"1" * 100_000 + b"\n" * 9,
    b" Step: 1. " * 20_000,
    b"\xff\xfe" * 50_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.id)
def test_hostile_text_costs_its_length(tmp_path, reader, number):
    path = tmp_path / "x.log"
    path.write_bytes(HOSTILE[number])
    began = time.process_time()

    assert 0 <= reader.sniff(path, head(path)) <= 100
    with contextlib.suppress(ReadError):
        reader.read(path)

    assert time.process_time() - began < 10.0


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.id)
def test_an_empty_file_and_a_missing_one_are_refused(tmp_path, reader):
    path = tmp_path / "x.log"
    with pytest.raises(ReadError):
        reader.read(path)
    path.touch()
    with pytest.raises(ReadError, match="empty"):
        reader.read(path)
    assert reader.sniff(path, b"") == 0


PIECES = [
    b"step:1 - a:1", b"{'loss': 1.0, 'epoch': 0.1}", b"-----", b"| a | 1 |", b"| g/ | |", b"nan", b"\r",
    b"\n", b" - b:np.float64(2)", b"Step 3 | Loss 0.5", b"Step 3:", b"{", b"}", b"'k': ", b", ", b"\x1b[1m",
    b" 5%|## | 5/100 [00:01<00:02]", b"A. Step: 5. Mean Reward: 1.0. ", b"epoch=3 loss=1e309", b"rollout 1: ",
    b"\xff", b"Namespace(a=", b")", b"=== Step 1/2 ===", b"\xe2\x80\xa2 Loss: 1", b"Learning iteration 9/9",
    b"  Mean reward: 2", b"9" * 400, b"-9223372036854775808", b"step:99999999999999 - a:1", b'{"step": 1}',
]  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=12)), max_size=40))
def test_no_text_crashes_a_reader(tmp_path_factory, pieces):
    data = b"".join(pieces)
    path = tmp_path_factory.mktemp("fuzz") / "x.log"
    path.write_bytes(data)

    for reader in READERS:
        assert 0 <= reader.sniff(path, data) <= 100
        try:
            logs = reader.read(path)
        except ReadError:
            continue
        assert all(log.points.count > 0 for log in logs)
        log = logs[-1]
        grow(path, data)
        follow(log)
        path.write_bytes(data)
    with contextlib.suppress(ReadError):
        read_stream(io.BytesIO(data))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="{}[]()'\",:=\\ 1.e-nainfTrueNone<>\n", max_size=60))
def test_no_text_crashes_the_literal_parser(text):
    found = parse_literal(text)

    assert found is None or 0 < found[1] <= len(text)
