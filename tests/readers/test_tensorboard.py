"""Event files: the same numbers as TensorBoard's own readers, and no harm from damaged ones."""

import gzip
import os
import random
import struct
import time
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runvitals.exporters.tensorboard import TensorBoardSink
from runvitals.model import Histogram, ReadError, RowBlock, RunInfo, Text
from runvitals.readers.tfevents import _records, tensorboard
from runvitals.tfevents.framing import masked_crc

pytest.importorskip("tensorboard")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

NAME = "events.out.tfevents.1700000000.host.1.0"


# helpers


def record(content):
    head = struct.pack("<Q", len(content))
    return (
        head
        + struct.pack("<I", masked_crc(head))
        + content
        + struct.pack("<I", masked_crc(content))
    )


def version(at=1.7e9, step=0):
    return Event(wall_time=at, file_version="brain.Event:2", step=step)


def scalar(tag, step, value, at=None):
    at = 1.7e9 + step if at is None else at
    summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
    return Event(wall_time=at, step=step, summary=summary)


def tensor_event(tag, step, tensor, plugin="scalars"):
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
    value = Summary.Value(tag=tag, tensor=tensor, metadata=metadata if plugin else None)
    return Event(wall_time=1.7e9 + step, step=step, summary=Summary(value=[value]))


def write(folder, events, name=NAME):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(record(event.SerializeToString()) for event in events))
    return path


def accumulated(path):
    """Steps, times and values per tag as TensorBoard's own reader gives them, sorted by step."""
    everything = dict.fromkeys(("scalars", "tensors", "histograms", "images"), 0)
    reader = EventAccumulator(str(path), size_guidance=everything)
    reader.Reload()
    found = {
        tag: [(e.step, e.wall_time, e.value) for e in reader.Scalars(tag)]
        for tag in reader.Tags()["scalars"]
    }
    for tag in reader.Tags()["tensors"]:
        points = [
            (e.step, e.wall_time, tensor_util.make_ndarray(e.tensor_proto))
            for e in reader.Tensors(tag)
            if e.tensor_proto.dtype != 7 and not e.tensor_proto.tensor_shape.dim
        ]
        if points:
            found[tag] = [(step, at, float(value)) for step, at, value in points]
    return {tag: sorted(points, key=lambda point: point[0]) for tag, points in found.items()}


def assert_same(log, expected):
    assert sorted(log.points.names()) == sorted(expected)
    for tag, points in expected.items():
        steps, times, values = log.points.column(tag)
        assert steps.tolist() == [step for step, _, _ in points], tag
        np.testing.assert_array_equal(times, [at for _, at, _ in points])
        np.testing.assert_array_equal(values, [value for _, _, value in points])
        assert (steps.dtype, times.dtype, values.dtype) == (np.int64, np.float64, np.float64)


def read(path):
    [log] = tensorboard.read(path)
    return log


def values_of(log, tag):
    return log.points.column(tag)[2].tolist()


# the same as other readers


@pytest.mark.parametrize("steps", [3, 300, 20_000])
def test_tensorboardx_files_read_as_in_tensorboard(tmp_path, steps):
    tensorboardx = pytest.importorskip("tensorboardX")
    rng = np.random.default_rng(steps)
    writer = tensorboardx.SummaryWriter(str(tmp_path))
    for step in range(0, steps, 1 + steps // 700):
        for i in range(12):
            if i < 9 or step % (i - 6) == 0:
                writer.add_scalar(f"group/{'m' * (i % 5)}{i}", rng.normal(), step)
    writer.close()
    [path] = tmp_path.iterdir()

    log = read(path)

    assert_same(log, accumulated(path))
    assert log.warnings == []


def test_files_of_the_writer_that_torch_uses(tmp_path):
    writer = EventFileWriter(str(tmp_path))
    for step in range(200):
        for tag in ("loss", "train/reward", "eval/reward")[: 2 + (step % 10 == 0)]:
            writer.add_event(scalar(tag, step * 1000, step / 7))
    writer.close()
    [path] = tmp_path.iterdir()

    log = read(path)

    assert_same(log, accumulated(path))
    assert log.points.names() == ["loss", "train/reward", "eval/reward"]


def test_values_equal_those_of_tbparse(tmp_path):
    tbparse = pytest.importorskip("tbparse")
    path = write(tmp_path, [version(), *(scalar(f"t{i % 3}", i // 3, i / 7) for i in range(300))])

    log = read(path)

    frame = tbparse.SummaryReader(str(path)).scalars
    for tag, mine in frame.groupby("tag"):
        assert values_of(log, tag) == mine["value"].tolist()
        assert log.points.column(tag)[0].tolist() == mine["step"].tolist()


def test_our_own_files_come_back(tmp_path):
    info = RunInfo(
        id="r", name="r", project="p", folder=tmp_path, started=1.7e9,
        config={"lr": 3e-4, "batch": 64, "algo": "ppo", "nested": {"on": True}},
    )  # fmt: skip
    sink = TensorBoardSink()
    sink.open(info)
    rng = np.random.default_rng(0)
    for low in (0, 500, 100_000, 2**40):
        steps = np.arange(low, low + 200)
        wide = RowBlock(
            tuple(f"metric/{i}" for i in range(60)),
            steps,
            1.7e9 + steps / 9,
            rng.normal(size=(200, 60)),
        )
        narrow = RowBlock(
            ("metric/3", "alone"), steps, 1.7e9 + steps / 9 + 0.01, rng.normal(size=(200, 2))
        )
        sink.write([wide, narrow], [])
    sink.close("finished")
    [path] = (tmp_path / "tensorboard").iterdir()

    log = read(path)

    assert_same(log, accumulated(path))
    assert log.config["batch"] == 64
    assert log.config["nested.on"] is True
    assert log.config["lr"] == pytest.approx(3e-4)
    assert log.status == "finished"


def tensors():
    def proto(dtype, **values):
        return TensorProto(dtype=dtype, **values)

    yield "float_val", proto(1, float_val=[1.5])
    yield "double_val", proto(2, double_val=[1 / 3])
    yield "int_val", proto(3, int_val=[-7])
    yield "int64_val", proto(9, int64_val=[2**40])
    yield "bool_val", proto(10, bool_val=[True])
    yield "float content", proto(1, tensor_content=struct.pack("<f", -2.25))
    yield "double content", proto(2, tensor_content=struct.pack("<d", 1e300))
    yield "int64 content", proto(9, tensor_content=struct.pack("<q", -(2**50)))
    yield "half content", proto(19, tensor_content=struct.pack("<e", 0.1))
    yield "half_val", proto(19, half_val=[struct.unpack("<H", struct.pack("<e", 0.5))[0]])


@pytest.mark.parametrize("plugin", ["scalars", ""])
@pytest.mark.parametrize("count", [2, 50], ids=["few", "many"])
def test_tensor_scalars_of_tensorflow_2(tmp_path, plugin, count):
    events = [version()]
    for step in range(count):
        events += [tensor_event(name, step, tensor, plugin) for name, tensor in tensors()]
    path = write(tmp_path, events)

    log = read(path)

    assert_same(log, accumulated(path))
    assert values_of(log, "double content") == [1e300] * count


def test_tensors_that_tensorboard_itself_cannot_read(tmp_path):
    bits = struct.unpack("<I", struct.pack("<f", 1.5))[0] >> 16
    content = TensorProto(dtype=14, tensor_content=struct.pack("<H", bits))
    packed = TensorProto(dtype=14, half_val=[bits])
    large = TensorProto(dtype=23, uint64_val=[2**63])
    events = [
        tensor_event(tag, step, tensor)
        for step in range(20)
        for tag, tensor in (("content", content), ("packed", packed), ("large", large))
    ]

    log = read(write(tmp_path, [version(), *events]))

    assert values_of(log, "content") == values_of(log, "packed") == [1.5] * 20
    assert values_of(log, "large") == [2.0**63] * 20


def test_vectors_and_other_plugins_are_no_scalars(tmp_path):
    vector = TensorProto(dtype=1, float_val=[1.0, 2.0])
    vector.tensor_shape.dim.add().size = 2
    events = [
        tensor_event("vector", 1, vector),
        tensor_event("curve", 1, TensorProto(dtype=1, float_val=[1.0]), "pr_curves"),
        scalar("loss", 1, 0.5),
    ]

    log = read(write(tmp_path, [version(), *events]))

    assert log.points.names() == ["loss"]


@pytest.mark.parametrize(
    "steps",
    [[-5, -1, 0, 1], [0, 2**62, 2**63 - 1], [-(2**63), 0], [127, 128, 16_383, 16_384], [5] * 9],
    ids=["negative", "huge", "smallest", "varint borders", "all equal"],
)
@pytest.mark.parametrize("times", [1, 12], ids=["few", "many"])
def test_any_step_and_value(tmp_path, steps, times):
    values = [nan, inf, -inf, 1e-45, -0.0]
    events = [
        scalar("a", step, values[i % 5], at=1.7e9 + i)
        for i, step in enumerate(sorted(steps * times))
    ]
    path = write(tmp_path, [version(), *events])

    assert_same(read(path), accumulated(path))


def test_points_that_share_a_step_keep_their_order(tmp_path):
    short, long = scalar("a", 1, 1.0), scalar("a", 1, 2.0)
    long.summary.value[0].metadata.display_name = "x"
    events = [version(), *([long, short, short, long] * 10)]
    for event in events:
        event.wall_time = 1.7e9
    path = write(tmp_path, events)

    log = read(path)

    assert values_of(log, "a") == [2.0, 1.0, 1.0, 2.0] * 10


def test_many_tags_of_one_length(tmp_path):
    events = [scalar(f"layer/{i:04}", step, i + step) for step in range(20) for i in range(500)]
    path = write(tmp_path, [version(), *events])

    log = read(path)

    assert_same(log, accumulated(path))
    assert log.points.names()[:2] == ["layer/0000", "layer/0001"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "bb", "ünï", "x" * 200]),
            st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300),
            st.floats(width=32),
        ),
        max_size=60,
    ),
    st.integers(1, 12),
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_is_written_is_read(tmp_path, points, repeat):
    events = [scalar(*point, at=float(i)) for i, point in enumerate(points * repeat)]

    log = read(write(tmp_path, [version(), *events]))

    for tag in {tag for tag, _, _ in points}:
        wanted = sorted(
            ((s, v) for t, s, v in points * repeat if t == tag), key=lambda point: point[0]
        )
        assert log.points.column(tag)[0].tolist() == [step for step, _ in wanted]
        np.testing.assert_array_equal(values_of(log, tag), [value for _, value in wanted])


def test_small_windows_change_nothing(tmp_path, monkeypatch):
    events = [scalar(f"t{'x' * (i % 7)}", i // 7, i / 3) for i in range(3000)]
    events.insert(700, tensor_event("text", 3, string("long " * 3000), "text"))
    path = write(tmp_path, [version(), *events])
    expected = accumulated(path)
    for size in (100, 1000, 5000, 10_007):
        monkeypatch.setattr(_records, "WINDOW", size)
        assert_same(read(path), expected)


# texts, histograms, settings


def string(*texts):
    tensor = TensorProto(dtype=7, string_val=[text.encode() for text in texts])
    if len(texts) != 1:
        tensor.tensor_shape.dim.add().size = len(texts)
    return tensor


def test_texts_and_histograms_are_read_when_asked_for(tmp_path):
    info = RunInfo(id="r", name="r", project="p", folder=tmp_path, started=1.7e9)
    sink = TensorBoardSink()
    sink.open(info)
    texts = [Text(f"note{i}", i, 1.7e9 + i, f"number {i} ünïcode") for i in range(20)]
    edges, counts = np.array([0.0, 1.0, 2.5, 7.0]), np.array([3.0, 0.0, 2.0])
    histograms = [Histogram("weights", i, 1.7e9 + i, edges, counts, 5.0, 9.0) for i in range(20)]
    sink.write(
        [RowBlock(("a",), np.arange(3), np.arange(3.0), np.ones((3, 1)))], texts + histograms
    )
    sink.close("finished")
    [path] = (tmp_path / "tensorboard").iterdir()

    found = list(read(path).events())

    assert [e for e in found if isinstance(e, Text)] == texts
    shown = [e for e in found if isinstance(e, Histogram)]
    assert [h.step for h in shown] == list(range(20))
    np.testing.assert_array_equal(shown[3].edges, edges)
    np.testing.assert_array_equal(shown[3].counts, counts)
    assert (shown[3].total, shown[3].total_of_squares) == (5.0, 9.0)


def test_tensor_histograms(tmp_path):
    tensor = TensorProto(dtype=2, double_val=[0, 1, 4, 1, 3, 2])
    for size in (2, 3):
        tensor.tensor_shape.dim.add().size = size
    path = write(tmp_path, [version(), tensor_event("weights", 4, tensor, "histograms")])

    log = read(path)
    [histogram] = log.events()

    assert log.points.names() == []
    assert histogram.edges.tolist() == [0, 1, 3]
    assert histogram.counts.tolist() == [4, 2]


def test_settings_from_the_hparams_plugin(tmp_path):
    tensorboardx = pytest.importorskip("tensorboardX")
    writer = tensorboardx.SummaryWriter(str(tmp_path))
    exp, start, end = tensorboardx.summary.hparams(
        {"lr": 0.1, "layers": 3, "name": "ppo", "flag": True}, {"loss": 1.0}
    )
    for part in (exp, start, end):
        writer.file_writer.add_summary(part)
    writer.close()
    [path] = tmp_path.iterdir()

    log = read(path)

    assert log.config == {"lr": 0.1, "layers": 3, "name": "ppo", "flag": True}
    assert log.status == "unknown"  # written at the start, whatever happens then


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        ("args/text_summary", '{"lr": 0.1, "deep": {"a": [1, 2]}}', {"lr": 0.1, "deep.a": [1, 2]}),
        ("model_config/text_summary", '{"layers": 2}', {"model_config.layers": 2}),
        (
            "hyperparameters/text_summary",
            "|param|value|\n|-|-|\n|seed|1|\n|cuda|True|\n|entity|None|\n|env_id|Pendulum-v1|",
            {"seed": 1, "cuda": True, "entity": None, "env_id": "Pendulum-v1"},
        ),
        (
            "Hyperparameters/text_summary",
            "\ttrainer_type:\tppo\n\thyperparameters:\t\n\t  batch_size:\t265\n\tmax_steps:\t9",
            {"trainer_type": "ppo", "hyperparameters.batch_size": 265, "max_steps": 9},
        ),
        ("args/text_summary", "{broken", {}),
        ("note", '{"lr": 0.1}', {}),
    ],
    ids=["transformers", "model", "CleanRL", "ML-Agents", "broken", "any text"],
)
def test_settings_from_texts(tmp_path, tag, text, expected):
    path = write(tmp_path, [version(), tensor_event(tag, 0, string(text), "text")])

    assert read(path).config == expected


def test_settings_from_a_table_of_texts(tmp_path):
    """As older ML-Agents write them: rows of a name and its value."""
    tensor = string("trainer_type", "ppo", "hyperparameters", "{'batch_size': 10, 'beta': 0.1}")
    del tensor.tensor_shape.dim[:]
    for size in (2, 2):
        tensor.tensor_shape.dim.add().size = size
    path = write(tmp_path, [version(), tensor_event("Hyperparameters", 0, tensor, "text")])

    assert read(path).config == {
        "trainer_type": "ppo",
        "hyperparameters.batch_size": 10,
        "hyperparameters.beta": 0.1,
    }


# several files


def test_the_files_of_a_folder_are_parsed_once(tmp_path, monkeypatch):
    paths = []
    for part in range(4):
        events = [scalar("a", i, i) for i in range(20 * part, 20 * part + 25)]
        start = version()
        start.wall_time = 1.7e9 + part
        paths.append(write(tmp_path, [start, *events], f"{NAME}.{part}"))
    opened = []
    windows = tensorboard.RecordStream.windows

    def counted(stream):
        opened.append(stream)
        return windows(stream)

    monkeypatch.setattr(tensorboard.RecordStream, "windows", counted)

    [log] = tensorboard.read_together(paths)

    assert len(opened) == 4
    assert log.points.column("a")[0].tolist() == list(range(85))
    assert len(log.points.lives("a")) == 4


def test_the_later_file_wins(tmp_path):
    first = [version(), *(scalar("a", i, i) for i in range(100)), scalar("only", 3, 1.0)]
    second = [version(1.8e9), *(scalar("a", i, -i, at=1.8e9 + i) for i in range(60, 120))]
    paths = [
        write(tmp_path, second, "events.out.tfevents.2.z"),
        write(tmp_path, first, "events.out.tfevents.9.a"),  # names need not tell the order
    ]

    log = tensorboard.read_folder(paths)

    assert values_of(log, "a") == [*range(60), *(-i for i in range(60, 120))]
    assert log.points.abandoned("a")[2].tolist() == list(range(60, 100))
    assert values_of(log, "only") == [1.0]
    assert log.path == tmp_path


@pytest.mark.parametrize("split", [True, False], ids=["two files", "one file"])
def test_purged_steps_are_gone(tmp_path, split):
    first = [version(), *(scalar(t, i, i) for i in range(100) for t in ("a", "b", "c"))]
    restart = Event(wall_time=1.8e9, step=50, session_log=SessionLog(status=SessionLog.START))
    second = [restart, *(scalar("a", i, -i, at=1.8e9 + i) for i in range(70, 120))]
    second += [scalar("b", 50, 7.0, at=1.9e9)]
    if split:
        write(tmp_path, first, "events.out.tfevents.1.a")
        write(tmp_path, [version(1.8e9, 50), *second], "events.out.tfevents.2.a")
    else:
        write(tmp_path, first + second)

    log = tensorboard.read_folder(sorted(tmp_path.iterdir()))

    assert_same(log, accumulated(tmp_path))
    assert log.points.column("c")[0].max() == 49
    assert log.points.abandoned("a")[0].min() == 70


# damage


def sample_file(folder):
    events = [scalar(f"t{'x' * (i % 5)}", i // 5, i / 3) for i in range(400)]
    events.insert(50, tensor_event("args/text_summary", 0, string('{"lr": 1}'), "text"))
    return write(folder, [version(), *events])


@pytest.mark.parametrize("before", [0, 3])
def test_a_record_longer_than_any_is_damage_and_not_one_still_being_written(tmp_path, before):
    path = write(tmp_path, [scalar("loss", step, 0.5) for step in range(before)])
    head = struct.pack("<Q", 0xFFFFFFFF)
    with path.open("ab") as file:
        file.write(head + struct.pack("<I", masked_crc(head)) + bytes(1000))

    if before:
        [log] = tensorboard.read(path)
        assert log.points.count == before
        assert any("damaged in one place" in warning for warning in log.warnings)
    else:
        with pytest.raises(ReadError, match="no event record in it"):
            tensorboard.read(path)


def test_a_cut_file_keeps_what_is_before(tmp_path):
    path = sample_file(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    live = read(path)
    os.utime(path, (1.7e9, 1.7e9))

    log = read(path)

    assert live.warnings == [
        f"{NAME}: ends inside a record, or its writer is at it; everything before it was read"
    ]
    assert log.warnings == [f"{NAME}: ends inside a record; everything before it was read"]
    assert log.points.count == 399


@pytest.mark.parametrize("flag", ["length", "length checksum", "content", "checksum"])
def test_a_flipped_bit_costs_one_record(tmp_path, flag):
    path = sample_file(tmp_path)
    data = bytearray(path.read_bytes())
    at = 0
    for _ in range(200):
        at += 16 + struct.unpack_from("<Q", data, at)[0]
    length = struct.unpack_from("<Q", data, at)[0]
    data[
        at + {"length": 1, "length checksum": 9, "content": 13, "checksum": 13 + length}[flag]
    ] ^= 4
    path.write_bytes(data)

    log = read(path)

    assert log.points.count == 399
    assert len(log.warnings) == 1
    assert "damaged in one place" in log.warnings[0] or "wrong checksum" in log.warnings[0]


@pytest.mark.parametrize("length", [2**20, 2**28, 2**40, 2**63, 2**64 - 1])
def test_absurd_lengths_with_a_right_checksum(tmp_path, length):
    path = sample_file(tmp_path)
    head = struct.pack("<Q", length)
    whole = path.read_bytes()
    half = 0
    for _ in range(200):
        half += 16 + struct.unpack_from("<Q", whole, half)[0]
    path.write_bytes(whole[:half] + head + struct.pack("<I", masked_crc(head)) + whole[half:])

    log = read(path)

    assert log.points.count == 400
    assert "damaged" in log.warnings[0]


def test_a_hole_of_zeros_is_stepped_over(tmp_path):
    path = sample_file(tmp_path)
    data = bytearray(path.read_bytes())
    data[5000:9000] = bytes(4000)
    path.write_bytes(data)

    log = read(path)

    assert 250 < log.points.count < 400
    assert "damaged in one place" in log.warnings[0]


def test_checksums_that_are_all_wrong_are_the_writers_fault(tmp_path):
    contents = [
        event.SerializeToString() for event in [version(), *(scalar("a", i, i) for i in range(99))]
    ]
    path = tmp_path / NAME
    path.write_bytes(b"".join(record(content)[:-4] + bytes(4) for content in contents))

    log = read(path)

    assert log.points.count == 99
    assert log.warnings == [f"{NAME}: all checksums are wrong; read without checking them"]


@pytest.mark.parametrize(
    "content",
    [b"", record(version().SerializeToString())[:20], record(version().SerializeToString())],
    ids=["empty", "half a header", "header only"],
)
def test_files_without_points(tmp_path, content):
    path = tmp_path / NAME
    path.write_bytes(content)

    log = read(path)

    assert (log.points.names(), log.warnings) == ([], [])
    assert tensorboard.sniff(path, content) >= 60


@pytest.mark.parametrize("content", [b"not an event file" * 9, bytes(5000)], ids=["text", "zeros"])
def test_something_else_is_an_error(tmp_path, content):
    path = tmp_path / NAME
    path.write_bytes(content)

    with pytest.raises(ReadError, match="no event record"):
        read(path)
    with pytest.raises(ReadError, match="no such file"):
        read(tmp_path / "missing")
    assert tensorboard.sniff(Path("x.csv"), content) == 0


def test_compressed_files_also_cut_ones(tmp_path):
    plain = sample_file(tmp_path)
    packed = tmp_path / (NAME + ".gz")
    data = gzip.compress(plain.read_bytes())
    packed.write_bytes(data)

    whole = read(packed)
    packed.write_bytes(data[: len(data) * 3 // 4])
    cut = read(packed)

    assert_same(whole, accumulated(plain))
    assert whole.read_new() == []
    assert 100 < cut.points.count < 400
    assert "read up to there" in cut.warnings[0]
    assert tensorboard.sniff(packed, plain.read_bytes()[:100]) == 100


def test_records_too_large_to_matter_are_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(_records, "WINDOW", 2000)
    monkeypatch.setattr(_records, "MAX_BYTES", 20_000)
    events = [scalar("a", i, i) for i in range(100)]
    for size in (9000, 50_000):
        events.insert(30, Event(wall_time=1.0, graph_def=bytes(size)))
    path = write(tmp_path, [version(), *events])

    log = read(path)

    assert (log.points.count, log.warnings) == (100, [])


def test_hostile_numbers_of_tags_stay_bounded(tmp_path, monkeypatch):
    from runvitals.readers.tfevents import _columns

    monkeypatch.setattr(_columns, "MAX_TAGS", 50)
    monkeypatch.setattr(_columns, "MAX_CELLS", 60)
    events = [scalar(f"tag{i}", i, i) for i in range(200)]
    wide = [Summary.Value(tag=f"tag{i}", simple_value=i) for i in range(40)]
    events += [Event(step=i, summary=Summary(value=wide[i:])) for i in range(20)]

    log = read(write(tmp_path, [version(), *events]))

    assert len(log.points.names()) == 50
    assert log.points.column("tag9")[0].tolist() == [*range(10), 9]
    assert any("the rest was left out" in warning for warning in log.warnings)


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 30])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at : at + rng.choice([1, 4, 50, 500])]
        elif kind == 2:
            data[at:at] = rng.randbytes(rng.choice([1, 8, 100]))
        elif kind == 3:
            length = rng.choice([0, 1, 20, 2**16, 2**31, 2**32 + 5, 2**62, 2**64 - 1])
            head = struct.pack("<Q", length)
            data[at:at] = head + struct.pack("<I", masked_crc(head))
        elif kind == 4:
            data[at:at] = record(rng.randbytes(rng.randrange(60)))  # sound frame, no event
        else:
            data = data[:at] or bytearray(b"\0")
    return bytes(data)


def hostile_content(event, rng):
    """A sound record whose protobuf is broken."""
    content = bytearray(event.SerializeToString())
    for _ in range(rng.randrange(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return record(bytes(content))


DAMAGED_FILES = 800  # some seconds of each kind


def test_damaged_files_never_crash(tmp_path):
    """Random damage: points or a `ReadError`, quickly, and never a wrong number."""
    path = sample_file(tmp_path)
    whole = path.read_bytes()
    allowed = {i / 3 for i in range(400)}
    allowed = set(np.array(sorted(allowed), np.float32).astype(float).tolist())
    for seed in range(DAMAGED_FILES):
        path.write_bytes(damaged(whole, random.Random(seed)))
        start = time.process_time()
        try:
            log = read(path)
        except ReadError:
            continue
        list(log.events())
        assert time.process_time() - start < 5, seed
        for tag in log.points.names():
            if tag.startswith("t"):
                assert set(values_of(log, tag)) <= allowed, seed


def test_broken_events_in_sound_records_never_crash(tmp_path):
    tensor = TensorProto(dtype=2, double_val=[0, 1, 4, 1, 3, 2])
    for size in (2, 3):
        tensor.tensor_shape.dim.add().size = size
    start = Summary.Value(tag="_hparams_/session_start_info")
    start.metadata.plugin_data.plugin_name = "hparams"
    start.metadata.plugin_data.content = bytes.fromhex("1a120a0e0a026c72120811000000000000f03f")
    events = [
        version(),
        scalar("a", 3, 0.5),
        tensor_event("b", 300, TensorProto(dtype=9, int64_val=[3])),
        tensor_event("args/text_summary", 0, string('{"lr": 1}'), "text"),
        tensor_event("h", 0, tensor, "histograms"),
        Event(step=5, session_log=SessionLog(status=SessionLog.START)),
        Event(step=5, summary=Summary(value=[start])),
    ]
    path = tmp_path / NAME
    for seed in range(DAMAGED_FILES):
        rng = random.Random(seed)
        records = [hostile_content(rng.choice(events), rng) for _ in range(20)]
        path.write_bytes(
            record(version().SerializeToString()) + b"".join(records * rng.choice([1, 9]))
        )
        log = read(path)
        list(log.events())
        for tag in log.points.names():
            log.points.column(tag)


# following


def test_follows_a_growing_file(tmp_path):
    path = sample_file(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    log = read(path)
    for end in (5003, 5003, 5500, 9000, len(whole)):
        path.write_bytes(whole[:end])  # same file, longer
        log.add(log.read_new())

    assert log.points.count == 400
    assert_same(log, accumulated(path))
    assert log.warnings == []
    assert log.read_new() == []


def test_a_replaced_file_is_a_restart(tmp_path):
    path = write(tmp_path, [version(), *(scalar("a", i, i) for i in range(50))])
    log = read(path)
    write(tmp_path, [version(1.8e9), *(scalar("a", i, -i) for i in range(10, 20))])

    log.add(log.read_new())

    assert values_of(log, "a") == [*range(10), *(-i for i in range(10, 20))]

    other = write(tmp_path / "x", [version(1.9e9), *(scalar("a", i, 7) for i in range(15, 90))])
    os.replace(other, path)
    log.add(log.read_new())

    assert values_of(log, "a") == [*range(10), *(-i for i in range(10, 15)), *([7.0] * 75)]

    path.unlink()
    assert log.read_new() == []


def test_finds_new_files_in_the_folder(tmp_path):
    path = write(tmp_path, [version(), *(scalar("a", i, i) for i in range(50))])
    log = tensorboard.read_folder([path])
    assert log.read_new() == []
    write(tmp_path, [version(1.8e9), scalar("a", 40, -1.0)], "events.out.tfevents.1800000000.b")

    log.add(log.read_new())

    assert values_of(log, "a") == [*range(40), -1.0]
