"""What TensorBoard itself reads back from our event files."""

import os
import time
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runvitals.exporters.tensorboard import TensorBoardSink, export_tensorboard
from runvitals.model import Histogram, RowBlock, RunInfo, Sample, Text

ODD_TAGS = [
    "plain",
    "Train/Loss",
    "reward{component=format}",
    "ένα/δύο",
    "emoji 🚀",
    "line\nbreak",
    'quote " comma , tab \t',
    "nul \0 byte",
    "../up",
    "lone surrogate \ud800",
    "long/" + "x" * 10_000,
]


def record(info, blocks=(), events=(), status="finished"):
    sink = TensorBoardSink()
    sink.open(info)
    sink.write(blocks, events)
    sink.close(status)
    return info.folder / "tensorboard"


def as_float32(values):
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float32).astype(np.float64)


def assert_same_scalars(reader, block):
    for i, name in enumerate(block.names):
        points = reader.Scalars(name.encode("utf-8", "replace").decode())
        assert [p.step for p in points] == block.steps.tolist()
        assert [p.wall_time for p in points] == block.times.tolist()
        np.testing.assert_array_equal([p.value for p in points], as_float32(block.values[:, i]))


def test_values_steps_and_times_come_back_exactly(info, make_block, accumulate):
    block = make_block([f"metric/{i}" for i in range(60)], range(1000))

    folder = record(info, [block])

    assert_same_scalars(accumulate(folder), block)


def test_file_starts_with_the_version_and_names_host_and_process(info, accumulate):
    folder = record(info)

    [path] = folder.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    assert f".{os.getpid()}." in path.name
    assert b"brain.Event:2" in path.read_bytes()[:64]


def test_nan_and_infinities_are_kept(info, make_block, accumulate):
    block = make_block(["a"], range(4), [nan, inf, -inf, 1e300])

    points = accumulate(record(info, [block])).Scalars("a")

    assert isnan(points[0].value)
    assert [p.value for p in points[1:]] == [inf, -inf, inf]


@pytest.mark.parametrize(
    "steps",
    [[-5, -1, 0, 1], [0, 2**62, 2**63 - 1], [-(2**63), 0], [127, 128, 16_383, 16_384], [5] * 4],
    ids=["negative", "huge", "smallest", "varint borders", "all equal"],
)
def test_any_step_comes_back(info, make_block, accumulate, steps):
    block = make_block(["a", "b"], steps)

    assert_same_scalars(accumulate(record(info, [block])), block)


def test_odd_tags_come_back(info, make_block, accumulate):
    block = make_block(ODD_TAGS, range(3))

    assert_same_scalars(accumulate(record(info, [block])), block)


def test_very_wide_rows_are_split_over_events(info, make_block, accumulate):
    block = make_block([f"wide/{i:05}" for i in range(10_000)], range(3))

    reader = accumulate(record(info, [block]))

    assert len(reader.Tags()["scalars"]) == 10_000
    for i in (0, 4_999, 9_999):
        points = reader.Scalars(f"wide/{i:05}")
        assert [p.step for p in points] == [0, 1, 2]
        assert [p.value for p in points] == as_float32(block.values[:, i]).tolist()


def test_many_blocks_of_many_shapes(info, make_block, accumulate):
    blocks = [
        make_block([f"shape{i % 7}/{j}" for j in range(i % 7 + 1)], range(i * 50, i * 50 + 50))
        for i in range(40)
    ]

    reader = accumulate(record(info, blocks))

    for shape in range(7):
        mine = [b for i, b in enumerate(blocks) if i % 7 == shape]
        points = reader.Scalars(f"shape{shape}/0")
        assert [p.step for p in points] == np.concatenate([b.steps for b in mine]).tolist()
        values = np.concatenate([b.values[:, 0] for b in mine])
        assert [p.value for p in points] == as_float32(values).tolist()


def test_unknown_time_becomes_the_start_of_the_run(info, make_block, accumulate):
    block = make_block(["a"], [1], times=[nan])

    assert accumulate(record(info, [block])).Scalars("a")[0].wall_time == info.started


def test_a_resumed_run_adds_a_second_file(info, make_block, accumulate):
    first, second = make_block(["a"], range(10)), make_block(["a"], range(10, 20))

    record(info, [first])
    folder = record(info, [second])

    assert len(list(folder.iterdir())) == 2
    assert [p.step for p in accumulate(folder).Scalars("a")] == list(range(20))


@pytest.mark.parametrize("clock", [0.0, -3600.0], ids=["in the same second", "clock set back"])
def test_a_life_with_a_lower_process_id_still_voids_the_earlier_one(
    info, make_block, accumulate, monkeypatch, clock
):
    now = time.time()
    for life in range(1, 13):
        monkeypatch.setattr("os.getpid", lambda life=life: 9000 - life)
        monkeypatch.setattr("time.time", lambda life=life: now + clock * life)
        info.segment = life
        folder = record(info, [make_block(["a"], range(life - 1, 20))])

    assert [p.step for p in accumulate(folder).Scalars("a")] == list(range(20))


def test_all_is_readable_after_each_write_without_closing(info, make_block, accumulate):
    sink = TensorBoardSink()
    sink.open(info)
    sink.write([make_block(["a"], range(10))], [])

    assert len(accumulate(info.folder / "tensorboard").Scalars("a")) == 10
    sink.close("killed")


def test_higher_ranks_write_into_their_own_folder(info, make_block, accumulate):
    info.rank = 3

    folder = record(info, [make_block(["a"], range(2), rank=3)])

    assert [p.name for p in folder.iterdir()] == ["rank3"]
    assert len(accumulate(folder / "rank3").Scalars("a")) == 2


def test_histograms_come_back(info, accumulate):
    counts, edges = np.histogram(np.random.default_rng(0).normal(size=1000), bins=30)
    event = Histogram("actions", 7, 1_700_000_001.0, edges, counts.astype(float), 12.5, 990.0)

    [point] = accumulate(record(info, [], [event])).Histograms("actions")

    assert (point.step, point.wall_time) == (7, 1_700_000_001.0)
    got = point.histogram_value
    assert (got.min, got.max, got.num) == (edges[0], edges[-1], 1000)
    assert (got.sum, got.sum_squares) == (12.5, 990.0)
    assert list(got.bucket_limit) == edges[1:].tolist()
    assert list(got.bucket) == counts.tolist()


def test_a_histogram_named_like_a_scalar_hides_neither(info, make_block, accumulate):
    event = Histogram("reward", 0, 1.0, np.array([0.0, 1.0]), np.array([4.0]))

    reader = accumulate(record(info, [make_block(["reward"], [0])], [event]))

    assert reader.Tags()["scalars"] == ["reward"]
    assert reader.Tags()["histograms"] == ["reward/histogram"]


def test_texts_come_back(info, accumulate):
    reader = accumulate(record(info, [], [Text("note", 3, 2.0, "**hi** ünï")]))

    [point] = reader.Tensors("note")
    assert point.step == 3
    assert point.tensor_proto.string_val[0].decode() == "**hi** ünï"
    assert reader.SummaryMetadata("note").plugin_data.plugin_name == "text"


def test_samples_become_a_table_limited_in_size_and_rate(info, accumulate):
    samples = [
        Sample(
            i, 100.0 + i / 10, {"prompt": f"p{i} | x\ny", "completion": "z" * 5000, "reward": 0.5}
        )
        for i in range(250)
    ]
    sink = TensorBoardSink()
    sink.open(info)
    for sample in samples:
        sink.write([], [sample])
    sink.write([], [Sample(251, 200.0, {"a": 1}) for _ in range(50)])
    sink.close("finished")

    points = accumulate(info.folder / "tensorboard").Tensors("samples")
    assert [p.step for p in points] == [0, 100, 200, 251]
    table = points[0].tensor_proto.string_val[0].decode()
    assert table.startswith(
        "| step | prompt | completion | reward |\n|---|---|---|---|\n| 0 | p0 \\|"
    )
    assert len(table) < 1000
    assert points[-1].tensor_proto.string_val[0].decode().count("\n") == 9


def test_the_config_shows_on_the_hparams_page(info, accumulate):
    metadata = pytest.importorskip("tensorboard.plugins.hparams.metadata")
    info.config = {"lr": 3e-4, "gae": True, "env": "Hopper", "net": {"size": 64}, "bad": nan}

    reader = accumulate(record(info, [], [], status="crashed"))

    def content(tag):
        return reader.SummaryMetadata(tag).plugin_data.content

    start = metadata.parse_session_start_info_plugin_data(content("_hparams_/session_start_info"))
    assert start.start_time_secs == info.started
    assert start.group_name == "r1"
    assert start.hparams["lr"].number_value == 3e-4
    assert start.hparams["gae"].bool_value is True
    assert start.hparams["env"].string_value == "Hopper"
    assert start.hparams["net.size"].number_value == 64
    assert start.hparams["bad"].string_value == "nan"
    end = metadata.parse_session_end_info_plugin_data(content("_hparams_/session_end_info"))
    assert end.status == 2
    assert abs(end.end_time_secs - time.time()) < 60


def test_the_rust_server_reads_it_all(info, make_block, rust_reader):
    info.config = {"lr": 3e-4, "env": "Hopper"}
    names = [*ODD_TAGS, *(f"wide/{i}" for i in range(3000))]
    block = make_block(names, [0, 1, 127, 128, 70_000, 2**40])
    counts, edges = np.histogram(np.random.default_rng(0).normal(size=100), bins=10)
    events = [
        Histogram("actions", 7, 1.0, edges, counts.astype(float)),
        Text("note", 3, 2.0, "**hi**"),
    ]
    record(info, [block], events)

    with rust_reader(info.folder) as provider:
        scalars = read_all(provider, "scalars")
        histograms = read_all(provider, "histograms")
        texts = read_all(provider, "text")
        hparams = read_all(provider, "hparams")

    assert len(scalars) == len(names)
    for i in (*range(len(ODD_TAGS)), 100, len(names) - 1):
        points = scalars[names[i].encode("utf-8", "replace").decode()]
        assert [p.step for p in points] == block.steps.tolist()
        assert [p.wall_time for p in points] == block.times.tolist()
        assert [p.value for p in points] == as_float32(block.values[:, i]).tolist()
    buckets = histograms["actions"][0].numpy
    np.testing.assert_array_equal(buckets[:, 2], counts)
    np.testing.assert_allclose(buckets[:, 0], edges[:-1])
    np.testing.assert_allclose(buckets[:, 1], edges[1:])
    assert texts["note"][0].numpy.item() == b"**hi**"
    assert set(hparams) == {"_hparams_/session_start_info", "_hparams_/session_end_info"}


def test_the_rust_server_reads_negative_steps_and_extreme_values(info, make_block, rust_reader):
    block = make_block(["a"], [-(2**63), -300, -1, 0, 2**63 - 1], [nan, inf, -inf, 1e300, 0.1])
    record(info, [block])

    with rust_reader(info.folder) as provider:
        points = read_all(provider, "scalars")["a"]

    assert [p.step for p in points] == block.steps.tolist()
    np.testing.assert_array_equal([p.value for p in points], as_float32(block.values[:, 0]))


def test_a_name_in_rows_of_several_shapes_stays_in_order(info, make_block, accumulate, rust_reader):
    steps = np.arange(1, 101)
    tenth = steps % 10 == 0
    often = make_block(["loss"], steps[~tenth], steps[~tenth], times=steps[~tenth])
    seldom = make_block(
        ["eval", "loss"],
        steps[tenth],
        np.stack([-steps[tenth], steps[tenth]], 1),
        times=steps[tenth],
    )

    folder = record(info, [often, seldom])

    assert [p.step for p in accumulate(folder).Scalars("loss")] == steps.tolist()
    with rust_reader(info.folder) as provider:
        scalars = read_all(provider, "scalars")
    assert [p.step for p in scalars["loss"]] == steps.tolist()
    assert [p.value for p in scalars["loss"]] == steps.tolist()
    assert [p.value for p in scalars["eval"]] == (-steps[tenth]).tolist()


def test_the_hparams_page_lists_the_settings_of_all_runs(tmp_path, make_block, rust_reader):
    backend = pytest.importorskip("tensorboard.plugins.hparams.backend_context")
    base_plugin = pytest.importorskip("tensorboard.plugins.base_plugin")
    context = pytest.importorskip("tensorboard.context").RequestContext()
    for name, config in (("one", {"lr": 0.1}), ("two", {"lr": 0.2, "extra": "x"})):
        run = RunInfo(id=name, name=name, project="p", folder=tmp_path / "runs" / name)
        run.config = config
        record(run, [make_block(["outcome/return_mean"], range(3))])

    with rust_reader(tmp_path / "runs") as provider:
        page = backend.Context(base_plugin.TBContext(data_provider=provider))
        metadata = page.hparams_metadata(context, "e")
        experiment = page.experiment_from_metadata(context, "e", True, metadata, [])

    assert {h.name for h in experiment.hparam_infos} == {"lr", "extra"}
    assert [m.name.tag for m in experiment.metric_infos] == ["outcome/return_mean"]


def test_a_write_that_fails_half_way_is_undone(info, make_block, accumulate, monkeypatch):
    sink = TensorBoardSink()
    sink.open(info)
    sink.write([make_block(["a"], range(10))], [])
    real = os.write
    calls = iter([True, False])

    def full_disk(fd, content):
        if next(calls):
            return real(fd, content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full_disk)
    with pytest.raises(OSError, match="No space"):
        sink.write([make_block(["a"], range(10, 20))], [])
    monkeypatch.undo()
    sink.write([make_block(["a"], range(20, 30))], [])
    sink.close("finished")

    steps = [p.step for p in accumulate(info.folder / "tensorboard").Scalars("a")]
    assert steps == [*range(10), *range(20, 30)]


def test_export_writes_ranks_apart(info, make_block, tmp_path, accumulate):
    info.config = {"lr": 0.1}
    blocks = (make_block(["a"], range(5), rank=rank) for rank in (0, 1, 0))

    files = export_tensorboard(blocks, [Text("t", 0, 1.0, "x")], tmp_path / "out", info)

    assert len(files) == 2
    assert len(accumulate(tmp_path / "out").Scalars("a")) == 10
    assert len(accumulate(tmp_path / "out" / "rank1").Scalars("a")) == 5


def test_nothing_to_write_is_fine(info, make_block):
    sink = TensorBoardSink()
    sink.write([make_block(["a"], [1])], [])  # before open
    sink.open(info)
    sink.write([], [])
    sink.write([make_block([], [1, 2]), make_block(["a"], [])], [])
    sink.close("finished")
    sink.close("finished")


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_is_logged_comes_back(data, tmp_path_factory, accumulate):
    names = data.draw(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True))
    n = data.draw(st.integers(1, 6))
    steps = data.draw(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=n, max_size=n))
    values = data.draw(
        st.lists(
            st.lists(st.floats(), min_size=len(names), max_size=len(names)), min_size=n, max_size=n
        )
    )
    times = data.draw(st.lists(st.floats(0, 4e9), min_size=n, max_size=n))
    block = RowBlock(tuple(names), np.array(steps), np.array(times), np.array(values))
    info = RunInfo(id="r", name="r", project="p", folder=tmp_path_factory.mktemp("run"))

    folder = record(info, [block])

    assert_same_scalars(accumulate(folder), block)


def read_all(provider, plugin):
    """Tag to points, of the only run."""
    context = pytest.importorskip("tensorboard.context").RequestContext()
    kind = "scalars" if plugin == "scalars" else "tensors"
    [tags] = getattr(provider, f"list_{kind}")(
        context, experiment_id="e", plugin_name=plugin
    ).values()
    read = getattr(provider, f"read_{kind}")
    [series] = read(context, experiment_id="e", plugin_name=plugin, downsample=10**6).values()
    assert set(series) == set(tags)
    return series
