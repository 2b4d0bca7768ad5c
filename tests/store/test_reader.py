from __future__ import annotations

import json

import numpy as np
import orjson
import pytest

import runvitals as rv
from runvitals.model import Loss, ReadError
from runvitals.store.merged import merge_tables
from runvitals.store.reader import open_folder


def log_range(run, first, last, **extra):
    for step in range(first, last):
        run.log({"loss": float(step), **extra}, step=step)


def test_a_finished_run_reads_back_exactly(start):
    run = start(config={"lr": 0.1}, tags=["a", "b"], notes="note", name="first")
    log_range(run, 0, 100)
    run.finish()

    view = open_folder(run.folder)

    assert view["loss"].steps.tolist() == list(range(100))
    assert view["loss"].values.tolist() == [float(i) for i in range(100)]
    assert np.all(np.diff(view["loss"].times) >= 0)
    assert (view.status, view.config, view.tags, view.notes, view.name) == (
        "finished", {"lr": 0.1}, ("a", "b"), "note", "first",
    )  # fmt: skip
    assert view.warnings == []


def test_a_live_run_can_be_read_and_read_on_cheaply(start, monkeypatch):
    run = start()
    log_range(run, 0, 50)
    run.flush()
    view = open_folder(run.folder)
    assert (view.status, len(view["loss"])) == ("running", 50)

    log_range(run, 50, 60)
    run.flush()
    from runvitals.store.stream import StreamDecoder

    read: list[int] = []
    feed = StreamDecoder.feed

    def counted(self, data, *, final):
        read.append(len(data))
        return feed(self, data, final=final)

    monkeypatch.setattr(StreamDecoder, "feed", counted)
    new = view.refresh()

    assert new == 10
    assert len(view["loss"]) == 60
    assert sum(read) < (run.folder / "points" / "rank0.arrows").stat().st_size / 2
    assert view.refresh() == 0


def test_a_reader_follows_through_compaction(start):
    run = start()
    log_range(run, 0, 50)
    run.flush()
    view = open_folder(run.folder)
    log_range(run, 50, 70)
    run.finish()

    view.refresh()

    assert view.status == "finished"
    assert view["loss"].steps.tolist() == list(range(70))


def test_resume_continues_and_replaces_the_abandoned_tail(start):
    first = start(id="r", config={"lr": 1, "gamma": 0.9})
    log_range(first, 0, 30, only_first=1.0)
    first.finish("crashed")
    second = start(id="r", resume=True, config={"lr": 2})
    assert second.resumed
    for step in range(20, 40):
        second.log({"loss": -float(step)}, step=step)
    second.finish()

    view = open_folder(second.folder)

    assert view["loss"].steps.tolist() == list(range(40))
    assert view["loss"].values.tolist() == [*range(20), *(-float(s) for s in range(20, 40))]
    assert view.abandoned("loss").steps.tolist() == list(range(20, 30))
    assert view.config == {"lr": 2, "gamma": 0.9}
    assert len(view["only_first"]) == 30


def test_repeated_and_backward_steps_are_kept(start):
    run = start()
    for step in (5, 5, 3, 4, 5, -2):
        run.log({"x": float(step)}, step=step)
    run.finish()

    series = open_folder(run.folder)["x"]

    assert series.steps.tolist() == [-2, 3, 4, 5, 5, 5]
    assert series.values.tolist() == [-2.0, 3.0, 4.0, 5.0, 5.0, 5.0]


def test_ranks_are_merged_and_labelled_where_they_differ(start):
    runs = [start(id="job", rank=r, resume=True) for r in range(3)]
    for rank, run in enumerate(runs):
        for step in range(5):
            run.log({"same": float(step), "differs": float(step + rank)}, step=step)
    for run in runs:
        run.finish()

    view = open_folder(runs[0].folder)

    assert [s.labels for s in view.select("same")] == [{}]
    assert [s.labels["rank"] for s in view.select("differs")] == ["0", "1", "2"]
    assert view["differs"].values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_run_whose_process_died_reads_as_crashed(start, script):
    done = script(
        """
        import os, runvitals as rv
        run = rv.init("test", id="dead", dir=".", console=False, tensorboard=False, system=False)
        for i in range(10):
            run.log({"x": i})
        run.flush()
        os._exit(9)
        """
    )
    assert done.returncode == 9, done.stderr
    folder = next(start(id="other").folder.parent.glob("dead"))

    view = open_folder(folder)

    assert view.status == "crashed"
    assert len(view["x"]) == 10


def test_a_lost_or_broken_run_file_costs_only_the_identity(start):
    run = start()
    log_range(run, 0, 5)
    run.finish()
    (run.folder / "run.json").write_text('{"id": "x", ')

    view = open_folder(run.folder)

    assert len(view["loss"]) == 5
    assert "run.json" in view.warnings[0]
    (run.folder / "run.json").unlink()
    assert len(open_folder(run.folder)["loss"]) == 5


def test_a_broken_table_is_a_warning(start):
    run = start()
    log_range(run, 0, 5)
    run.finish()
    (run.folder / "points" / "rank0.parquet").write_bytes(b"PAR1" + b"x" * 50)

    view = open_folder(run.folder)

    assert len(view) == 0
    assert "rank0.parquet is damaged" in view.warnings[0]


def test_a_folder_without_a_run_says_so(tmp_path):
    with pytest.raises(ReadError, match=r"no run\.json and no points"):
        open_folder(tmp_path)


def test_tables_for_pandas_polars_and_arrow(start):
    run = start()
    for step in range(4):
        run.log({"a": step, "b": -step}, step=step)
    run.finish()
    view = open_folder(run.folder)

    assert view.to_arrow().num_rows == 8
    assert view.to_arrow(["a"]).column("value").to_pylist() == [0.0, 1.0, 2.0, 3.0]
    assert view.to_pandas(wide=True)["b"].tolist() == [0.0, -1.0, -2.0, -3.0]
    assert view.to_polars().filter(name="a").height == 4


def test_run_json_is_plain_and_complete(start):
    run = start(config={"seed": 7})
    run.log({"x": float("nan")})
    run.log({"x": 2.0})
    run.summary["best"] = 3
    run.finish()

    content = json.loads((run.folder / "run.json").read_text())

    assert content["status"] == "finished"
    assert content["summary"]["x"] == {"last": 2.0, "min": 2.0, "max": 2.0, "step": 1, "count": 2}
    assert content["summary"]["best"] == 3
    assert content["provenance"]["seeds"]["seed"] == 7
    assert content["provenance"]["packages"]["numpy"] == np.__version__
    assert isinstance(rv.__version__, str)


def test_a_run_that_is_compacted_while_it_is_opened_is_read_all_the_same(start, monkeypatch):
    import runvitals.store.reader as reader

    run = start()
    log_range(run, 0, 50)
    run.flush()
    original = reader.decoded

    def finish_first(path, decoder, **options):
        run.finish()
        return original(path, decoder, **options)

    monkeypatch.setattr(reader, "decoded", finish_first)

    assert len(open_folder(run.folder)["loss"]) == 50


def finished(folder, *, compact):
    import runvitals as rv

    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    run = rv.init("p", dir=folder, compact=compact, **quiet)
    for step in range(300):
        run.log({"x": float(step), "y": 1.0}, step=step)
        if step % 100 == 99:
            run.flush()
    run.finish()
    return run.folder


def test_a_finished_run_whose_points_are_gone_is_said_to_lack_them(tmp_path):
    folder = finished(tmp_path, compact=True)
    assert not open_folder(folder).missing
    for file in (folder / "points").glob("*"):
        file.unlink()

    [gap] = open_folder(folder).missing

    assert "600 of 600 points" in gap


def test_a_stream_cut_between_two_records_is_said_to_be_cut(tmp_path):
    folder = finished(tmp_path, compact=False)
    assert not open_folder(folder).missing
    [stream] = (folder / "points").glob("*.arrows")
    whole = stream.read_bytes()
    lengths = []
    for size in range(len(whole) - 8, 0, -8):
        stream.write_bytes(whole[:size])
        read = open_folder(folder)
        if not any("unfinished" in warning for warning in read.warnings):
            lengths.append(size)
            assert read.missing, size
            break

    assert lengths  # there is such a place


def test_a_loss_whose_record_cannot_be_read_is_told(start):
    run = start()
    run.log({"loss": 1.0}, step=0)
    run.finish()
    run_file = run.folder / "run.json"
    content = orjson.loads(run_file.read_bytes())
    run_file.write_bytes(orjson.dumps({**content, "lost": [{"rows": "many"}]}))

    view = open_folder(run.folder)

    assert view.missing == ["recorder: rows were lost; how many cannot be read"]


def test_one_rank_can_be_read_alone(start):
    runs = [start(id="job", rank=r, resume=True) for r in range(3)]
    for rank, run in enumerate(runs):
        run.log({"x": float(rank)}, step=0)
    for run in runs:
        run.finish()
    merge_tables(runs[0].folder)

    alone = open_folder(runs[0].folder, rank=1)

    assert (alone.points.ranks("x"), alone["x"].values.tolist()) == ([1], [1.0])


@pytest.mark.parametrize(("where", "has"), [("store", False), ("CsvSink", True)])
def test_the_store_is_said_to_have_what_others_lack_only_if_it_lost_nothing(start, where, has):
    run = start()
    run.log({"loss": 1.0}, step=0)
    run.finish()
    run_file = run.folder / "run.json"
    lost = [Loss(place, "disk full", 5, 5, 1, 5).as_dict() for place in (where, "TensorBoardSink")]
    content = orjson.loads(run_file.read_bytes())
    run_file.write_bytes(orjson.dumps({**content, "lost": lost}))

    view = open_folder(run.folder)

    [told] = [warning for warning in view.warnings if "TensorBoardSink lacks" in warning]
    assert told.endswith("; the store has them") is has
