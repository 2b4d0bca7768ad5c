"""The public door: `init`, `log`, `watch`, `finish`, `open_run`, `open_runs`, `judge`."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runvitals.metrics.running import Ema, EpochTracker, Window
from runvitals.metrics.speed import SpeedMeter
from runvitals.model import ConfigError, Diagnosis, PointTable, RowBlock, Run, RunInfo, Sink
from runvitals.model.text import terminal_safe
from runvitals.readers.open import open_run, open_runs, open_with
from runvitals.recorder.child_run import Observed, join_run, observed
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn, Stopping
from runvitals.recorder.live_runs import finish_all, finish_on_sigterm, live_runs
from runvitals.recorder.start import Resume, RunRequest, start_run
from runvitals.recorder.stderr import tell

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
    """Start recording a run in `<dir>/<project>/<id>` and return it.

    - `config`: settings; any mapping, dataclass, argparse namespace, pydantic or OmegaConf object.
    - `dir`: where runs go; by default `RUNVITALS_DIR` or `./runs`.
    - `folder`: record into this very folder instead of `<dir>/<project>/<id>`.
    - `id`, `resume`: `resume=True` continues the run with this id (without an id, the latest of
      this name) or starts a new one; `"must"` insists. Without it, an existing id is an error.
    - `rank`: read from the launcher's variables (RANK, SLURM_PROCID, ...) unless given.
    - `console`, `tensorboard`, `csv`: what to write besides the store; the console is rank 0's.
    - `system`: sample `System/*` every second at first, then every 10 seconds, or as many as given.
    - `sinks`: further places for the rows to go.
    - `handle_signals`: on SIGTERM the run is finished as `killed` before the process ends.
    - `judge`: judge the run every few seconds, and report on the console, in `findings.jsonl` and to
      `run.on_finding` callbacks. `RUNVITALS_JUDGE=0` turns it off.
    - `stop_on`: "critical" or "warning"; such a finding sets `run.should_stop`. With `stop_raises`
      the next `run.log` raises `StopTraining` as well.
    - `notify`: apprise URLs to send findings to; also `RUNVITALS_NOTIFY` or `runvitals.toml`.
    - `remote`: a bucket (`s3://...`, `gs://...`, `az://...`) or shared folder to which a separate
      process ships the run while it is recorded; also `RUNVITALS_REMOTE`.

    Under `runvitals run` the first run of a process is recorded into the observed one and judged
    there, unless `dir`, `folder`, `id` or `resume` say where it belongs.
    Raises `RunvitalsError` if the folder cannot be written or another process writes this run.
    """
    return _begin(_InitOptions(**locals()))


@dataclass(frozen=True, slots=True)
class _InitOptions:
    """The arguments of `init`, under the same names."""

    project: str | None
    name: str | None
    config: Any
    dir: str | os.PathLike[str] | None
    folder: str | os.PathLike[str] | None
    id: str | None
    resume: Resume
    tags: Sequence[str]
    notes: str
    rank: int | None
    console: bool
    tensorboard: bool
    csv: bool
    system: bool | float
    sinks: Sequence[Sink]
    compact: bool
    framework: str | None
    algorithm: str | None
    handle_signals: bool
    judge: bool
    stop_on: StopOn | None
    stop_raises: bool
    notify: Sequence[str]
    remote: str | None

    def system_seconds(self) -> float | None:
        """Seconds between samples of the system; None for no samples."""
        if self.system is False:
            return None
        seconds = 10.0 if self.system is True else float(self.system)
        if not seconds > 0:
            raise ConfigError(
                f"`system` must be a number of seconds, got {self.system!r}",
                hint="use True, False or 10.0",
            )
        return seconds

    def stopping(self) -> Stopping:
        """Which findings stop the run."""
        if not self.judge and (self.stop_on is not None or self.notify):
            raise ConfigError("stop_on and notify need the judge", hint="leave judge=False out")
        return Stopping(self.stop_on, raises=self.stop_raises)

    def place_given(self) -> bool:
        """True if the caller says where the run belongs."""
        return bool(
            self.folder is not None or self.id is not None or self.dir is not None or self.resume
        )


def _begin(asked: _InitOptions) -> LiveRun:
    system_seconds, stopping = asked.system_seconds(), asked.stopping()
    joining = None if asked.place_given() else _run_to_join()
    remote = _checked_remote(asked.remote)
    shipping = _shipping(remote if joining is None else None)
    name = asked.name or os.environ.get("RUNVITALS_NAME")
    request = RunRequest(
        name=None if name is None else str(name),
        config=asked.config,
        tags=asked.tags,
        notes=asked.notes,
        rank=asked.rank,
        sinks=lambda rank: [*_own_sinks(asked, rank, joined=joining is not None), *shipping],
        system_seconds=system_seconds,
        framework=asked.framework,
        algorithm=asked.algorithm,
        stopping=stopping,
    )
    if joining is not None:
        run = join_run(joining, request)
    else:
        run = _start(asked, request, remote)
        for sink in shipping:
            run.when_finished = functools.partial(_wait_until_shipped, run, sink, str(remote))
    return finish_on_sigterm(run) if asked.handle_signals else run


def _start(asked: _InitOptions, request: RunRequest, remote: str | None) -> LiveRun:
    """Start a run in a folder of its own and say where its dashboard is."""
    runs_in = asked.dir or os.environ.get("RUNVITALS_DIR") or "runs"
    run = start_run(
        request,
        project=str(asked.project or os.environ.get("RUNVITALS_PROJECT") or "default"),
        dir=runs_in,
        id=asked.id or os.environ.get("RUNVITALS_RUN_ID"),
        resume=asked.resume,
        compact=asked.compact,
        into=asked.folder,
        own_life=remote is not None,
    )
    if asked.console and run.rank == 0:
        shown = terminal_safe(f"{run.project} / {run.name}")
        root = shlex.quote(os.fspath(asked.folder or runs_in))
        tell(f"runvitals: recording {shown}; dashboard: runvitals serve {root}")
    return run


def _own_sinks(asked: _InitOptions, rank: int, *, joined: bool) -> list[Sink]:
    """The judge, the exporters and the caller's own sinks; a joined run is judged by its owner."""
    exporters = _exporters(rank, asked.console, asked.tensorboard and not joined, asked.csv)
    wanted = asked.stop_on is not None if joined else asked.judge
    judges = _judge(exporters, _notify_urls(asked.notify)) if wanted and rank == 0 else []
    return [*judges, *exporters, *asked.sinks]


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


def _notify_urls(given: Sequence[str]) -> list[str]:
    urls = [given] if isinstance(given, str) else list(given)
    return urls or os.environ.get("RUNVITALS_NOTIFY", "").split()


class _ReadNames:
    """What the console takes names to mean: all of a run's together, as its readers do."""

    def __init__(self) -> None:
        self._points = PointTable()
        self._metrics: dict[str, str] = {}

    def meet(self, info: RunInfo, block: RowBlock) -> None:
        from runvitals.diagnosis.live import importing

        with importing.lock:
            from runvitals.readers.bind import bind

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
