"""Sacred's files as PyMARL and other experiments write them, made small here."""

import gzip
import json
import os

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import Gap, ReadError
from runvitals.readers.raw.source import head
from runvitals.readers.registry import reader_for
from runvitals.readers.trackers import sacred

TENSOR = {"py/reduce": [{"py/function": "torch._utils._rebuild_tensor_v2"}, {"py/tuple": [1]}]}
RUN = {
    "command": "my_main",
    "experiment": {"name": "pymarl", "sources": [["main.py", "_sources/main.py"]]},
    "heartbeat": "2024-01-01T03:00:00.500000",
    "host": {"hostname": "somewhere"},
    "result": None,
    "start_time": "2024-01-01T00:00:00.500000",
    "status": "COMPLETED",
    "stop_time": "2024-01-01T03:00:01.500000",
}
STARTED = 1_704_067_200.5
CONFIG = {
    "name": "qmix", "lr": 0.0005, "t_max": 50_000, "seed": 7, "test_nepisode": 20,
    "env_args": {"map_name": "3m"},
}  # fmt: skip


def numpy_number(value, kind="float64"):
    """A scalar of NumPy as jsonpickle writes it."""
    return {"dtype": kind, "py/object": f"numpy.{kind}", "value": value}


def info(points=40):
    """What PyMARL's logger leaves behind: lists of different lengths, each with its steps."""
    steps = [1000 * (n + 1) for n in range(points)]
    tests = steps[::4]
    rising = [20 * (1 - 0.9**n) for n in range(points)]
    return {
        "return_mean": [numpy_number(value) for value in rising],
        "return_mean_T": steps,
        "test_return_mean": [numpy_number(value + 1) for value in rising[::4]],
        "test_return_mean_T": tests,
        "ep_length_mean": [60.0] * points,
        "ep_length_mean_T": steps,
        "loss": [0.5] * (points - 1),
        "loss_T": steps[1:],
        "grad_norm": [TENSOR] * (points - 1),
        "grad_norm_T": steps[1:],
    }


def metrics(of):
    """The same as `log_scalar` logs it."""
    return {
        name: {
            "steps": of[f"{name}_T"],
            "timestamps": [f"2024-01-01T00:{n:02}:00.500000" for n in range(len(values))],
            "values": values,
        }
        for name, values in of.items()
        if not name.endswith("_T")
    }


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, sort_keys=True, indent=2))
    return path


@pytest.fixture
def folder(tmp_path):
    put(tmp_path / "1" / "info.json", info())
    put(tmp_path / "1" / "config.json", CONFIG)
    put(tmp_path / "1" / "run.json", RUN)
    return tmp_path / "1"


def read(path):
    assert reader_for(path) is sacred.READER
    [log] = sacred.read(path)
    return log


def test_each_series_has_its_own_steps(folder):
    points = read(folder / "info.json").points

    steps, times = points.clock("test_return_mean")
    assert steps.tolist() == list(range(1000, 40_001, 4000))
    assert np.isnan(times).all()
    assert points.values("test_return_mean")[0] == 1.0
    assert len(points.values("return_mean")) == 40
    assert points.clock("loss")[0][0] == 2000
    assert sorted(points.names()) == ["ep_length_mean", "loss", "return_mean", "test_return_mean"]


def test_pickled_tensors_are_left_out_and_named_once(folder):
    put(folder / "info.json", info() | {"agent_grad_norm": [TENSOR], "agent_grad_norm_T": [1]})
    put(folder / "metrics.json", metrics(json.loads((folder / "info.json").read_text())))

    run = rv.open_run(folder)

    assert run.warnings == [
        "2 series were left out, pickled instead of numbers: agent_grad_norm, grad_norm"
    ]
    assert "grad_norm" not in run.names()


def test_single_pickled_values_cost_only_themselves(tmp_path):
    path = put(tmp_path / "info.json", {"a": [1.0, TENSOR, 3.0], "a_T": [10, 20, 30]})

    log = read(path)

    assert log.points.clock("a")[0].tolist() == [10, 30]
    assert log.warnings == ["1 value was left out, pickled instead of numbers: a"]
    assert isinstance(log.warnings[0], Gap)


def test_the_run_is_told_by_the_files_beside_it(folder):
    run = rv.open_run(folder)

    assert (run.status, run.started, run.ended) == ("finished", STARTED, STARTED + 10_801)
    assert run.config["lr"] == 0.0005
    assert run.config["env_args.map_name"] == "3m"
    assert run.settings["total_steps"] == 50_000
    assert (run.framework, run.algorithm) == ("pymarl", "QMIX")


@pytest.mark.parametrize(
    ("status", "expected"),
    [("RUNNING", "running"), ("INTERRUPTED", "killed"), ("TIMEOUT", "killed"), ("ODD", "unknown")],
)
def test_how_it_ended(folder, status, expected):
    put(folder / "run.json", RUN | {"status": status})

    assert read(folder / "info.json").status == expected


def test_a_failed_run_says_what_ended_it(folder):
    trace = ["Traceback (most recent call last):\n", "RuntimeError: CUDA out of memory\n"]
    put(folder / "run.json", RUN | {"status": "FAILED", "fail_trace": trace})

    log = read(folder / "info.json")

    assert log.status == "crashed"
    assert log.ended_with == "RuntimeError: CUDA out of memory"


def test_both_files_of_a_run_are_one_run_with_times(folder):
    put(folder / "metrics.json", metrics(info()))

    [run] = rv.open_runs(folder)

    assert len(run["return_mean"]) == 40
    assert run["return_mean"].times[0] == STARTED


def test_metrics_alone_of_any_experiment(tmp_path):
    path = put(
        tmp_path / "5" / "metrics.json",
        {"training.loss": {"steps": [0, 1, 2], "timestamps": [], "values": [3.0, 2.0, 1.0]}}
        | {"training.acc": {"steps": [0, 2], "timestamps": ["2024-01-01T00:00:00.5"] * 2,
                            "values": [numpy_number(1, "int64"), 0.5]}},
    )  # fmt: skip

    log = read(path)

    assert log.points.values("training.acc").tolist() == [1.0, 0.5]
    assert log.points.clock("training.acc")[1].tolist() == [STARTED] * 2
    assert log.points.values("training.loss").tolist() == [3.0, 2.0, 1.0]
    assert np.isnan(log.points.clock("training.loss")[1]).all()


def test_lists_without_steps_are_counted(folder):
    path = put(
        folder / "info.json",
        {"loss": [3.0, 2.0, 1.5], "note": "x", "net": {"error": [1, 2]}, "best": 3.0},
    )

    log = read(path)

    assert log.points.clock("loss")[0].tolist() == [0, 1, 2]
    assert sorted(log.points.names()) == ["loss", "net/error"]
    assert log.warnings == ["logged without steps, points are counted from 0: loss, net/error"]


def test_a_file_of_tensors_first_is_known_by_the_rest(tmp_path):
    large = TENSOR | {"py/state": "x" * 4000}
    path = put(
        tmp_path / "info.json",
        {"agent_grad_norm": [large] * 40, "agent_grad_norm_T": list(range(40))} | info(),
    )

    assert b"_T" not in head(path)
    assert "return_mean" in read(path).points.names()


def test_only_pickled_objects_say_what_to_log(tmp_path):
    path = put(tmp_path / "info.json", {"a": [TENSOR], "a_T": [1]})

    with pytest.raises(ReadError, match="no series of numbers") as caught:
        sacred.read(path)

    assert "loss.item()" in str(caught.value.hint)


@pytest.mark.parametrize(
    "content",
    [
        {"name": "a dataset", "splits": ["train", "test"], "classes": 10},
        {"steps": [1, 2, 3], "values": [1, 2, 3]},
        {"mean_T": [300.0, 301.0], "pressure": [1.0, 2.0]},
        [1, 2, 3],
    ],
    ids=["dataset", "bare lists", "a temperature", "list"],
)
def test_other_files_of_that_name_are_not_sacreds(tmp_path, content):
    path = put(tmp_path / "info.json", content)

    assert sacred.sniff(path, head(path)) == 0


@pytest.mark.parametrize("back", [20, 0], ids=["in the values", "before the steps"])
def test_a_cut_file_gives_what_is_whole(folder, back):
    path = folder / "info.json"
    text = path.read_text()
    path.write_text(text[: text.index('"return_mean_T"') - back])

    log = read(path)

    assert sorted(log.points.names()) == ["ep_length_mean", "loss"]
    assert isinstance(log.warnings[0], Gap)


def test_a_file_cut_within_its_first_list_is_refused(folder):
    path = folder / "info.json"
    path.write_text(path.read_text()[:100])

    with pytest.raises(ReadError, match="not valid JSON"):
        sacred.read(path)


@pytest.mark.parametrize(
    ("values", "steps", "expected"),
    [
        ([1.0, 2.0, 3.0], [10, 20], [10, 20]),
        ([1.0, None, "x", 4.0], [10, 20, 30, 40], [10, 40]),
        ([1.0, 2.0, 3.0], [10, None, 1e300], [10]),
        ([1.0, 2.0], [numpy_number(10, "int64"), numpy_number(20, "int64")], [10, 20]),
    ],
    ids=["fewer steps", "no numbers", "odd steps", "steps of NumPy"],
)
def test_odd_lists(tmp_path, values, steps, expected):
    path = put(tmp_path / "info.json", {"a": values, "a_T": steps})

    assert sacred.read(path)[0].points.clock("a")[0].tolist() == expected


def test_nan_and_infinity_are_kept(tmp_path):
    path = put(tmp_path / "info.json", {"a": [1.0, float("nan"), float("inf")], "a_T": [1, 2, 3]})

    np.testing.assert_array_equal(read(path).points.values("a"), [1.0, np.nan, np.inf])


def test_a_compressed_file(folder):
    data = (folder / "info.json").read_bytes()
    (folder / "info.json").unlink()
    (folder / "info.json.gz").write_bytes(gzip.compress(data))

    assert rv.open_run(folder).config["lr"] == 0.0005


def test_a_growing_run_is_followed(folder):
    put(folder / "info.json", info(20))
    run = rv.open_run(folder)
    before = len(run["return_mean"])
    put(folder / "info.json", info(25))
    os.utime(folder / "info.json", (2e9, 2e9))

    added = run.refresh()

    assert (before, len(run["return_mean"])) == (20, 25)
    assert run["return_mean"].steps.tolist() == [1000 * (n + 1) for n in range(25)]
    assert added > 0


def test_a_half_written_file_adds_nothing_yet(folder):
    run = rv.open_run(folder)
    (folder / "info.json").write_text('{"return_mean": [1')

    assert run.refresh() == 0
    assert len(run["return_mean"]) == 40


def test_runs_side_by_side_are_told_apart(tmp_path):
    for number in (1, 2):
        put(tmp_path / "sacred" / str(number) / "info.json", info(20 + number))
        put(tmp_path / "sacred" / str(number) / "run.json", RUN)

    runs = rv.open_runs(tmp_path)

    assert sorted(run.name for run in runs) == ["sacred/1", "sacred/2"]


def test_copies_of_several_runs_in_one_folder_are_several_runs(tmp_path):
    put(tmp_path / "info_a.json", info(20))
    put(tmp_path / "info_b.json", {k: v[1:] for k, v in info(30).items()})

    assert len(rv.open_runs(tmp_path)) == 2


def test_a_run_that_learned_is_said_to(folder):
    diagnosis = rv.judge(folder)

    assert diagnosis.verdict.word in ("learned", "learning")
