"""A stand-in for W&B: `import runvitals.integrations.wandb as wandb`; nothing leaves the machine.

It takes the calls that training scripts and frameworks make. What W&B keeps and we do not (images,
artifacts, saved files) is accepted and said once. `install()` makes `import wandb` give this module,
for frameworks that import it themselves.
"""

from __future__ import annotations

import functools
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

from runvitals.integrations._wandb_data import AlertLevel as AlertLevel
from runvitals.integrations._wandb_data import Artifact as Artifact
from runvitals.integrations._wandb_data import Audio as Audio
from runvitals.integrations._wandb_data import Config, WandbMedia, WandbSummary
from runvitals.integrations._wandb_data import Html as Html
from runvitals.integrations._wandb_data import Image as Image
from runvitals.integrations._wandb_data import Video as Video
from runvitals.integrations._wandb_data import WandbHistogram as Histogram
from runvitals.integrations._wandb_data import WandbSettings as Settings
from runvitals.integrations._wandb_data import WandbTable as Table
from runvitals.integrations.session import AdapterSession, tell_once
from runvitals.model import RunvitalsError
from runvitals.recorder.live_judge import StopOn
from runvitals.recorder.stderr import tell

__version__ = "0.30.0"  # of W&B: what scripts that ask for a version want to hear

_RESUMES: dict[Any, Any] = {"allow": True, "auto": True, True: True, "must": "must"}
_MEDIA = frozenset("Image Video Audio Object3D Molecule Graph Plotly Bokeh Html".split())
_COMPLETIONS = frozenset({"completion", "completions", "response", "output", "generation"})


class Error(RunvitalsError):
    """Base of what W&B's own calls raise."""


CommError = UsageError = Error


class WandbRun:
    """What `wandb.init` gives; `run.recorded` is the runvitals run behind it."""

    def __init__(self, session: AdapterSession | None, *, about: Mapping[str, Any]) -> None:
        self._session = session
        self.recorded = None if session is None else session.run
        recorded = self.recorded
        self.disabled, self.offline = recorded is None, True
        self.id = recorded.id if recorded is not None else secrets.token_hex(4)
        self.name = recorded.name if recorded is not None else str(about.get("name") or self.id)
        self.project = str(about.get("project") or "uncategorized")
        self.entity = str(about.get("entity") or "")
        self.group, self.job_type = about.get("group") or "", about.get("job_type") or ""
        self.tags, self.notes = tuple(about.get("tags") or ()), about.get("notes") or ""
        self.resumed = recorded is not None and recorded.resumed
        self.sweep_id: str | None = None
        self.dir = str(recorded.folder) if recorded is not None else ""
        self.url = recorded.folder.as_uri() if recorded is not None else ""
        self.path = "/".join(part for part in (self.entity, self.project, self.id) if part)
        self.settings = Settings()
        self.config = Config(recorded)
        self.summary = WandbSummary(recorded)
        self._step = 0
        self._axes: dict[str, str] = {}
        self._at: dict[str, int] = {}  # the last value of each step metric

    @property
    def step(self) -> int:
        """The step of the next `log` without one."""
        return self._step

    def log(
        self,
        data: Mapping[str, Any],
        step: int | None = None,
        commit: bool | None = None,
        sync: bool | None = None,
    ) -> None:
        """Record numbers, histograms, texts and tables, at `step` or the metric's own step metric."""
        if step is not None:
            self._step = int(step)
        if self.recorded is not None:
            self._record(data)
        if step is None and commit is not False:
            self._step += 1

    def _record(self, data: Mapping[str, Any]) -> None:
        self._at |= {
            name: int(data[name]) for name in set(self._axes.values()) if _counts(data.get(name))
        }
        rows: dict[int, dict[str, Any]] = {}
        for name, value in data.items():
            at = self._step_of(str(name))
            if self._is_event(str(name), value, at):
                continue
            rows.setdefault(at, {})[str(name)] = value
        assert self.recorded is not None
        for at, values in rows.items():
            self.recorded.log(values, step=at)
            self.summary.note(values)

    def _is_event(self, name: str, value: Any, step: int) -> bool:
        """Whether this is not a number, and was dealt with."""
        assert self.recorded is not None
        if value is None:
            return True
        if isinstance(value, Histogram):
            self.recorded.log_histogram(name, value.values, step, bins=value.num_bins)
        elif isinstance(value, Table):
            if _COMPLETIONS & {column.lower() for column in value.columns}:
                rows = [dict(zip(value.columns, row, strict=False)) for row in value.data]
                self.recorded.log_samples(rows, step)
            else:
                self.recorded.log_table(name, value.columns, value.data, step)
        elif isinstance(value, str):
            self.recorded.log_text(name, value, step)
        elif isinstance(value, WandbMedia) or type(value).__name__ in ("Figure", *_MEDIA):
            tell_once(f"runvitals: {type(value).__name__} is accepted, but not recorded")
        elif isinstance(value, list) and value and isinstance(value[0], WandbMedia):
            return self._is_event(name, value[0], step)
        else:
            return False
        return True

    def _step_of(self, name: str) -> int:
        axis = self._axes.get(name) or next(
            (axis for known, axis in self._axes.items() if fnmatchcase(name, known)), None
        )
        return self._step if axis is None else self._at.get(axis, self._step)

    def define_metric(
        self, name: str, step_metric: Any = None, *_: Any, **__: Any
    ) -> SimpleNamespace:
        """Draw `name` (a pattern may end with `*`) over another number than the step."""
        axis = getattr(step_metric, "name", step_metric)
        if axis:
            self._axes[str(name)] = str(axis)
        return SimpleNamespace(name=name, step_metric=axis)

    def watch(self, *_: Any, **__: Any) -> None:
        """Accepted and not recorded: `rv.watch` needs the optimiser as well."""
        if self.recorded is not None:
            tell_once("runvitals: watch() is not recorded; call rv.watch(model, optimizer)")

    def unwatch(self, *_: Any, **__: Any) -> None:
        """Nothing: what is watched ends with the run."""

    def alert(self, title: str, text: str = "", *_: Any, **__: Any) -> None:
        """Say it on standard error and keep it as a text of the run."""
        tell(f"runvitals: {title}: {text}" if text else f"runvitals: {title}")
        if self.recorded is not None:
            self.recorded.log_text("alert", f"{title}: {text}", self._step)

    def log_artifact(self, artifact: Any = None, *_: Any, **__: Any) -> Any:
        """Accepted and not stored."""
        tell_once("runvitals: artifacts are accepted, but not stored")
        return artifact

    use_artifact = link_artifact = log_artifact
    log_model = link_model = log_artifact

    def save(self, *_: Any, **__: Any) -> list[str]:
        """Accepted and not stored."""
        tell_once("runvitals: save() is accepted, but no file is stored")
        return []

    def log_code(self, *_: Any, **__: Any) -> None:
        """The run has the git commit."""

    mark_preempting = _label = log_code

    def get_url(self) -> str:
        """The run's folder."""
        return self.url

    def project_name(self) -> str:
        """The project."""
        return self.project

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        """End the run, if it began here."""
        global run, config, summary
        if self._session is not None:
            self._session.end("crashed" if exit_code else "finished")
        if run is self:
            run, config, summary = None, Config(), WandbSummary()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.finish(0 if kind is None else 1)


def _counts(value: Any) -> bool:
    """Whether a step metric can be a step: whole numbers can, epochs in fractions cannot."""
    try:
        return float(value).is_integer()
    except (TypeError, ValueError, OverflowError):
        return False


# the module's own functions

Run = WandbRun  # as W&B calls it
run: WandbRun | None = None
config: Config = Config()
summary: WandbSummary = WandbSummary()
api = SimpleNamespace(api_key="not needed", viewer=dict)


def init(
    entity: str | None = None,
    project: str | None = None,
    dir: str | os.PathLike[str] | None = None,
    id: str | None = None,
    name: str | None = None,
    notes: str | None = None,
    tags: Sequence[str] | None = None,
    config: Any = None,
    *,
    group: str | None = None,
    job_type: str | None = None,
    mode: str | None = None,
    resume: bool | str | None = None,
    reinit: bool | str | None = None,
    stop_on: StopOn | None = None,
    **_: Any,
) -> WandbRun:
    """Begin a run, or give back the one there is unless `reinit` is set.

    All arguments of W&B are accepted; `mode="disabled"` (or `WANDB_MODE`) records nothing.
    """
    global run
    if run is not None:
        if not reinit or reinit == "return_previous":
            if config is not None:
                run.config.update(config)
            return run
        if reinit != "create_new":
            run.finish()
    project = project or os.environ.get("WANDB_PROJECT")
    about = {
        "entity": entity, "project": project, "name": name, "group": group,
        "job_type": job_type, "tags": tags, "notes": notes,
    }  # fmt: skip
    session = None
    if (mode or os.environ.get("WANDB_MODE")) != "disabled":
        id = id or os.environ.get("WANDB_RUN_ID")
        given = {
            "project": project,
            "name": name or os.environ.get("WANDB_NAME"),
            "dir": Path(dir) / "runs" if dir is not None else None,
            "id": id,
            "resume": _RESUMES.get(resume or os.environ.get("WANDB_RESUME"), False),
            "tags": tags,
            "notes": notes,
        }
        session = AdapterSession(None, stop_on=stop_on, joins_adapters=False)
        session.begin(defaults={key: value for key, value in given.items() if value})
    run = WandbRun(session, about=about)
    told = {"group": group, "job_type": job_type}
    if run.recorded is not None and any(told.values()):
        run.recorded.update_config({key: value for key, value in told.items() if value})
    if config is not None:
        run.config.update(config)
    module = sys.modules[__name__]
    module.config, module.summary = run.config, run.summary  # type: ignore[attr-defined]
    return run


def _of_the_run(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the run as a function of the module."""

    @functools.wraps(method)
    def call(*args: Any, **more: Any) -> Any:
        if run is None:
            raise Error("You must call wandb.init() before this", hint="wandb.init(project=...)")
        return getattr(run, method.__name__)(*args, **more)

    return call


log, define_metric = _of_the_run(WandbRun.log), _of_the_run(WandbRun.define_metric)
watch, alert = _of_the_run(WandbRun.watch), _of_the_run(WandbRun.alert)
log_artifact, save = _of_the_run(WandbRun.log_artifact), _of_the_run(WandbRun.save)


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """End the run."""
    if run is not None:
        run.finish(exit_code)


def login(*_: Any, **__: Any) -> bool:
    """There is nothing to log in to."""
    return True


def setup(*_: Any, **__: Any) -> None:
    """Nothing."""


unwatch = require = restore = setup


def termlog(string: str = "", *_: Any, **__: Any) -> None:
    """Print on standard error."""
    tell(str(string))


termwarn = termerror = termlog
util = SimpleNamespace(generate_id=lambda length=8: secrets.token_hex(length)[:length])


def install() -> None:
    """Make `import wandb` give this module, for frameworks that import it themselves.

    Call it before they are imported. A W&B that is in use already stays what it is, with an error.
    """
    here = sys.modules[__name__]
    loaded = sys.modules.get("wandb")
    if loaded is not None and loaded is not here:
        hint = "call runvitals.integrations.wandb.install() before the imports that need it"
        raise Error("wandb was imported before install()", hint=hint)
    sys.modules["wandb"] = here
    inner = ModuleType("wandb.sdk.lib.config_util")
    inner.ConfigError = Error  # type: ignore[attr-defined]  # transformers catches it
    for name in ("wandb.sdk", "wandb.sdk.lib"):
        sys.modules[name] = ModuleType(name)
    sys.modules[inner.__name__] = inner
