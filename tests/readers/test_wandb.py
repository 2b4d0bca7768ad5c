"""W&B run files against what W&B's own classes said of them (`data/trackers/expected.json`)."""

import contextlib
import gzip
import json
import math
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runvitals.model import Histogram, ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.raw.yaml_values import MAX_NODES, parse_simple_yaml
from runvitals.readers.registry import reader_for
from runvitals.readers.trackers import wandb_file, wandb_summary
from runvitals.readers.trackers._leveldb_log import BLOCK, RecordScan

DATA = Path(__file__).parent / "data" / "trackers"
EXPECTED = json.loads((DATA / "expected.json").read_text())["wandb"]
OWN = {"_step", "_timestamp"}


def read(path):
    [log] = wandb_file.read(path)
    return log


@pytest.fixture
def killed(tmp_path):
    path = tmp_path / "run-killed.wandb"
    path.write_bytes(gzip.decompress((DATA / "killed.wandb.gz").read_bytes()))
    return path


# Writing run files ------------------------------------------------------------------------------


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def history(values, key=2):
    items = b"".join(
        field(1, b"".join(field(key, part.encode()) for part in name.split("|")) + field(16, raw))
        for name, raw in values.items()
    )
    return field(2, items)


def metric(name, step_metric, *, pattern=False):
    return field(12, field(2 if pattern else 1, name.encode()) + field(4, step_metric.encode()))


def run_file(records):
    out = b":W&B\xe1\xbe\x00"
    for record in records:
        rest = record
        kind = None
        while kind not in (1, 4):
            room = BLOCK - len(out) % BLOCK
            if room < 7:
                out += bytes(room)
                room = BLOCK
            piece, rest = rest[: room - 7], rest[room - 7 :]
            kind = (4 if kind else 1) if not rest else (3 if kind else 2)
            checksum = zlib.crc32(bytes([kind]) + piece)
            out += struct.pack("<IHB", checksum, len(piece), kind) + piece
    return out


def rows(count, first=0):
    return [
        history(
            {"_step": b"%d" % i, "_timestamp": b"%d.5" % (1_700_000_000 + i), "loss": b"%d" % i}
        )
        for i in range(first, first + count)
    ]


# Values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", ["done", "axis"])
def test_every_value_is_the_one_wandb_wrote(run):
    log = read(DATA / f"{run}.wandb")

    expected = {}
    for row in EXPECTED[run]["rows"]:
        for name, value in row.items():
            if name not in OWN:
                expected.setdefault(name, []).append((float(row["_timestamp"]), float(value)))
    mine = {n for n in log.points.names() if not n.startswith("system/")} - {"_step"}
    assert mine == set(expected)
    for name, points in expected.items():
        _, times, values = log.points.column(name)
        np.testing.assert_array_equal(np.column_stack([times, values]), np.array(points))


def test_rows_stand_at_their_step_and_infinities_are_kept():
    log = read(DATA / "done.wandb")

    steps, _, values = log.points.column("reward")
    assert steps.tolist() == [3 * i for i in range(60)]
    assert math.isnan(values[0])
    assert values[1:3].tolist() == [math.inf, -math.inf]
    assert "text" not in log.points.names()
    assert "digits" not in log.points.names()
    assert "kl/policy" in log.points.names()


def test_tells_name_config_status_and_times():
    log = read(DATA / "done.wandb")

    assert log.name == "brave lamp 7"
    assert log.status == "finished"
    assert log.started == EXPECTED["done"]["start"]
    assert log.ended is not None
    assert log.config == {
        "learning_rate": 0.0003,
        "algo": "ppo",
        "net": {"width": 64, "layers": [32, 32]},
        "use_kl": True,
        "note": None,
        "seed": 7,
    }
    assert log.warnings == []


def test_a_failed_run_is_crashed():
    assert read(DATA / "failed.wandb").status == "crashed"


def test_declared_axes_are_used():
    log = read(DATA / "axis.wandb")

    assert log.points.column("loss")[0][:3].tolist() == [10, 20, 30]
    assert log.points.column("eval/score")[0].tolist() == [0, 1, 2]
    assert log.points.column("_step")[2].tolist() == list(range(60))


def test_histograms_are_events():
    found = list(read(DATA / "done.wandb").events())

    assert [(h.name, h.step) for h in found] == [("weights", 30 * i) for i in range(6)]
    assert all(isinstance(h, Histogram) and h.counts.sum() == 50 for h in found)
    assert found[1].edges.tolist() == np.histogram_bin_edges(np.linspace(-10, 10, 50), 8).tolist()


def test_statistics_without_history_are_kept_with_a_warning():
    log = read(DATA / "stats.wandb")

    assert log.points.count > 0
    assert all(name.startswith("system/") for name in log.points.names())
    assert len(log.points.column("system/memory_percent")[0]) == EXPECTED["stats"]["stats"]
    assert "no history rows: the run logged only system statistics" in log.warnings


def test_a_killed_run_gives_all_whole_records(killed):
    log = read(killed)

    steps, times, values = log.points.column("pad/metric_7")
    last = EXPECTED["killed"]["rows"][0]
    assert len(steps) == EXPECTED["killed"]["history"]
    assert (steps[-1], times[-1], values[-1]) == (
        float(last["_step"]),
        float(last["_timestamp"]),
        float(last["pad/metric_7"]),
    )
    assert log.status == "unknown"
    assert log.name == EXPECTED["killed"]["id"]
    assert "the last record is cut; everything before it was read" in log.warnings


def test_a_compressed_file_reads_alike(killed):
    path = DATA / "killed.wandb.gz"

    log = read(path)

    assert log.points.count == read(killed).points.count
    assert log.read_new is None
    assert reader_for(path) is wandb_file.READER


# Layouts ----------------------------------------------------------------------------------------


def test_old_files_keep_dicts_as_json_and_wrap_config(tmp_path):
    path = tmp_path / "run-old.wandb"
    config = field(1, field(1, b"lr") + field(16, b'{"desc": null, "value": 0.1}'))
    hidden = field(1, field(1, b"_wandb") + field(16, b'{"value": {"cli_version": "0.12"}}'))
    media = (
        b'{"_type": "histogram", "values": [1, 2], "packedBins": {"min": 0, "size": 2, "count": 2}}'
    )
    values = {
        "a": b'{"b": 2, "c": {"d": "NaN"}, "t": "x"}',
        "h": media,
        "i": b'{"_type": "image-file"}',
    }
    path.write_bytes(run_file([field(5, config + hidden), history(values, key=1)]))

    log = read(path)

    assert log.config == {"lr": 0.1}
    assert log.points.names() == ["a/b", "a/c/d"]
    assert log.points.column("a/b")[0].tolist() == [0]
    [histogram] = log.events()
    assert histogram.edges.tolist() == [0, 2, 4]


def test_nested_media_leave_no_series(tmp_path):
    path = tmp_path / "run-m.wandb"
    values = {"img|_type": b'"image-file"', "img|width": b"5", "image": b"1"}
    path.write_bytes(run_file([history(values)]))

    assert read(path).points.names() == ["image"]


def test_typed_values_are_read(tmp_path):
    path = tmp_path / "run-t.wandb"
    number = varint(6 << 3 | 1) + struct.pack("<d", 0.25)
    items = [field(4, 1), field(5, 5), number, field(8, b"7")]
    record = b"".join(
        field(1, field(2, name.encode()) + item) for name, item in zip("abcd", items, strict=True)
    )
    path.write_bytes(run_file([field(2, record)]))

    log = read(path)

    assert [log.points.column(n)[2][0] for n in "abcd"] == [1.0, -3.0, 0.25, 7.0]


def test_global_step_is_the_axis_only_when_it_never_falls(tmp_path):
    path = tmp_path / "run-g.wandb"
    for steps, axis in (([5, 10, 15], [5, 10, 15]), ([5, 10, 0], [0, 1, 2])):
        records = [
            history({"_step": b"%d" % i, "train/global_step": b"%d" % s, "loss": b"1"})
            for i, s in enumerate(steps)
        ]
        path.write_bytes(run_file(records))

        assert read(path).points.column("loss")[0].tolist() == axis


def test_an_axis_that_is_not_whole_is_not_used(tmp_path):
    path = tmp_path / "run-f.wandb"
    records = [metric("loss", "epoch")]
    records += [
        history({"epoch": b"%.1f" % (i / 2), "loss": b"1", "_step": b"%d" % i}) for i in range(4)
    ]
    path.write_bytes(run_file(records))

    assert read(path).points.column("loss")[0].tolist() == [0, 1, 2, 3]


def test_records_over_many_blocks_are_joined(tmp_path):
    path = tmp_path / "run-b.wandb"
    big = history({"_step": b"1", "note": b'"' + b"x" * 100_000 + b'"', "loss": b"4.5"})
    path.write_bytes(run_file([*rows(1), big, *rows(1, 2)]))

    assert read(path).points.column("loss")[2].tolist() == [0, 4.5, 2]


# Following --------------------------------------------------------------------------------------


def test_reads_on_from_the_last_whole_record(killed, tmp_path):
    whole = killed.read_bytes()
    path = tmp_path / "run-live.wandb"
    path.write_bytes(whole[:70_001])
    log = read(path)
    for size in (70_500, 70_500, 98_304, 140_000, len(whole)):
        path.write_bytes(whole[:size])
        log.add(log.read_new())

    once = read(killed)

    assert log.points.names() == once.points.names()
    for name in once.points.names():
        if not name.startswith("system/"):
            for mine, theirs in zip(log.points.column(name), once.points.column(name), strict=True):
                np.testing.assert_array_equal(mine, theirs)


def test_a_replaced_file_is_a_new_segment(tmp_path):
    path = tmp_path / "run-r.wandb"
    path.write_bytes(run_file(rows(50)))
    log = read(path)
    path.write_bytes(run_file(rows(3)))

    log.add(log.read_new())

    assert log.points.column("loss")[2].tolist() == [0, 1, 2]
    assert len(log.points.abandoned("loss")[0]) == 50


def test_a_file_that_is_gone_gives_nothing(tmp_path):
    path = tmp_path / "run-x.wandb"
    path.write_bytes(run_file(rows(2)))
    log = read(path)
    path.unlink()

    assert log.read_new() == []


# Beside the run file ----------------------------------------------------------------------------

CONFIG_YAML = """wandb_version: 1

_wandb:
  desc: null
  value:
    cli_version: 0.12.16
lr:
  desc: null
  value: 1e-4
layers:
  desc: null
  value:
  - 64
  - 32
"""


def test_config_and_metadata_beside_it_fill_the_gaps(tmp_path):
    files = tmp_path / "offline-run-1" / "files"
    files.mkdir(parents=True)
    (files / "config.yaml").write_text(CONFIG_YAML)
    (files / "wandb-metadata.json").write_text('{"startedAt": "2024-01-01T00:00:00.000000Z"}')
    (files / "wandb-summary.json").write_text('{"loss": 2, "_step": 2}')
    path = files.parent / "run-1.wandb"
    path.write_bytes(run_file(rows(3)))

    log = read(path)

    assert log.config == {"lr": 1e-4, "layers": [64, 32]}
    assert log.started == 1_704_067_200.0
    assert log.name == "1"
    summary = files / "wandb-summary.json"
    assert wandb_summary.sniff(summary, head(summary)) == 0


def test_a_summary_alone_gives_the_last_values(tmp_path):
    path = tmp_path / "wandb-summary.json"
    path.write_text(
        '{"a": {"b": 1.5}, "kl": "NaN", "t": "x", "_step": 9, "_timestamp": 5, "_wandb": {}}'
    )
    (tmp_path / "config.yaml").write_text(CONFIG_YAML)

    assert reader_for(path) is wandb_summary.READER
    [log] = wandb_summary.read(path)

    assert log.points.names() == ["a/b", "kl"]
    assert log.points.column("a/b")[0].tolist() == [9]
    assert log.config["lr"] == 1e-4


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"_runtime": 3}', "[" * 5000, ""])
def test_a_summary_without_metrics_is_an_error(text, tmp_path):
    path = tmp_path / "wandb-summary.json"
    path.write_text(text)

    with pytest.raises(ReadError):
        wandb_summary.read(path)


# Damage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"hello there", "not a W&B run file"),
        (b":W&B\xe1\xbe\x07", "version 7"),
        (b":W&B\xe1\xbe\x00", "no whole record"),
        (b":W&B\xe1\xbe\x00" + bytes(100_000), "no whole record"),
        (b":W&B\xe1\xbe\x00" + b"\xff" * 100_000, "every record is damaged"),
    ],
)
def test_what_is_no_run_file_is_a_precise_error(content, problem, tmp_path):
    path = tmp_path / "run-n.wandb"
    path.write_bytes(content)

    with pytest.raises(ReadError, match=problem):
        wandb_file.read(path)


def test_a_bad_checksum_costs_one_record(tmp_path):
    path = tmp_path / "run-c.wandb"
    data = bytearray(run_file(rows(3000)))
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)

    log = read(path)

    assert len(log.points.column("loss")[0]) == 2999
    assert "1 damaged records were passed over" in log.warnings


def test_a_lost_block_costs_no_more_than_its_records(tmp_path):
    path = tmp_path / "run-l.wandb"
    data = bytearray(run_file(rows(3000)))
    data[BLOCK : 2 * BLOCK] = random.Random(1).randbytes(BLOCK)
    path.write_bytes(data)

    log = read(path)

    values = log.points.column("loss")[2]
    assert 0.5 * 3000 < len(values) < 3000
    assert values[0] == 0
    assert values[-1] == 2999


def test_nonsense_inside_whole_records_is_passed_over(tmp_path):
    path = tmp_path / "run-p.wandb"
    deep = history({"a": b"[" * 100_000, "b": b'{"x":' * 3000 + b"1" + b"}" * 3000, "loss": b"1"})
    bad = [b"\x12\xff\xff\xff\xff\x0f", b"\xff" * 30, field(2, b"\x0a\x7f"), b"\x07"]
    path.write_bytes(run_file([*bad, deep, history({"_step": b"1e300", "loss": b"2"})]))

    log = read(path)

    assert log.points.names() == ["loss"]
    assert log.points.column("loss")[0].tolist() == [0, 1]
    assert "4 damaged records were passed over" in log.warnings


def test_endless_pieces_are_bounded(monkeypatch, tmp_path):
    monkeypatch.setattr("runvitals.readers.trackers._leveldb_log.MAX_RECORD", 100_000)
    path = tmp_path / "run-e.wandb"
    path.write_bytes(
        run_file([*rows(1), history({"x": b'"' + b"y" * 500_000 + b'"'}), *rows(1, 1)])
    )

    log = read(path)

    assert log.points.column("loss")[2].tolist() == [0, 1]
    assert "1 damaged records were passed over" in log.warnings


BASE = (DATA / "axis.wandb").read_bytes()


@settings(
    max_examples=600, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(st.tuples(st.integers(7, len(BASE) - 1), st.integers(0, 255)), max_size=20),
    size=st.integers(0, len(BASE)),
    mend=st.booleans(),
)
def test_changed_bytes_never_break_the_reader(changes, size, mend, tmp_path):
    data = bytearray(BASE)
    for place, byte in changes:
        data[place] = byte
    path = tmp_path / "run-fuzz.wandb"
    path.write_bytes(mended(bytes(data[:size])) if mend else data[:size])

    try:
        log = read(path)
    except ReadError:
        return
    for name in log.points.names():
        steps, times, values = log.points.column(name)
        assert len(steps) == len(times) == len(values) > 0
    list(log.events() if log.events else [])


def mended(data):
    """The same bytes with checksums that fit, so that damage reaches the records."""
    out = bytearray(data)
    place = 7
    while place + 7 <= len(out):
        _, length, kind = struct.unpack_from("<IHB", out, place)
        struct.pack_into(
            "<I",
            out,
            place,
            zlib.crc32(out[place + 7 : place + 7 + length], zlib.crc32(bytes([kind]))),
        )
        place += 7 + length
    return bytes(out)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_in_a_record_are_survived(content):
    source = wandb_file._Source(Path("run-any.wandb"))
    try:
        source._take(content)
        source._take(field(2, field(1, content)))
    except (ValueError, IndexError):
        return


def test_scan_offset_is_the_end_of_whole_records(tmp_path):
    data = run_file(rows(2))
    path = tmp_path / "log"
    path.write_bytes(data + b"\x01\x02\x03")
    scan = RecordScan(7)
    with open(path, "rb") as file:
        assert len(list(scan.records(file))) == 2

    assert scan.offset == len(data)
    assert scan.torn


# YAML -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: two # note\n", {"a": 1, "b": "two"}),
        ("---\na:\n  b:\n    - 1\n    - x: 2\n      y: 3\n", {"a": {"b": [1, {"x": 2, "y": 3}]}}),
        ("a: [1, 'b, c', {d: e}]\n", {"a": [1, "b, c", {"d": "e"}]}),
        ("a: |\n  x\n  y\nb: 2", {"a": "x\ny\n", "b": 2}),
        ("a: &k {x: 1}\nb: *k", {"a": {"x": 1}, "b": {"x": 1}}),
        ("a: !!python/object/apply:os.system ['ls']\nb: 1", {"a": ["ls"], "b": 1}),
        ("'a: b': \"c\\n\\u00e9\"", {"a: b": "c\n\u00e9"}),
        ("uri: file:///a/b:c\nname: ''\ntags: []", {"uri": "file:///a/b:c", "name": "", "tags": []}),
        ("behaviors:\n  3DBall:\n    trainer_type: ppo\n    hyperparameters:\n      beta: 1e-2",
         {"behaviors": {"3DBall": {"trainer_type": "ppo", "hyperparameters": {"beta": 0.01}}}}),
        ("a: ${b.c}\nlr: ${mul:2,3}", {"a": "${b.c}", "lr": "${mul:2,3}"}),
        ("? long\n: 3\nb: null", {"long": 3, "b": None}),
        ("- 1\n- 2", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_simple_yaml(text, value):
    assert parse_simple_yaml(text) == value


@pytest.mark.parametrize(
    "text", ["[" * 10_000, "a: " + "{a: " * 10_000, "- " * 5000, "a: [" + "1," * MAX_NODES]
)
def test_yaml_is_bounded(text):
    with pytest.raises(ValueError, match="too many or too deeply"):
        parse_simple_yaml(f"x:\n  {text}")


def test_yaml_aliases_do_not_explode():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]

    with pytest.raises(ValueError, match="too many"):
        parse_simple_yaml("\n".join(lines))


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:- \n[]{},'\"#&*!|>?\t\\x1.", max_size=80))
def test_any_text_is_survived_as_yaml(text):
    with contextlib.suppress(ValueError):
        assert isinstance(parse_simple_yaml(text), dict)


# Real files -------------------------------------------------------------------------------------
