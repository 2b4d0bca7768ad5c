"""What users and their programs do to a run without meaning harm."""

from __future__ import annotations

import shutil
import sys
import threading

import numpy as np
import pytest

import runvitals as rv
from runvitals import api
from runvitals.model import ConfigError, RunvitalsWarning
from runvitals.recorder import events
from runvitals.recorder.buffer import RowBuffer
from runvitals.recorder.chores import SystemSampler
from runvitals.recorder.config import flat_config, json_safe
from runvitals.recorder.events import EventBuffer, samples_of
from runvitals.store.reader import open_folder


def finished(run):
    run.finish()
    return open_folder(run.folder)


@pytest.fixture
def eager_threads():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count, work):
    threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# nothing raises


@pytest.mark.filterwarnings("always")
def test_nothing_raises_when_standard_error_is_closed(start, monkeypatch, tmp_path):
    run = start()
    with open(tmp_path / "closed", "w") as closed:
        pass
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", closed)
        run.log({"x": "text"})
        run.log(None)
        run.finish()
        run.log({"x": 1.0})
        rv.log({"x": 1.0})

    assert len(run.problems) == 3


def test_an_error_that_cannot_say_what_it_is_is_contained(start):
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError

    class Values(dict):
        def values(self):
            raise MuteError

    run = start()
    with pytest.warns(RunvitalsWarning, match="MuteError"):
        run.log(Values(x=1.0))


def test_a_breakdown_without_parts_is_warned_about(start):
    with pytest.warns(RunvitalsWarning, match="breakdown of reward"):
        start().log_reward_breakdown(1.0, None)


def test_tokens_that_are_not_a_number_cost_only_the_time_per_token(start):
    run = start()
    with pytest.warns(RunvitalsWarning, match="must be a number"), run.timer("gen", tokens="many"):
        pass
    run.log({"x": 1.0})

    assert finished(run).names() == ["x", "timing_s/gen"]


def test_log_before_init_is_said_once(capfd):
    api._tell_once.cache_clear()
    for _ in range(3):
        rv.log({"x": 1.0})

    assert capfd.readouterr().err.count("before init") == 1


def test_a_step_that_is_no_number_is_named_as_the_reason(start):
    with pytest.warns(RunvitalsWarning, match="its step is a str"):
        start().log({"x": 1.0}, step="seven")


# threads


@pytest.mark.usefixtures("eager_threads")
def test_threads_that_bring_new_names_at_once_keep_them_apart():
    buffer = RowBuffer(lambda cause, text: None)
    in_threads(4, lambda k: [buffer.add({f"{k}/{i}": float(k)}, i, 0.0) for i in range(3000)])

    wrong = [
        block.names
        for block in buffer.drain()
        if not (block.values == float(block.names[0].partition("/")[0])).all()
    ]

    assert wrong == []


@pytest.mark.usefixtures("eager_threads")
def test_counts_from_several_threads_add_up(start):
    run = start()
    in_threads(4, lambda _: [run.count(tokens=1) for _ in range(20_000)])
    run.log({"x": 1.0})

    assert finished(run)["progress/tokens"].last == 80_000


# size


def test_after_one_very_wide_row_narrow_rows_are_not_dropped():
    buffer = RowBuffer(lambda cause, text: None)
    buffer.add({f"n{i}": 1.0 for i in range(90_000)}, 0, 0.0)

    assert buffer.limit > 5000
    assert sum(block.values.size for block in buffer.drain()) == 90_000


def test_every_one_of_many_samples_is_kept(start):
    run = start()
    run.log_samples([{"completion": str(i)} for i in range(5000)])

    samples = finished(run).samples()

    assert [sample.fields["completion"] for sample in samples] == [str(i) for i in range(5000)]


def test_waiting_histograms_are_bounded_in_bytes(monkeypatch):
    said = []
    buffer = EventBuffer(lambda cause, text: said.append(text))
    monkeypatch.setattr(events, "BUDGET_BYTES", 10_000)
    for step in range(20):
        buffer.add(
            events.LazyHistogram.snapshot("h", step, 0.0, np.arange(500.0), 4)  # 4,000 bytes each
        )

    buffer.resolve_later()
    kept = [histogram.step for histogram in buffer.drain()]

    assert kept == [18, 19]
    assert said
    assert buffer.drain() == []


def test_a_single_histogram_beyond_the_budget_is_kept(monkeypatch):
    buffer = EventBuffer(lambda cause, text: None)
    monkeypatch.setattr(events, "BUDGET_BYTES", 10)

    assert buffer.add(events.LazyHistogram.snapshot("h", 0, 0.0, np.arange(500.0), 4))
    buffer.resolve_later()
    assert len(buffer.drain()) == 1


def test_a_long_completion_is_kept_whole():
    [sample] = samples_of({"completion": "x" * 200_000}, 0, 0.0)

    assert len(sample.fields["completion"]) == 200_000


# structures


def test_a_structure_that_holds_itself_many_times_is_cut():
    inside = []
    inside.extend([inside] * 10)
    config = {"lr": 0.1}
    config.update(a=config, b=config, c=inside)

    assert json_safe(inside) == ["..."] * 10
    assert flat_config(config) == {"lr": 0.1, "a": "...", "b": "...", "c": ["..."] * 10}


def test_a_structure_that_doubles_at_each_level_is_cut():
    bomb = [1.0]
    for _ in range(18):
        bomb = [bomb, bomb]

    assert len(str(json_safe(bomb))) < 200_000


def test_an_object_whose_repr_fails_is_named_by_its_kind():
    class Mute:
        def __repr__(self):
            raise RuntimeError

    assert json_safe([Mute()]) == ["<Mute>"]


def test_arrays_are_kept_as_lists():
    records = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])

    assert json_safe({"x": np.arange(3), "r": records}) == {"x": [0, 1, 2], "r": [[1, 2.5]]}


def test_columns_of_samples_may_be_arrays():
    samples = samples_of({"prompt": ["a", "b"], "reward": np.array([1.0, 0.5])}, 0, 0.0)

    assert [s.fields for s in samples] == [
        {"prompt": "a", "reward": 1.0},
        {"prompt": "b", "reward": 0.5},
    ]


def test_text_that_utf8_cannot_hold_is_mended_everywhere(start, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["train.py", "\udcff"])
    run = start(config={"\ud800": "\ud800"}, notes="\ud800", tags=["\ud800"])
    run.log_text("\ud800", "half \ud800")
    run.log_samples({"\ud800": "\ud800"})
    run.log_histogram("\ud800", [1.0])
    run.progress(**{"\ud800": 1})

    view = finished(run)

    assert run.problems == []
    assert (view.status, view.config, view.notes) == ("finished", {"?": "?"}, "?")
    assert view.provenance["argv"] == ["train.py", "?"]
    assert view.progress == {"?": 1}
    assert [text.text for text in view.texts("?")] == ["half ?"]
    assert [sample.fields for sample in view.samples()] == [{"?": "?"}]
    assert len(view.histograms("?")) == 1


def test_a_histogram_whose_squares_overflow_comes_back(start):
    run = start()
    run.log_histogram("h", [1e200, 2e200])

    [histogram] = finished(run).histograms("h")

    assert histogram.counts.sum() == 2
    assert histogram.total_of_squares == np.inf


# folders


def test_the_program_may_change_its_directory(start, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = start(dir="runs", id="r")
    run.log({"x": 1.0})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run.log_text("note", "text")
    run.finish()

    view = open_folder(tmp_path / "runs" / "test" / "r")

    assert (view.status, view["x"].values.tolist(), len(view.texts())) == ("finished", [1.0], 1)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert run.problems == []


def test_a_directory_that_is_gone_costs_only_what_it_would_have_said(start, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    provenance = finished(start()).provenance

    assert provenance["directory"] is None
    assert provenance["argv"]


def test_a_run_folder_that_is_removed_is_said_and_ends_nothing(start):
    run = start()
    run.log({"x": 1.0})
    run.flush()
    shutil.rmtree(run.folder)
    with pytest.warns(RunvitalsWarning, match="folder was removed"):
        run.log({"x": 2.0})
        run.flush()
        run.finish()

    assert run.status == "finished"


def test_a_system_reading_that_fails_does_not_cost_the_last_rows(start, monkeypatch, until):
    monkeypatch.setattr(SystemSampler, "sample", lambda self: 1 / 0)
    run = start(system=0.01)
    run.log({"x": 1.0})
    until(lambda: run.problems)

    view = finished(run)

    assert "system metrics" in run.problems[0]
    assert view["x"].values.tolist() == [1.0]


def test_progress_that_a_full_disk_refused_is_written_later(start, monkeypatch):
    from runvitals.recorder import upkeep

    run = start()
    written = upkeep.write_redacted
    refused = []

    def refuse_once(path, content, **options):
        if not refused:
            refused.append(path)
            raise OSError(28, "No space left on device")
        written(path, content, **options)

    run.flush()
    monkeypatch.setattr(upkeep, "write_redacted", refuse_once)
    run.progress(completed_chunks=3)
    with pytest.warns(RunvitalsWarning, match="No space left"):
        for _ in range(2):
            run.flush()

    assert open_folder(run.folder).progress == {"completed_chunks": 3}


# names


@pytest.mark.parametrize("rank", [-1, 1.5, "0"])
def test_a_rank_that_is_none_is_refused(start, rank):
    with pytest.raises(ConfigError, match="rank must be"):
        start(rank=rank)


def test_any_name_makes_a_folder(start):
    for name in ("𝔘" * 200, 5, "-" * 300 + "x"):
        run = start(name=name, project="项" * 100)
        assert open_folder(run.folder).name == str(name)


def test_a_single_tag_is_not_taken_for_its_letters(start):
    assert finished(start(tags="baseline")).tags == ("baseline",)


def test_names_are_bounded_in_bytes(start):
    run = start()
    for i in range(80):
        run.log({f"{i}" + "x" * 2**20: 1.0}, step=i)
    run.log({"x": 1.0}, step=80)
    view = finished(run)

    assert 50 < len(view) < 66
    assert "x" in view
    assert any("MiB" in problem for problem in run.problems)
    assert run.dropped == 81 - len(view)


# resume


def kill(run):
    """What kill -9 leaves behind: points on disk, an old run.json, no lock."""
    run.flush()
    copy = run.folder.with_name("copy")
    shutil.copytree(run.folder, copy)
    for lock in (copy / "points").glob("*.lock"):
        lock.unlink()
    run.finish()
    return copy


@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_run_without_steps_of_its_own_goes_on_where_it_stopped(start, rank):
    run = start(id="original", rank=rank)
    run.flush()
    for _ in range(10):
        run.log({"x": 1.0})
    copy = kill(run)

    again = start(id=copy.name, resume=True, rank=rank)
    again.log({"x": 2.0})

    view = finished(again)
    assert view["x"].steps.tolist() == list(range(11))


def test_a_sink_that_does_not_open_leaves_nothing_open(start, tmp_path):
    class Opened:
        closed = None

        def open(self, info): ...
        def write(self, blocks, events): ...
        def close(self, status):
            self.closed = status

    class Broken(Opened):
        def open(self, info):
            raise RuntimeError("cannot open")

    first = Opened()
    with pytest.raises(RuntimeError, match="cannot open"):
        start(id="r", sinks=[first, Broken()])

    assert first.closed == "crashed"
    assert open_folder(tmp_path / "test" / "r").status == "crashed"
