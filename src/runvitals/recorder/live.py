"""A run that is being recorded: what `runvitals.init` returns."""

from __future__ import annotations

import atexit
import math
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from runvitals.display import html_of
from runvitals.model import STORE, Event, Loss, Row, RowBlock, RunInfo, Sink, StopTraining
from runvitals.model.secrets import redacted
from runvitals.recorder.background import DEVICE_SECONDS, LAST_DEVICE_SECONDS, ValueResolver
from runvitals.recorder.buffer import RowBuffer
from runvitals.recorder.chores import Chores
from runvitals.recorder.complaints import Complaints, describe
from runvitals.recorder.events import EventBuffer, Lazy
from runvitals.recorder.exit_code import UNKNOWN, ProcessEnd, code_of, listen
from runvitals.recorder.flusher import LANES_PATIENCE, Errands, Flusher
from runvitals.recorder.live_judge import HearsTheJudge, Stopping
from runvitals.recorder.live_methods import DescribesItself, RecordsEvents, RecordsExtras, RunClock
from runvitals.recorder.live_runs import LIVE
from runvitals.recorder.pending import PendingValues
from runvitals.recorder.record import RunRecord
from runvitals.recorder.upkeep import Upkeep
from runvitals.recorder.values import MAX_STEP, DeferredNumbers, as_step
from runvitals.store.files import write_redacted
from runvitals.store.lock import WriterLock
from runvitals.store.writer import StoreSink

_monotonic = time.monotonic
Wait = float | bool | None


class LiveRun(DescribesItself, HearsTheJudge, RecordsEvents, RecordsExtras):
    """Records one run. Made by `runvitals.init`; use it as a context manager or call `finish`.

    `log` and everything named `log_*` never raise, never wait for a disk or a device and hold a
    bounded amount of memory. What goes wrong is warned about once.
    """

    def __init__(
        self,
        info: RunInfo,
        store: StoreSink,
        sinks: Sequence[Sink],
        record: RunRecord,
        lock: WriterLock,
        *,
        system_seconds: float | None = 10.0,
        counters: Mapping[str, float] | None = None,
        stored_counters: Callable[[str, int], float | None] | None = None,
        last_step: int = -1,
        stopping: Stopping | None = None,
    ) -> None:
        self._info = info
        self._clock = RunClock()
        self._step = last_step
        self._status = "running"
        self._process = os.getpid()
        self.when_child_logs: Callable[[], None] | None = None
        self.when_finished: Callable[[Wait], None] | None = None
        self._store = store
        self._upkeep: Upkeep | None = Upkeep(info, record, lock, self._facts)
        self._set_up_buffers()
        if counters or stored_counters is not None:
            self._pending.restore(counters or {}, stored_counters, last_step)
        # An attribute that `finish`, a stop and a fork replace, so that `log` need not ask whether one
        # of them has happened.
        self._add = self._buffer.add
        self._stopping = stopping or Stopping()
        self._stopping.when_it_raises = self._raise_at_next_log
        info.stops = self._stopping.is_wanted
        info.stop_listeners.append(self._stopping.hear)
        self._errands = Errands(
            self._collect, self._after_flush, self._lost, self._ending, self._stored, self._ended
        )
        self._flusher = Flusher(self._errands, store, sinks, self._complaints)
        self._chores: Chores | None = Chores(
            info,
            self._complaints,
            system_seconds=system_seconds,
            log=self._log_system,
            learn=self._upkeep.learn,
        )
        LIVE.add(self)
        listen()
        atexit.register(_finish_at_exit, weakref.ref(self))
        self._flusher.start()
        self._chores.start()
        self._flusher.wake.set()

    def _set_up_buffers(self) -> None:
        self._complaints = Complaints()
        self._info.complain = self._complaints.say
        self._pending = PendingValues(complain=self._complaints.say)
        self._events = EventBuffer(self._complaints.say)
        self._buffer = RowBuffer(self._complaints.say)
        self._rows = self._buffer.rows
        self._resolver = ValueResolver(self._ask_devices)
        self._told_beside: dict[str, Any] = {"problems": [], "lost": []}

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

    @property
    def dropped(self) -> int:
        """Points that were logged and are not in the store; `losses` says more."""
        return self._lost()

    def _lost(self) -> int:
        return sum(loss.points for loss in self.losses if loss.where == STORE)

    @property
    def losses(self) -> list[Loss]:
        """What did not reach the store or another sink: how much, which steps, and why."""
        lanes = [loss for lane in self._flusher.lanes for loss in lane.losses()]
        kept = (*self._buffer.losses.all(), *self._events.losses.all(), *self._store.losses())
        return [*kept, *lanes]

    def complain(self, cause: str, text: str) -> None:
        """Warn of something, once per cause, and keep it with the run."""
        self._complaints.say(cause, text)

    # numbers

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers by name. Nested mappings become `outer/inner`.

        Without a step, each call counts one up. Steps may repeat, jump and go back. Never raises,
        except `StopTraining` once if `init(stop_on=..., stop_raises=True)` asked for it.
        """
        try:
            if type(step) is int and -MAX_STEP <= step <= MAX_STEP:
                self._step = step
            elif step is None:
                step = self._step = self._step + 1
            else:
                step = self._step = as_step(step)
            if self._pending.waits:
                values = {**values, **self._pending.take(step)}
                self._log_attached(step)
            self._add(values, step, _monotonic() + self._clock.offset)
            if len(self._rows) >= self._buffer.limit >> 2:
                self._relieve()
        except StopTraining:
            raise
        except Exception as error:  # noqa: BLE001 - a flight recorder must not crash the plane
            self._complaints.say(
                f"log {type(error).__name__}", f"a row was not logged: {describe(error)}"
            )

    def log_rows(self, rows: Iterable[Row]) -> None:
        """Record rows that were logged elsewhere, each with its own step and time. Never raises."""
        for row in rows:
            with self._contained("rows"):
                self._step = row.step
                unknown = row.time is None or math.isnan(row.time)
                self._log_attached(row.step)
                self._add(row.values, row.step, self._clock.now() if unknown else row.time or 0.0)
                if len(self._rows) >= self._buffer.limit >> 2:
                    self._relieve()

    def attach(self, later: DeferredNumbers, step: int | None = None) -> None:
        """Let numbers that are known only later ride along with the next `log`, at its step.

        They are asked for at a flush, in a thread of their own. If no `log` comes before an `attach`
        of a later `step`, they get the step of the last one, or their own if there was none.
        """
        with self._contained("numbers that come later"):
            own = max(self._step, 0) if step is None else as_step(step)
            self._log_attached(None, before=own)
            self._pending.attach(later, own)

    def _log_attached(self, step: int | None, before: int | None = None) -> None:
        for later, own in self._pending.take_attached(before):
            at = step if step is not None else self._step if self._step >= 0 else own
            if self._status == "running":
                self._buffer.add_later(later, at, self._clock.now())

    def _relieve(self) -> None:
        """Many rows wait: wake the flusher, and give it the interpreter before any row is lost."""
        self._flusher.wake.set()
        limit = self._buffer.limit
        if len(self._rows) >= limit >> 1 and self._flusher.keeps_up():
            # hands the interpreter over now; Python lets a busy thread keep it for 5 ms at a time
            time.sleep(0.0002)
        if len(self._rows) >= limit:
            self._buffer.drop_oldest()
            self._complaints.say(
                "dropped", "rows come faster than they can be written; oldest dropped"
            )

    # when the live judge wants it to stop

    def _raise_at_next_log(self) -> None:
        if self._status == "running" and self._upkeep is not None:
            self._add = self._add_and_stop

    def _add_and_stop(self, values: Mapping[str, Any], step: int, now: float) -> None:
        self._add = self._buffer.add
        self._add(values, step, now)
        self._stopping.heeded = True
        raise StopTraining(
            f"stopped by {self._stopping.reason}",
            where=self.folder,
            hint="runvitals check says more",
        )

    # what is not a number (`live_methods.py`)

    def _at(self, step: int | None) -> int:
        return max(self._step, 0) if step is None else as_step(step)

    def _keep(self, event: Event | Lazy) -> None:
        if self._status != "running":
            self._say_finished()
            return
        if self._upkeep is None:
            self._begin_in_child()
        if self._events.add(event):
            self._flusher.wake.set()

    def _facts(self) -> dict[str, Any]:
        return {
            **({"counters": totals} if (totals := self._pending.totals()) else {}),
            "last_step": self._step,
            "stopped_by": self._stopping.reason if self._stopping.heeded else None,
            "exit_code": self._info.exit_code,
            "problems": self.problems,
            "lost": [loss.as_dict() for loss in self.losses],
        }

    # the background

    def _log_system(self, values: Mapping[str, float]) -> None:
        if self._status == "running":
            self._buffer.add(values, max(self._step, 0), self._clock.now())

    def _ask_devices(self) -> None:
        self._buffer.resolve_later()
        self._events.resolve_later()

    def _collect(self) -> tuple[list[RowBlock], list[Event]]:
        self._clock.follow()
        if self._buffer.has_later or self._events.has_later:
            self._resolver.settle(
                DEVICE_SECONDS if self._status == "running" else LAST_DEVICE_SECONDS
            )
        return self._buffer.drain(), self._events.drain()

    def _after_flush(self, blocks: Sequence[RowBlock]) -> None:
        if self._upkeep is not None:
            troubles = self._complaints.count, tuple((x.where, x.why) for x in self.losses)
            self._upkeep.after_flush(blocks, troubles)
        self._tell_beside()

    def _tell_beside(self) -> None:
        """`run.json` is rank 0's; others put what went wrong into a file beside their points."""
        if self._upkeep is not None and self._info.rank == 0 and not self._info.guest:
            return
        told = {"problems": self.problems, "lost": [loss.as_dict() for loss in self.losses]}
        if told != self._told_beside and self._store.troubles is not None:
            write_redacted(self._store.troubles, told)
            self._told_beside = told

    def _ending(self) -> None:
        self._log_attached(None)
        if self._chores is not None:
            self._chores.end()

    def _stored(self, status: str) -> None:
        self._resolver.end()
        for waiting in (self._buffer, self._events):
            waiting.give_up_later("a device did not answer")
        for warning in self._store.warnings:
            self._complaints.say(warning, warning)
        self._tell_beside()
        if self._upkeep is not None:
            self._upkeep.stored(status)

    def _ended(self) -> None:
        if self._upkeep is not None:
            self._upkeep.close()

    def flush(self, patience: float = LANES_PATIENCE) -> None:
        """Wait until everything logged so far is on disk. `log` never needs it.

        `patience`: seconds to wait for TensorBoard, CSV and other sinks besides the store.
        """
        self._flusher.flush(patience)

    # the end

    def finish(
        self, status: str = "finished", *, wait: Wait = None, exit_code: int | None = None
    ) -> None:
        """End the run: everything is written and compacted, the folder is free. Safe to call twice.

        `wait`: with `init(remote=...)`, how many seconds to wait until everything is there, by default
        20; True waits as long as it takes. What is still missing then is said and in `problems`. With
        an exit code other than 0 a run that would be `finished` is `failed`.
        """
        if self._status != "running":
            return
        status = str(redacted(status))
        self._info.exit_code = exit_code
        if exit_code and status == "finished":
            status = "failed"
        if status in ("finished", "stopped") and self._stopping.heeded:
            status = "stopped"
            self._info.stopped_by = self._stopping.reason
        self._add = self._add_after_finish
        self._info.ended_by = threading.get_ident()
        self._flusher.end(status)
        self._status = status
        LIVE.discard(self)
        if self.when_finished is not None:
            self.when_finished(wait)

    def _add_after_finish(self, values: Mapping[str, Any], step: int, now: float) -> None:  # noqa: ARG002
        self._say_finished()

    def _say_finished(self) -> None:
        self._complaints.say(
            "finished", f"run {self.id!r} is finished; what came after was not logged"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        self._finish_after(kind, error)

    def _finish_after(self, kind: type[BaseException] | None, error: BaseException | None) -> None:
        """End it with what ended the block or the process."""
        if not isinstance(error, SystemExit):
            self.finish(_status_of(kind))
            return
        if isinstance(error.code, str):
            self.learn(ended_with=error.code)
        self.finish(exit_code=code_of(error))

    def __repr__(self) -> str:
        return f"<LiveRun {self.id} ({self._status}) in {self.folder}>"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    # forked children

    def _become_child(self) -> None:
        """Right after a fork: this copy must not touch the parent's files, rows or locks."""
        if self._status != "running":
            return
        if self._upkeep is not None:
            self._upkeep.abandon()
            self._upkeep = None
        self._chores = None
        self.when_finished = None
        self._process = os.getpid()
        self._set_up_buffers()
        self._store = StoreSink()
        self._flusher = Flusher(self._errands, None, [], self._complaints)
        self._add = self._add_first_in_child

    def _add_first_in_child(self, values: Mapping[str, Any], step: int, now: float) -> None:
        self._begin_in_child()
        self._add(values, step, now)

    def _begin_in_child(self) -> None:
        """A child that logs gets a file of its own; one that does not leaves no trace."""
        if self._flusher.started:
            return
        self._store = StoreSink(compact=False, fork=StoreSink.free_fork(self._info))
        self._store.open(self._info)
        self._flusher = Flusher(self._errands, self._store, [], self._complaints)
        self._flusher.start()
        self._add = self._buffer.add
        if self.when_child_logs is not None:
            self.when_child_logs()
        util = sys.modules.get("multiprocessing.util")
        if util is not None:  # children of multiprocessing skip atexit
            util.Finalize(self, self.finish, exitpriority=100)


def _status_of(kind: type[BaseException] | None) -> str:
    if kind is None:
        return "finished"
    if issubclass(kind, KeyboardInterrupt | StopTraining):
        return "stopped"
    return "crashed"


def _finish_at_exit(reference: weakref.ref[LiveRun]) -> None:
    run = reference()
    if run is not None:
        ended = ProcessEnd.error
        if ended is not None:
            run._finish_after(type(ended), ended)
            return
        if run._status == "running" and ProcessEnd.was_raised():
            run._complaints.say("exit", UNKNOWN)
        run.finish(_status_of(getattr(sys, "last_type", None)))
