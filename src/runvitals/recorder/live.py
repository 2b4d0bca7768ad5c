"""A run that is being recorded: what `runvitals.init` returns."""

from __future__ import annotations

import atexit
import os
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from runvitals.model import Event, RowBlock, RunInfo, Sample, Sink, Text
from runvitals.recorder.buffer import RowBuffer
from runvitals.recorder.complaints import Complaints
from runvitals.recorder.config import flat_config, json_safe
from runvitals.recorder.distributions import LazyHistogram, action_histograms
from runvitals.recorder.flusher import Flusher
from runvitals.recorder.pending import PendingValues, Timing
from runvitals.recorder.provenance import capture
from runvitals.recorder.record import RunRecord, Summary
from runvitals.recorder.smoothing import EpochTracker
from runvitals.recorder.system import SystemSampler
from runvitals.recorder.values import as_step
from runvitals.store.files import write_json
from runvitals.store.layout import PROGRESS_FILE
from runvitals.store.lock import WriterLock
from runvitals.store.sink import StoreSink

RECORD_SECONDS = 30.0
MOST_EVENTS = 10_000  # histograms, texts and samples that may wait for a flush
_time = time.time
_LIVE: weakref.WeakSet[LiveRun] = weakref.WeakSet()


class LiveRun:
    """Records one run. Made by `runvitals.init`; use it as a context manager or call `finish`.

    `log` and everything named `log_*` never raise, never wait for a disk or a device and hold a
    bounded amount of memory. What goes wrong is warned about once.
    """

    def __init__(
        self,
        info: RunInfo,
        sinks: Sequence[Sink],
        record: RunRecord,
        lock: WriterLock,
        *,
        system_seconds: float | None = 10.0,
        counters: Mapping[str, float] | None = None,
        last_step: int = -1,
        flush_at_start: bool = True,
    ) -> None:
        self._info = info
        self._record = record
        self._lock: WriterLock | None = lock
        self._complaints = Complaints(info.id)
        self._summary = Summary()
        self._user_summary: dict[str, Any] = {}
        self._pending = PendingValues()
        self._pending.restore(counters or {})
        self._events: list[Event | LazyHistogram] = []
        self._step = last_step
        self._status = "running"
        self._is_child = False
        self._config = dict(info.config)
        self._progress = dict(info.progress)
        self._progress_changed = False
        self._next_record = 0.0
        self._system_seconds = system_seconds
        self._sampler: SystemSampler | None = None
        self._next_sample = 0.0
        self._provenance_known = False
        self._buffer = RowBuffer(self._complaints.say)
        self._add = self._buffer.add
        self._rows = self._buffer.rows
        self._flusher = Flusher(self._collect, sinks, self._complaints, self._after_flush)
        _LIVE.add(self)
        atexit.register(_finish_at_exit, weakref.ref(self))
        self._flusher.start()
        if flush_at_start:
            self._flusher.wake.set()

    # who it is

    @property
    def id(self) -> str:
        """The run's id, the name of its folder."""
        return self._info.id

    @property
    def name(self) -> str:
        """The run's name, for people."""
        return self._info.name

    @property
    def project(self) -> str:
        """The project it belongs to."""
        return self._info.project

    @property
    def folder(self) -> Path:
        """Where everything is written."""
        return self._info.folder

    @property
    def rank(self) -> int:
        """This process among the workers of one job; 0 for a single process."""
        return self._info.rank

    @property
    def began(self) -> float:
        """When this process began to record it, in Unix seconds."""
        return self._info.started

    @property
    def resumed(self) -> bool:
        """Whether an earlier process wrote this run already."""
        return self._info.segment > 1

    @property
    def status(self) -> str:
        """`running`, or how it ended."""
        return self._status

    @property
    def step(self) -> int:
        """The step of the last `log`."""
        return self._step

    @property
    def problems(self) -> list[str]:
        """What was warned about so far."""
        return self._complaints.texts()

    # numbers

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers by name. Nested mappings become `outer/inner`.

        Without a step, each call counts one up. Steps may repeat, jump and go back.
        """
        try:
            if type(step) is int and -9007199254740992 <= step <= 9007199254740992:
                self._step = step
            elif step is None:
                step = self._step = self._step + 1
            else:
                step = self._step = as_step(step)
            if self._pending:
                values = {**values, **self._pending.take()}
            self._add(values, step, _time())
            if len(self._rows) >= self._buffer.limit >> 2:
                self._relieve()
        except Exception as error:  # noqa: BLE001 - a flight recorder must not crash the plane
            self._complaints.say(f"log {type(error).__name__}", f"a row was not logged: {error}")

    def _relieve(self) -> None:
        """Many rows wait: wake the flusher, and give it the interpreter before any row is lost."""
        self._flusher.wake.set()
        limit = self._buffer.limit
        if len(self._rows) >= limit >> 1:
            time.sleep(0.0002)
        if len(self._rows) >= limit:
            self._buffer.drop_oldest()
            self._complaints.say(
                "dropped", "rows come faster than they can be written; oldest dropped"
            )

    def timer(self, stage: str, tokens: float | None = None) -> AbstractContextManager[Timing]:
        """Time a stage: `timing_s/<stage>` rides along with the next `log`.

        With tokens (given here or set on the object that `with` yields) also
        `timing_per_token_ms/<stage>`.
        """
        return self._pending.timer(stage, tokens)

    def count(self, **amounts: float) -> None:
        """Add to `env_steps`, `updates`, `tokens`, `samples`, `episodes` or a counter of your own.

        Totals (`progress/...`) and rates (`throughput/..._per_s`) ride along with the next `log`.
        """
        try:
            self._pending.count(amounts)
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say("count", f"not counted: {error}")

    def log_reward_breakdown(
        self,
        total: Any,
        parts: Mapping[str, Any],
        penalties: Mapping[str, Any] | None = None,
        step: int | None = None,
        *,
        name: str = "reward",
    ) -> None:
        """Record a reward with what it is made of: total = sum of parts - sum of penalties.

        A total that does not add up is logged all the same, and warned about.
        """
        penalties = penalties or {}
        self.log({name: total, **parts, **penalties}, step)
        try:
            numbers = [float(v) for v in (total, *parts.values(), *penalties.values())]
            plus, minus = numbers[1 : 1 + len(parts)], numbers[1 + len(parts) :]
            expected = sum(plus) - sum(minus)
            scale = max(map(abs, numbers), default=0.0)
            if abs(numbers[0] - expected) > 1e-4 * scale + 1e-9:
                self._complaints.say(
                    f"breakdown {name}",
                    f"{name} is {numbers[0]:g} at step {self._step}, but its parts add up to "
                    f"{expected:g}; is a part missing, or a penalty given as a part?",
                )
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say(f"breakdown {name}", f"{name} breakdown not checked: {error}")

    def epoch(self) -> EpochTracker:
        """A tracker of epoch averages and trends; log what its `end()` gives."""
        return EpochTracker()

    # what is not a number

    def log_histogram(
        self, name: str, values: Any, step: int | None = None, *, bins: int = 64
    ) -> None:
        """Record the distribution of an array."""
        self._keep(lambda at: LazyHistogram.snapshot(name, at, _time(), values, bins), name, step)

    def log_actions(
        self, counts: Any, step: int | None = None, *, name: str = "replica", log: bool = True
    ) -> None:
        """Record how often each discrete action was chosen, from counts per action.

        Shares are logged as `action_<name>_<i>`, distributions as `Actions/<name>_<i>`.
        """
        try:
            at = self._step if step is None else as_step(step)
            shares, histograms = action_histograms(name, counts, at, _time())
            for histogram in histograms:
                self._keep(lambda _, h=histogram: h, name, at)
            if log:
                self.log(shares, at)
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say(f"actions {name}", f"actions {name!r} not logged: {error}")

    def log_text(self, name: str, text: str, step: int | None = None) -> None:
        """Record a text."""
        self._keep(lambda at: Text(str(name), at, _time(), str(text)), name, step)

    def log_table(
        self,
        name: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        step: int | None = None,
    ) -> None:
        """Record a small table, kept as a Markdown text."""

        def text(at: int) -> Text:
            lines = [columns, ["---"] * len(columns), *rows]
            cells = (" | ".join(str(c).replace("|", "\\|") for c in line) for line in lines)
            return Text(str(name), at, _time(), "\n".join(f"| {line} |" for line in cells))

        self._keep(text, name, step)

    def log_samples(
        self, samples: Mapping[str, Any] | Iterable[Mapping[str, Any]], step: int | None = None
    ) -> None:
        """Record model outputs: mappings with prompt, completion, reward, or anything else.

        Takes one mapping, a list of mappings, or a mapping of equally long columns.
        """
        try:
            at = self._step if step is None else as_step(step)
            for fields in _sample_rows(samples):
                row = {str(k): json_safe(v) for k, v in fields.items()}
                self._keep(lambda _, row=row: Sample(at, _time(), row), "samples", at)
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say("samples", f"samples not logged: {error}")

    def _keep(self, make: Any, name: str, step: int | None) -> None:
        try:
            if self._status != "running":
                self._complaints.say("finished", f"{name!r} came after finish() and was not logged")
                return
            if self._is_child:
                self._begin_in_child()
            self._events.append(make(self._step if step is None else as_step(step)))
            if len(self._events) > MOST_EVENTS:
                del self._events[:1]
                self._complaints.say(
                    "events", "histograms and samples come too fast; oldest dropped"
                )
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say(f"event {name}", f"{name!r} was not logged: {error}")

    # facts about the run

    @property
    def config(self) -> dict[str, Any]:
        """The settings, flat; change them with `update_config`."""
        return dict(self._config)

    def update_config(self, config: Any = None, /, **settings: Any) -> None:
        """Add settings: any mapping, dataclass, argparse, pydantic or OmegaConf object."""
        try:
            self._config.update(flat_config(config))
            self._config.update(flat_config(settings))
            self._info.config = dict(self._config)
            self._record.update(config=self._config)
        except Exception as error:  # noqa: BLE001 - as in log()
            self._complaints.say("config", f"config not recorded: {error}")

    @property
    def summary(self) -> dict[str, Any]:
        """Your own final numbers: `run.summary["best_return"] = 210`; written to run.json."""
        self._record.changed = True
        return self._user_summary

    def progress(self, **fields: Any) -> dict[str, Any]:
        """Note progress in `training_progress.json`: completed_chunks, latest_checkpoint, total_steps.

        Gives everything noted so far, also by an earlier process that this one resumed.
        """
        if fields:
            try:
                self._progress.update({k: json_safe(v) for k, v in fields.items()})
                self._info.progress = dict(self._progress)
                self._progress_changed = True
                self._flusher.wake.set()
            except Exception as error:  # noqa: BLE001 - as in log()
                self._complaints.say("progress", f"progress not noted: {error}")
        return dict(self._progress)

    # the background

    def _collect(self) -> tuple[list[RowBlock], list[Event]]:
        self._sample_system()
        blocks = self._buffer.drain()
        count = len(self._events)
        waiting = self._events[:count]
        del self._events[:count]
        events: list[Event] = []
        for event in waiting:
            made = event.make() if isinstance(event, LazyHistogram) else event
            if made is not None:
                events.append(made)
        return blocks, events

    def _sample_system(self) -> None:
        if self._system_seconds is None or self._is_child:
            return
        now = time.monotonic()
        if now < self._next_sample:
            return
        if self._sampler is None:
            self._sampler = SystemSampler(self.folder)
            self._next_sample = now + min(1.0, self._system_seconds)
            return  # the first reading needs a window behind it
        self._next_sample = now + self._system_seconds
        self._buffer.add(self._sampler.sample(), max(self._step, 0), _time())

    def _after_flush(self, blocks: Sequence[RowBlock]) -> None:
        if self._is_child:
            return
        self._summary.add(blocks)
        if self._lock is not None:
            self._lock.beat()
        if self.rank != 0:
            return
        if self._progress_changed:
            self._progress_changed = False
            write_json(self.folder / PROGRESS_FILE, self._progress)
        if not self._provenance_known:
            self._provenance_known = True
            self._record.update(provenance=capture(self._config))
        if time.monotonic() >= self._next_record:
            self._next_record = time.monotonic() + RECORD_SECONDS
            self._refresh_record()
        self._record.save()

    def _refresh_record(self) -> None:
        self._record.update(
            summary={**self._summary.as_dict(), **json_safe(self._user_summary)},
            counters=self._pending.totals(),
            last_step=self._step,
            problems=self.problems,
            dropped_points=self._buffer.dropped,
        )

    def flush(self) -> None:
        """Wait until everything logged so far is on disk. `log` never needs it."""
        self._flusher.flush()

    # the end

    def finish(self, status: str = "finished") -> None:
        """End the run: everything is written, compacted, and the folder is free. Safe to call twice."""
        if self._status != "running":
            return
        if self._is_child:
            self._finish_child(status)
            return
        self._sample_at_end()
        self._add = self._add_after_finish
        self._flusher.end(status)
        self._status = status
        try:
            if self.rank == 0:
                self._refresh_record()
                self._record.update(status=status, ended=time.time())
                self._record.save(durable=True)
                if self._progress:
                    write_json(self.folder / PROGRESS_FILE, self._progress)
        except OSError as error:
            self._complaints.say("run.json", f"run.json could not be written: {error.strerror}")
        finally:
            if self._lock is not None:
                self._lock.release()
                self._lock = None
            _LIVE.discard(self)

    def _sample_at_end(self) -> None:
        self._next_sample = 0.0 if self._sampler is not None else self._next_sample

    def _add_after_finish(self, values: Mapping[str, Any], step: int, now: float) -> None:  # noqa: ARG002
        self._complaints.say(
            "finished", f"run {self.id!r} is finished; what came after was not logged"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.finish(_status_of(kind))

    def __repr__(self) -> str:
        return f"<LiveRun {self.id} ({self._status}) in {self.folder}>"

    # forked children

    def _become_child(self) -> None:
        """Right after a fork: this copy must not touch the parent's files, rows or locks."""
        if self._status != "running":
            return
        self._is_child = True
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        self._complaints = Complaints(self.id)
        self._pending = PendingValues()
        self._events = []
        self._buffer = RowBuffer(self._complaints.say)
        self._rows = self._buffer.rows
        self._flusher = Flusher(self._collect, [], self._complaints, self._after_flush)
        self._child_ready = False
        self._add = self._add_first_in_child

    def _add_first_in_child(self, values: Mapping[str, Any], step: int, now: float) -> None:
        self._begin_in_child()
        self._add(values, step, now)

    def _begin_in_child(self) -> None:
        if self._child_ready:
            return
        self._child_ready = True
        fork = os.getpid()
        while StoreSink.taken(self._info, fork):
            fork += 10_000_000
        sink = StoreSink(compact=False, fork=fork)
        sink.open(self._info)
        self._flusher = Flusher(self._collect, [sink], self._complaints, self._after_flush)
        self._flusher.start()
        self._add = self._buffer.add
        util = sys.modules.get("multiprocessing.util")
        if util is not None:  # children of multiprocessing skip atexit
            util.Finalize(self, self._finish_child, exitpriority=100)

    def _finish_child(self, status: str = "finished") -> None:
        if self._status == "running":
            self._add = self._add_after_finish
            if self._child_ready:
                self._flusher.end(status)
            self._status = status


def _status_of(kind: type[BaseException] | None) -> str:
    if kind is None:
        return "finished"
    if issubclass(kind, KeyboardInterrupt):
        return "stopped"
    if issubclass(kind, SystemExit):
        return "finished"
    return "crashed"


def _finish_at_exit(reference: weakref.ref[LiveRun]) -> None:
    run = reference()
    if run is not None:
        run.finish(_status_of(getattr(sys, "last_type", None)))


def finish_all(status: str) -> None:
    """End every run of this process."""
    for run in list(_LIVE):
        run.finish(status)


def finish_from_signal(status: str, then: Callable[[], None]) -> None:
    """End every run, then call `then`; if the signal hit the middle of a flush, right after it."""
    for run in list(_LIVE):
        if run._flusher.postpone(lambda: finish_from_signal(status, then)):
            return
    finish_all(status)
    then()


def live_runs() -> list[LiveRun]:
    """The runs that this process records at the moment."""
    return list(_LIVE)


def _sample_rows(samples: Any) -> Iterable[Mapping[str, Any]]:
    if not isinstance(samples, Mapping):
        return samples  # type: ignore[no-any-return]
    columns = {k: v for k, v in samples.items() if isinstance(v, list | tuple)}
    if len(columns) == len(samples) and len({len(v) for v in columns.values()}) == 1:
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [samples]


def _after_fork() -> None:
    for run in list(_LIVE):
        run._become_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
