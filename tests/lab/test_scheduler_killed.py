"""A scheduler that is really killed (kill -9), and goes on with the same numbers."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import runvitals as rv
from runvitals.lab.scheduler_session import SchedulerSession, run_session
from runvitals.lab.scheduler_settings import chosen_from
from runvitals.model import ConfigError, RunExistsError

TINY = {
    "seed": 4,
    "chunks": 3,
    "updates_per_chunk": 2,
    "num_clusters": 8,
    "rollout_steps": 16,
    "minibatches": 2,
    "eval_requests": 60,
    "final_requests": 60,
    "warm_start_rollouts": 1,
}
QUIET: dict[str, Any] = {"console": False, "judge": False, "system": False}
CLOCKS = ("System/", "timing_s/", "throughput/env", "throughput/updates")

# Each replaces something of the trainer, so that it kills its own process right there.
KILLER = """
import io, os, signal, sys
from pathlib import Path
import numpy as np
from runvitals.lab import scheduler, scheduler_output, scheduler_learner as learner
from runvitals.lab.scheduler_session import run_session
from runvitals.lab.scheduler_settings import chosen_from

die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
updates = 0

def half_a_checkpoint(file, **state):
    whole = io.BytesIO()
    np.savez_compressed(whole, **state)
    file.write(whole.getvalue()[: len(whole.getvalue()) // 2])
    file.flush()
    die()

def in_update(number):
    whole = scheduler.update
    def update(*words, **more):
        global updates
        updates += 1
        return die() if updates == number else whole(*words, **more)
    scheduler.update = update

def at_checkpoint(number, how):
    def save(state, config, saved=learner.save_checkpoint):
        if state.update == number:
            how()
        return saved(state, config)
    scheduler.save_checkpoint = save

moment = sys.argv[2]
if moment == "before the first checkpoint":
    in_update(2)
elif moment == "in the middle of a chunk":
    in_update(4)
elif moment == "before a checkpoint":
    at_checkpoint(4, die)
elif moment == "while a checkpoint is written":
    at_checkpoint(4, lambda: setattr(learner.np, "savez", half_a_checkpoint))
elif moment == "before a checkpoint gets its name":
    at_checkpoint(4, lambda: setattr(learner, "take_name", die))
elif moment == "right after a checkpoint":
    scheduler._note_progress = lambda at, *_: die() if at.update == 4 else None
elif moment == "in the middle of a line of the log":
    logging = scheduler_output.logging
    def emit(self, record):
        if "step=384" in record.getMessage():
            self.stream.write("2026-11-16 INFO [PPO:upd")
            self.flush()
            die()
        logging.StreamHandler.emit(self, record)
    logging.FileHandler.emit = emit
elif moment == "after the last checkpoint":
    scheduler.evaluate = lambda *_, requests, whole=scheduler.evaluate: (
        die() if requests == 61 else whole(*_, requests=requests)
    )
quiet = {"console": False, "judge": False, "system": False}
run_session(Path(sys.argv[1]), chosen_from(eval(sys.argv[3])), resume=True, **quiet)
"""
MOMENTS = {  # and the update after which the run then goes on
    "before the first checkpoint": 0,
    "in the middle of a chunk": 2,
    "before a checkpoint": 2,
    "while a checkpoint is written": 2,
    "before a checkpoint gets its name": 2,
    "right after a checkpoint": 4,
    "in the middle of a line of the log": 2,
    "after the last checkpoint": 6,
}
SETTINGS = {**TINY, "final_requests": 61}


def go_on(folder: Path, **more: Any) -> SchedulerSession:
    return run_session(folder, chosen_from({}), resume=True, **QUIET, **more)


def numbers(folder: Path) -> dict[str, Any]:
    """All that the files of a run say, but for what a clock measured."""
    run = rv.open_run(folder)
    kept = [name for name in run.names() if not name.startswith(CLOCKS)]
    found: dict[str, Any] = {
        name: (run[name].steps.tolist(), run[name].values.tolist()) for name in kept
    }
    found["histograms"] = sorted((h.name, h.step, h.counts.tolist()) for h in run.histograms())
    # a step that is logged in several calls has one row or several, by when it was flushed
    table: dict[str, dict[str, str]] = {}
    with (folder / "metrics" / "metrics.csv").open() as file:
        for row in csv.DictReader(file):
            table.setdefault(row["step"], {}).update(
                {k: v for k, v in row.items() if k in kept and v}
            )
    found["table"] = table
    board = EventAccumulator(str(folder / "tensorboard"), {"scalars": 0, "histograms": 0}).Reload()
    for tag in [*board.Tags()["scalars"]]:
        if tag in kept:
            found[f"board {tag}"] = [(e.step, e.value) for e in board.Scalars(tag)]
    for tag in board.Tags()["histograms"]:
        found[f"board {tag}"] = sorted(
            (event.step, list(event.histogram_value.bucket)) for event in board.Histograms(tag)
        )
    lines = (folder / "ppo_training.log").read_text().splitlines()
    found["log"] = [line.split("INFO ")[1] for line in lines if "[PPO:resume]" not in line]
    progress = json.loads((folder / "training_progress.json").read_text())
    checkpoint = np.load(progress.pop("latest_checkpoint"))
    found |= progress
    found["checkpoint"] = {name: checkpoint[name].tobytes() for name in checkpoint.files}
    found["score"] = run.summary["score"]
    found.pop("runvitals_crc32", None)  # of a file that holds times
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run has that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    run_session(folder, chosen_from(SETTINGS), **QUIET)
    return numbers(folder)


@pytest.mark.parametrize(("moment", "goes_on_at"), MOMENTS.items(), ids=lambda m: str(m))
def test_a_killed_run_ends_with_the_numbers_of_one_that_was_not(
    tmp_path: Path, whole: dict[str, Any], moment: str, goes_on_at: int
) -> None:
    folder = tmp_path / "out"
    source = tmp_path / "killer.py"
    source.write_text(KILLER)
    words = [sys.executable, str(source), str(folder), moment, repr(SETTINGS)]
    killed = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    session = go_on(folder)

    assert session.begun_at == goes_on_at * 128
    assert session.complete
    found = numbers(folder)
    assert found.keys() == whole.keys()
    for name, value in whole.items():
        assert found[name] == value, name
    assert not list((folder / "checkpoints").glob("*.part"))


# chunk by chunk


def test_chunk_by_chunk_gives_the_same_numbers(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder = tmp_path / "out"
    first = run_session(folder, chosen_from(SETTINGS), max_chunks=1, **QUIET)
    state = rv.open_run(folder).status

    then = [go_on(folder, max_chunks=1) for _ in range(3)]

    assert state == "stopped"
    assert [first.chunks_done, *(one.chunks_done for one in then)] == [1, 2, 3, 3]
    assert then[-1].trained is None
    assert then[-1].score == then[-2].score
    assert numbers(folder) == whole


def test_nothing_there_to_go_on_with_begins_the_run(tmp_path: Path) -> None:
    session = run_session(tmp_path / "out", chosen_from(TINY), resume=True, **QUIET)

    assert session.begun_at == 0
    assert session.complete


def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    run_session(tmp_path / "out", chosen_from(TINY), max_chunks=1, **QUIET)

    with pytest.raises(RunExistsError, match=r"1 of 3 chunks done"):
        run_session(tmp_path / "out", chosen_from(TINY), **QUIET)


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ({"seed": 5}, "begun with seed = 4, not 5"),
        ({"fault": "lr-zero"}, "begun with fault = None, not lr-zero"),
        ({"target_kl": 0.5}, r"begun with target_kl = 0\.02, not 0\.5"),
    ],
    ids=str,
)
def test_a_run_does_not_go_on_as_another(tmp_path: Path, new: dict[str, Any], says: str) -> None:
    run_session(tmp_path / "out", chosen_from(TINY), max_chunks=1, **QUIET)

    with pytest.raises(ConfigError, match=says):
        run_session(tmp_path / "out", chosen_from(new), resume=True, **QUIET)


def test_monitoring_may_change_on_the_way(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run_session(folder, chosen_from(TINY), max_chunks=1, **QUIET)
    size = (folder / "metrics" / "metrics.csv").stat().st_size

    off = chosen_from({"monitoring": {"metrics_export_enabled": False}})
    run_session(folder, off, resume=True, **QUIET)

    assert (folder / "metrics" / "metrics.csv").stat().st_size == size
    assert len(rv.open_run(folder)["approx_kl"].values) == 6


@pytest.mark.parametrize("said", [{"fault": "resume-without-optimizer"}, {"variant": "resumed"}])
def test_what_is_stopped_on_purpose_goes_on_by_itself(tmp_path: Path, said: dict[str, str]) -> None:
    session = run_session(tmp_path / "out", chosen_from({**TINY, **said}), **QUIET)

    assert session.complete
    assert "continuing after step" in (tmp_path / "out" / "ppo_training.log").read_text()
