"""The scheduler in a folder of its own: the files a user looks for, and going on after a kill.

    OUT/
      ppo_training.log         rollout, losses, KL and entropy, reward breakdown of each update
      tensorboard/             scalars, and histograms such as Actions/replica_0
      metrics/*.csv            the same numbers as a table, if metrics_export_enabled
      training_progress.json   completed_chunks, requests_done, latest_checkpoint
      checkpoints/             one file per chunk; each is written whole or not at all
      scheduler_config.json    what the run was begun with, for --resume and to begin another
      run.json, points/, ...   the record that all commands read

Before a checkpoint is written everything logged so far is on disk. So the newest checkpoint is never
ahead of the record; what the record has beyond it is dropped when the run goes on, and comes again
with the same numbers.
"""

from __future__ import annotations

import json
import logging
import os
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from runvitals import api
from runvitals.lab.contract import HEALTHY, Sickness
from runvitals.lab.instruments import Instruments
from runvitals.lab.scheduler import SCHEDULER, Scheduled, train
from runvitals.lab.scheduler_learner import HALF_DONE, SchedulerConfig, comparable, load_checkpoint
from runvitals.lab.scheduler_rollout import LOG
from runvitals.lab.scheduler_settings import Monitoring
from runvitals.model import ConfigError, Event, RowBlock, RunInfo, Sink
from runvitals.model.atomic import replacing
from runvitals.recorder.identity import slug
from runvitals.recorder.start import Resume
from runvitals.store.layout import is_run_folder

CHECKPOINTS = "checkpoints"
EXPORT_SECONDS = 60.0  # seconds for CSV and TensorBoard before a checkpoint, on a very busy machine
DAMAGE = (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile)
_STEP_OF_A_LINE = re.compile(rb"\[PPO:\w+\] step=(\d+) ")


def train_scheduler(
    config: SchedulerConfig,
    output_dir: str | os.PathLike[str],
    sick: Sickness = HEALTHY,
    *,
    monitoring: Monitoring | None = None,
    stop_at: float = 1.0,
    resume: Resume = True,
    names: Mapping[str, str] | None = None,
    hide: Sequence[str] = (),
    console: bool = True,
    **record: Any,
) -> Scheduled:
    """Train into a folder, or go on with the training that was stopped or killed there.

    `stop_at` ends early, as a share of the run; `names` and `hide` change what is logged; `record`
    goes to `rv.init`.
    """
    folder = Path(output_dir).expanduser().absolute()
    monitoring = monitoring or Monitoring()
    config = replace(config, checkpoint_dir=config.checkpoint_dir or str(folder / CHECKPOINTS))
    checkpoints = Path(config.checkpoint_dir)
    _check_checkpoints(checkpoints, config, goes_on=bool(resume) and is_run_folder(folder))
    options = {
        "project": slug(folder.parent.name),
        "config": {**asdict(sick.settings(config)), "monitoring": asdict(monitoring)},
        "console": console,
        "framework": SCHEDULER.framework,
        "algorithm": SCHEDULER.algorithm,
        **_exports(monitoring, config.batch),
        **record,
    }
    with api.init(folder=folder, resume=resume, **options) as run:
        for half_done in checkpoints.glob(f"checkpoint_*{HALF_DONE}"):
            half_done.unlink()
        kept = newest_checkpoint(checkpoints) if run.resumed else None
        with _log_file(folder, monitoring, config, kept):
            trained = train(
                config,
                Instruments(run, sick, names=names, hide=hide),
                sick,
                stop_at=stop_at,
                resume=None if kept is None else str(kept.path),
                settle=lambda: run.flush(EXPORT_SECONDS),
            )
        run.summary["score"] = trained.score
        run.finish("finished" if trained.steps == config.updates * config.batch else "stopped")
    return trained


# checkpoints


@dataclass(frozen=True)
class KeptCheckpoint:
    """A checkpoint on disk, and what was found on the way to it."""

    path: Path
    update: int
    settings: Mapping[str, Any]
    damaged: tuple[str, ...] = ()  # newer ones that cannot be read


def newest_checkpoint(folder: Path) -> KeptCheckpoint | None:
    """The newest checkpoint that can be read."""
    damaged: list[str] = []
    for path in sorted(folder.glob("checkpoint_*.npz"), reverse=True):
        try:
            state = load_checkpoint(str(path))
            update, settings = int(state["update"]), json.loads(str(state["settings"]))
        except DAMAGE as error:
            damaged.append(f"{path.name} cannot be read: {error}")
            continue
        return KeptCheckpoint(path, update, settings, tuple(damaged))
    return None


def _check_checkpoints(folder: Path, config: SchedulerConfig, *, goes_on: bool) -> None:
    kept = newest_checkpoint(folder)
    if kept is None:
        return
    if not goes_on:
        hint = "take another folder, or set another checkpoint_dir"
        raise ConfigError("there are checkpoints of another run already", where=folder, hint=hint)
    check_unchanged(kept.settings, comparable(config), folder.parent)


def check_unchanged(begun: Mapping[str, Any], now: Mapping[str, Any], where: Path) -> None:
    """A run goes on with the settings that it was begun with, or its numbers would make no sense."""
    for name, value in now.items():
        if begun.get(name) != value:
            told = f"this run was begun with {name} = {begun.get(name)}, not {value}"
            hint = f"leave {name} out to continue the run, or take another folder"
            raise ConfigError(told, where=where, hint=hint)


# the log file


@contextmanager
def _log_file(
    folder: Path, monitoring: Monitoring, config: SchedulerConfig, kept: KeptCheckpoint | None
) -> Iterator[None]:
    """Write what the trainer says into the log file while this lasts."""
    if not monitoring.log_file:
        yield
        return
    path = folder / monitoring.log_file
    done = 0 if kept is None else kept.update * config.batch
    cut_log(path, done)
    written = logging.FileHandler(path, encoding="utf-8")
    written.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    if monitoring.log_interval > 1:
        steps = monitoring.log_interval * config.batch
        written.addFilter(lambda record: _step_of(record.getMessage().encode()) % steps == 0)
    LOG.addHandler(written)
    LOG.setLevel(logging.INFO)
    try:
        if kept is not None:
            for damage in kept.damaged:
                LOG.warning("[PPO:resume] %s", damage)
            LOG.info("[PPO:resume] continuing after step %d from %s", done, kept.path.name)
        yield
    finally:
        LOG.setLevel(logging.NOTSET)
        LOG.removeHandler(written)
        written.close()


def _step_of(line: bytes) -> int:
    """The step that a line of an update tells of; 0 for all other lines."""
    found = _STEP_OF_A_LINE.search(line)
    return 0 if found is None else int(found[1])


def cut_log(path: Path, done: int) -> None:
    """Leave out what was logged after step `done`, and a line whose writer was killed."""
    if not path.exists():
        return
    kept: list[bytes] = []
    with path.open("rb") as file:
        for line in file if done else ():
            if not line.endswith(b"\n") or _step_of(line) > done:
                break
            kept.append(line)
    with replacing(path) as new:
        new.writelines(kept)


# exports


class Thinned:
    """A sink that gets only every n-th step of the rows and of the histograms."""

    whole_batches = True

    def __init__(self, sink: Sink, rows_every: int, events_every: int) -> None:
        self._sink = sink
        self._rows_every, self._events_every = rows_every, events_every

    def open(self, info: RunInfo) -> None:
        """Open the sink behind it."""
        self._sink.open(info)

    def write(self, blocks: Sequence[RowBlock], events: Sequence[Event]) -> None:
        """Hand on what is due; what the machine did is always due."""
        due = []
        for block in blocks:
            every = 1 if block.names and block.names[0].startswith("System/") else self._rows_every
            due.append(block.part(np.flatnonzero(block.steps % every == 0)))
        self._sink.write(
            [block for block in due if len(block)],
            [event for event in events if event.step % self._events_every == 0],
        )

    def close(self, status: str) -> None:
        """Close the sink behind it."""
        self._sink.close(status)


def _exports(monitoring: Monitoring, batch: int) -> dict[str, Any]:
    """Options of `rv.init` for what is written besides the record."""
    from runvitals.exporters.csv import CsvSink
    from runvitals.exporters.tensorboard import TensorBoardSink

    sinks: list[Sink] = []
    board_every = monitoring.tensorboard_interval, monitoring.histogram_interval
    if monitoring.tensorboard and max(board_every) > 1:
        sinks.append(Thinned(TensorBoardSink(), *(every * batch for every in board_every)))
    table_every = monitoring.metrics_export_interval
    if monitoring.metrics_export_enabled and table_every > 1:
        sinks.append(Thinned(CsvSink(), table_every * batch, batch))
    return {
        "tensorboard": monitoring.tensorboard and max(board_every) == 1,
        "csv": monitoring.metrics_export_enabled and table_every == 1,
        "sinks": sinks,
    }
