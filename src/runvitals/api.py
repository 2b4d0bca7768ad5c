"""The public door: `init`, `log`, `watch`, `finish`, `open_run`, `open_runs`, `judge`."""

from __future__ import annotations

import functools
import os
import shlex
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from runvitals.metrics.running import Ema, EpochTracker, Window
from runvitals.metrics.speed import SpeedMeter
from runvitals.model import ConfigError, Diagnosis, PointTable, RowBlock, Run, RunInfo, Sink
from runvitals.model.terminal_safe import terminal_safe
from runvitals.readers.open import open_run, open_runs, open_with
from runvitals.recorder.child_run import Observed, join_run, observed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_runs import finish_all, finish_from_signal, live_runs
from runvitals.recorder.start import Resume, start_run
from runvitals.recorder.stderr import tell
from runvitals.recorder.stopping import StopOn, Stopping

if TYPE_CHECKING:
    from runvitals.recorder.network.watch import Watch
    from runvitals.remote.start import ShippingSink

__all__ = [
    "Ema",
    "EpochTracker",
    "LiveRun",
    "SpeedMeter",
    "Window",
    "finish",
    "init",
    "judge",
    "log",
    "open_run",
    "open_runs",
    "tree_vitals",
    "watch",
]

MAX_READ_TOGETHER = 1_000  # names that the console understands in the light of each other


def init(
    project: str | None = None,
    name: str | None = None,
    config: Any = None,
    *,
    dir: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    id: str | None = None,
    resume: Resume = False,
    tags: Sequence[str] = (),
    notes: str = "",
    rank: int | None = None,
    console: bool = True,
    tensorboard: bool = True,
    csv: bool = False,
    system: bool | float = True,
    sinks: Sequence[Sink] = (),
    compact: bool = True,
    framework: str | None = None,
    algorithm: str | None = None,
    handle_signals: bool = True,
    judge: bool = True,
    stop_on: StopOn | None = None,
    stop_raises: bool = False,
    notify: Sequence[str] = (),
    remote: str | None = None,
) -> LiveRun:
    """Begin to record a run in `<dir>/<project>/<id>` and give it back.

    - `config`: settings; any mapping, dataclass, argparse namespace, pydantic or OmegaConf object.
    - `dir`: where runs go; by default `RUNVITALS_DIR` or `./runs`.
    - `folder`: record into this very folder instead of `<dir>/<project>/<id>`.
    - `id`, `resume`: `resume=True` continues the run of this id (without an id: the latest of this
      name) and starts a new one if there is none; `resume="must"` insists. An id that exists is an
      error without `resume`.
    - `rank`: read from the launcher's variables (RANK, SLURM_PROCID, ...) unless given.
    - `console`, `tensorboard`, `csv`: what to write besides the store; the console is rank 0's.
    - `system`: sample `System/*`, every second at first, later every 10 seconds; a number gives
      other seconds for later.
    - `sinks`: further places for the rows to go.
    - `judge`: look at the run every few seconds and say what is wrong with it: on the console, in
      `findings.jsonl`, to `run.on_finding` callbacks. `RUNVITALS_JUDGE=0` turns it off.
    - `stop_on`: "critical" or "warning"; such a finding sets `run.should_stop`. With `stop_raises`
      the next `run.log` raises `StopTraining` as well.
    - `notify`: apprise URLs to send findings to; also `RUNVITALS_NOTIFY` or `runvitals.toml`.
    - `remote`: a bucket (`s3://...`, `gs://...`, `az://...`) or shared folder to which a process of
      its own ships the run while it is recorded; also `RUNVITALS_REMOTE`.
    - `handle_signals`: on SIGTERM the run is finished as `killed` before the process ends.

    Under `runvitals run` the first run of a process is recorded into the observed one and judged
    there, unless `dir`, `folder`, `id` or `resume` say where it belongs.

    Raises `RunvitalsError` when the folder cannot be written or another process writes this run.
    """
    interval: float | None = None if system is False else 10.0 if system is True else float(system)
    if interval is not None and not interval > 0:
        raise ConfigError(
            f"`system` must be a number of seconds, got {system!r}", hint="use True, False or 10.0"
        )

    name = name or os.environ.get("RUNVITALS_NAME")

    if not judge and (stop_on is not None or notify):
        raise ConfigError("stop_on and notify need the judge", hint="leave judge=False out")
    stopping = Stopping(stop_on, raises=stop_raises)
    placed = folder is not None or id is not None or dir is not None or resume
    joining = None if placed else _run_to_join()
    shipped_to = _checked_remote(remote)
    shipping = _shipping(shipped_to if joining is None else None)
    urls = [notify] if isinstance(notify, str) else list(notify) or _notify_urls()

    def make_sinks(at_rank: int) -> list[Sink]:
        exporters = _exporters(at_rank, console, tensorboard and joining is None, csv)
        wanted = judge if joining is None else stop_on is not None
        judges = _judge(exporters, urls) if wanted and at_rank == 0 else []
        return [*judges, *exporters, *sinks, *shipping]

    if joining is not None:
        run = join_run(
            joining,
            name=name,
            config=config,
            tags=tags,
            notes=notes,
            rank=rank,
            sinks=make_sinks,
            system_seconds=interval,
            framework=framework,
            algorithm=algorithm,
            stopping=stopping,
        )
        return _minding_signals(run) if handle_signals else run
    runs_in = dir or os.environ.get("RUNVITALS_DIR") or "runs"
    run = start_run(
        project=str(project or os.environ.get("RUNVITALS_PROJECT") or "default"),
        name=None if name is None else str(name),
        config=config,
        dir=runs_in,
        id=id or os.environ.get("RUNVITALS_RUN_ID"),
        resume=resume,
        tags=tags,
        notes=notes,
        rank=rank,
        sinks=make_sinks,
        system_seconds=interval,
        compact=compact,
        framework=framework,
        algorithm=algorithm,
        stopping=stopping,
        into=folder,
        own_life=shipped_to is not None,
    )
    for sink in shipping:
        run.when_finished = functools.partial(_wait_until_shipped, run, sink, str(shipped_to))
    if console and run.rank == 0:
        shown = terminal_safe(f"{run.project} / {run.name}")
        root = shlex.quote(os.fspath(folder or runs_in))
        tell(f"runvitals: recording {shown}; dashboard: runvitals serve {root}")
    return _minding_signals(run) if handle_signals else run


def _checked_remote(remote: str | None) -> str | None:
    wanted = remote or os.environ.get("RUNVITALS_REMOTE")
    if not wanted:
        return None
    from runvitals.remote.start import checked_remote

    return checked_remote(wanted)


def _shipping(url: str | None) -> list[ShippingSink]:
    if url is None:
        return []
    from runvitals.remote.start import ShippingSink

    return [ShippingSink(url)]


def _wait_until_shipped(
    run: LiveRun, shipping: ShippingSink, url: str, wait: float | bool | None
) -> None:
    problem = shipping.wait(wait)
    if problem is not None:
        run.complain("shipped", f"not all of {run.id} is at {url} yet: {problem}")


_joined_in: int | None = None  # the process that has joined the observed run


def _run_to_join() -> Observed | None:
    """The run that `runvitals run` observes: the first one that a process begins is that one."""
    global _joined_in
    if _joined_in == os.getpid():
        return None
    found = observed()
    _joined_in = None if found is None else os.getpid()
    return found


def _minding_signals(run: LiveRun) -> LiveRun:
    _finish_on_sigterm()
    run.when_child_logs = _finish_on_sigterm
    return run


def _exporters(rank: int, console: bool, tensorboard: bool, csv: bool) -> list[Sink]:
    chosen: list[Sink] = []
    if tensorboard:
        from runvitals.exporters.tensorboard import TensorBoardSink

        chosen.append(TensorBoardSink())
    if csv:
        from runvitals.exporters.csv import CsvSink

        chosen.append(CsvSink())
    if rank == 0 and console:
        from runvitals.exporters.console import ConsoleSink

        read = _ReadNames()
        chosen.append(ConsoleSink(read.group, place=read.place, meet=read.meet))
    return chosen


def _judge(exporters: Sequence[Sink], urls: Sequence[str]) -> list[Sink]:
    if os.environ.get("RUNVITALS_JUDGE", "").strip().lower() in ("0", "false", "off", "no"):
        return []
    from runvitals.diagnosis.live.judge import LiveJudge

    consoles = [sink.announce for sink in exporters if hasattr(sink, "announce")]
    return [LiveJudge(urls, announce=consoles[0] if consoles else None)]


def _notify_urls() -> list[str]:
    return os.environ.get("RUNVITALS_NOTIFY", "").split()


class _ReadNames:
    """What the console takes names to mean: all of a run's together, as its readers do."""

    def __init__(self) -> None:
        self._points = PointTable()
        self._metrics: dict[str, str] = {}

    def meet(self, info: RunInfo, block: RowBlock) -> None:
        from runvitals.diagnosis.live import importing

        with importing.lock:
            from runvitals.readers.binding.bind import bind

        if len(self._points.names()) + len(block.names) > MAX_READ_TOGETHER:
            self._points = PointTable()
        self._points.add(block)
        told = dict(info.config)
        run = Run(
            info.id, self._points, config=told, framework=info.framework, algorithm=info.algorithm
        )
        self._metrics |= {name: found.metric for name, found in bind(run).bindings.items()}

    def group(self, name: str) -> str:
        from runvitals import catalog

        if name.lower().startswith("system/"):
            return "system"
        metric = self._metric(name)
        return catalog.group_title(catalog.group_of(metric) if metric is not None else "other")

    def place(self, name: str) -> int | None:
        from runvitals import catalog

        metric = self._metric(name)
        return None if metric is None else catalog.reading_position(metric)

    def _metric(self, name: str) -> str | None:
        from runvitals import catalog

        if name in self._metrics:
            return self._metrics[name]
        found = catalog.resolve(name)
        return None if found is None else found.metric


def log(values: Mapping[str, Any], step: int | None = None) -> None:
    """Log to the run of this process that was begun last. Never raises."""
    runs = live_runs()
    if runs:
        max(runs, key=lambda run: run.began).log(values, step)
    else:
        _tell_once("runvitals: log() before init(): nothing is recorded")


def watch(
    model: Any,
    optimizer: Any,
    run: LiveRun | None = None,
    *,
    every: int = 50,
    loss_fn: Any = None,
    learns: Sequence[str] = (),
    probe: bool = True,
) -> Watch:
    """Measure a PyTorch network while it trains, and check it before the flight.

    Every `every` updates: gradient norm, weight norm and update-to-weight ratio by block, dead and
    saturated units, Adam's second moment, the gradient noise scale where updates are made of
    micro-batches; and at every update, which module is the first with a non-finite value. In the
    first updates, the pre-flight check (rules PRE001 to PRE008). All of it rides along with `run.log`.

    - `optimizer`: one, or a list if several train parts of the model.
    - `run`: the run begun last, unless given.
    - `loss_fn`: the criterion module, whose first loss is compared with that of guessing.
    - `learns`: names of modules or parameters that have to learn, so that frozen ones are reported.
    - `probe`: run the first batch once more in eval() to see whether samples see each other; and a
      batch that ended in a non-finite loss, to find the module where that began.

    Never raises into the training loop later on; raises `ConfigError` for what it cannot watch.
    """
    from runvitals.recorder.network.watch import Watch

    if run is None:
        runs = live_runs()
        if not runs:
            raise ConfigError("watch() before init()", hint="run = rv.init(...) first")
        run = max(runs, key=lambda one: one.began)
    return Watch(model, optimizer, run, every=every, loss_fn=loss_fn, learns=learns, probe=probe)


def tree_vitals(params: Any, grads: Any = None, updates: Any = None) -> dict[str, Any]:
    """Norms and update ratios of JAX pytrees by block, for `run.log`; may be called inside `jit`.

    Nothing waits for a device: the values are JAX scalars, fetched when the run is flushed.
    """
    from runvitals.recorder.network.trees import tree_vitals as of_trees

    return of_trees(params, grads, updates)


@functools.cache
def _tell_once(message: str) -> None:
    tell(message)


def finish(status: str = "finished", *, wait: float | bool | None = None) -> None:
    """End all runs of this process.

    `wait`: how many seconds to wait for what is shipped to a bucket; True: as long as it takes.
    """
    finish_all(status, wait)


def judge(
    run: Run | LiveRun | str | os.PathLike[str],
    *,
    settings: str | os.PathLike[str] | None = None,
    ignore: Sequence[str] = (),
) -> Diagnosis:
    """What `runvitals check` says about a run: verdict, findings, and what could not be checked.

    Takes an open run, one that is being recorded, or a path. Goes by `settings`, or by the
    `runvitals.toml` or `pyproject.toml` in the working folder or above it. `ignore`: codes of rules
    that are left out.
    """
    from runvitals.diagnosis.judge import judge as judge_run
    from runvitals.diagnosis.judge import settings_for

    chosen = settings_for(None if settings is None else Path(settings), ignore=ignore)
    if isinstance(run, LiveRun):
        run.flush()
        run = run.folder
    if not isinstance(run, Run):
        run = open_with(run, chosen.reading)
    return judge_run(run, chosen)


_ours = False


def _finish_on_sigterm() -> None:
    """Take SIGTERM over, if nobody else handles it and this is the main thread."""
    global _ours
    if _ours or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _on_sigterm)
        _ours = True


def _give_sigterm_back() -> None:
    """In a forked child: it has nothing to finish until it logs.

    A handler in Python waits for the next line of Python, so that a worker which waits in C (for a
    lock that another worker took to its grave) could not be terminated any more.
    """
    global _ours
    if _ours and signal.getsignal(signal.SIGTERM) is _on_sigterm:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _ours = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_give_sigterm_back)


def _on_sigterm(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    def die() -> None:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    finish_from_signal("killed", then=die)
