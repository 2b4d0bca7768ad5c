"""What all hooks share: wrapping a call, recording what it was given, and recording it once.

A value often passes through several libraries: transformers' Trainer hands it to its TensorBoard
callback, which hands it to a SummaryWriter. The outermost hook records it. What a hook further inside
is given is recorded only if it is something else. Two loggers that are given the same value of the same
name at the same step, one after the other, are one too.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runvitals.recorder.live import LiveRun

MAX_KEPT = 8  # parsed command lines
MAX_REMEMBERED = 20_000  # names whose last value is kept to know it again


@dataclass
class Call:
    """One call of a hooked function, while it lasts."""

    source: str
    instance: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    given: dict[str, Any] = field(default_factory=dict)  # by name, as this hook recorded it

    def argument(self, place: int, name: str, default: Any = None) -> Any:
        """An argument by its place or name."""
        if len(self.args) > place:
            return self.args[place]
        return self.kwargs.get(name, default)

    def inside(self, source: str) -> bool:
        """Whether a call of this hook led to this one."""
        return any(one.source == source for one in _calls.open if one is not self)


See = Callable[[Call], None]
SeeResult = Callable[[Call, Any], None]


@dataclass(frozen=True)
class Hook:
    """One library: what is recorded of it, and what looks at which of its calls.

    A call is named `module:Class.method`; `a|b` takes the first of the two that there is. `calls` are
    seen before they are made, `results` once they have returned.
    """

    name: str
    title: str
    records: str
    calls: Mapping[str, See] = field(default_factory=dict)
    results: Mapping[str, SeeResult] = field(default_factory=dict)

    @property
    def modules(self) -> list[str]:
        """The modules whose import it waits for."""
        return list({place.partition(":")[0]: None for place in (*self.calls, *self.results)})

    def install(self, module: str, found: ModuleType) -> None:
        """Wrap the calls of a module that was imported; what fails is said, and it goes unhooked."""
        try:
            for place, see in self.calls.items():
                if path := _path_in(module, found, place):
                    watch(found, path, self.name, before=see)
            for place, see_result in self.results.items():
                if path := _path_in(module, found, place):
                    watch(found, path, self.name, after=see_result)
        except Exception as error:  # noqa: BLE001 - the library is another version; it works on
            report(self.name, f"cannot be set up in {module}: {_said(error)}")


def _path_in(module: str, found: ModuleType, place: str) -> str:
    """Where a call is in a module; empty if it is in another one."""
    home, _, paths = place.partition(":")
    *others, last = paths.split("|")
    there = (path for path in others if hasattr(found, path.partition(".")[0]))
    return next(there, last) if home == module else ""


class _Calls(threading.local):
    def __init__(self) -> None:
        self.open: list[Call] = []  # the innermost last


_calls = _Calls()
_last: dict[str, tuple[str, int | None, Any]] = {}  # source, step and value, by name
_kept: list[Any] = []  # settings that wait for a run
_reported: set[str] = set()
_run: LiveRun | None = None
_process = 0


def watch(
    owner: Any, name: str, source: str, *, before: See | None = None, after: SeeResult | None = None
) -> None:
    """Have each call of `owner.name` looked at before it is made, or with what it returned."""
    from wrapt import wrap_function_wrapper

    def called(wrapped: Any, instance: Any, args: Any, kwargs: Any) -> Any:
        call = Call(source, instance, args, kwargs)
        around = _calls.open
        around.append(call)
        try:
            with _contained(source):
                if before is not None:
                    before(call)
            result = wrapped(*args, **kwargs)
            with _contained(source):
                if after is not None:
                    after(call, result)
            return result
        finally:
            around.pop()

    wrap_function_wrapper(owner, name, called)


@contextmanager
def _contained(source: str) -> Iterator[None]:
    """What fails inside is said, and does not reach the training."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - the training is more important than its record
        report(source, f"failed: {_said(error)}")


def record(call: Call, values: Mapping[str, Any], step: Any = None) -> None:
    """Record the numbers among some values, unless they were recorded on their way here."""
    outer = _calls.open[:-1]
    at = None if step is None else int(step)
    new: dict[str, Any] = {}
    replaced = _is_replaced(call)
    for name, value in _numbers(values, ""):
        call.given[name] = value
        if replaced:
            continue
        if outer and any(_passed_on(one, name, value) for one in outer):
            continue
        before = _last.get(name)
        if before is not None and at is not None:
            source, step_before, known = before
            # another library was given the same value at the same step just before
            if source != call.source and step_before == at and _same(known, value):
                continue
        if before is not None or len(_last) < MAX_REMEMBERED:
            _last[name] = (call.source, at, value)
        new[name] = value
    if new:
        run_of_process().log(new, at)


Argument = tuple[int, str]  # of a call: its place and its name


def rows(values: Argument, step: Argument) -> See:
    """Record the numbers that one argument of a call holds, at the step that another is."""
    return lambda call: record(call, call.argument(*values) or {}, call.argument(*step))


def one_value(name: Argument, value: Argument, step: Argument) -> See:
    """Record a single number, whose name is an argument too."""
    return lambda call: record(
        call, {str(call.argument(*name)): call.argument(*value)}, call.argument(*step)
    )


def settings(config: Argument) -> See:
    """Add the settings that an argument of a call holds."""
    return lambda call: record_config(call, call.argument(*config))


def _is_replaced(call: Call) -> bool:
    """Whether an adapter of ours records this library in this process: once is enough."""
    session = sys.modules.get("runvitals.integrations.session")
    return session is not None and call.source in session.REPLACED_HOOKS


def record_config(call: Call, config: Any) -> None:
    """Add settings that a library was given."""
    if config is not None and not _is_replaced(call):
        call.given["config"] = config
        run_of_process().update_config(config)


def keep_config(config: Any) -> None:
    """Settings of the process, for the run that it may record; what libraries say counts for more."""
    _kept.append(config)
    del _kept[:-MAX_KEPT]


def run_of_process() -> LiveRun:
    """The run to record into; joined or begun with the first value."""
    global _run, _process
    if _run is None or _process != os.getpid() or _run.status != "running":
        from runvitals.integrations.session import recording

        _run, _process = recording(), os.getpid()
    while _kept:
        from runvitals.recorder.config import flat_config

        settings, known = flat_config(_kept.pop()), _run.config
        _run.update_config({key: value for key, value in settings.items() if key not in known})
    return _run


def _numbers(values: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    """The numbers by name, nested ones under `outer/inner`; tables, pictures and words are left out."""
    found: list[tuple[str, Any]] = []
    for key, value in values.items():
        name = f"{prefix}{key}"
        kind = type(value)
        if kind is float or kind is int:
            found.append((name, value))
        elif isinstance(value, Mapping):
            found += _numbers(value, f"{name}/")
        elif _is_scalar(value):
            found.append((name, value))
    return found


def _is_scalar(value: Any) -> bool:
    if isinstance(value, bool | int | float):
        return True
    if not hasattr(value, "__float__") or isinstance(value, str | bytes):
        return False
    size = getattr(value, "size", None)  # NumPy and JAX: a number; torch: a function
    count = value.numel() if hasattr(value, "numel") else size
    return count is None or count == 1


def _passed_on(outer: Call, name: str, value: Any) -> bool:
    """Whether an outer hook was given this already: `loss` there is `train/loss` here."""
    mine = name.replace("/", "_")
    return any(
        mine.endswith(other.replace("/", "_")) and _same(known, value)
        for other, known in outer.given.items()
    )


def _same(one: Any, other: Any) -> bool:
    """Equal numbers; arrays on devices are not asked, they are the same or not."""
    if one is other:
        return True
    if isinstance(one, float | int) and isinstance(other, float | int):
        return one == other or (one != one and other != other)
    if _on_host(one) and _on_host(other):
        return bool(float(one) == float(other))
    return False


def _on_host(value: Any) -> bool:
    """Whether asking it for its number waits for no device."""
    if isinstance(value, float | int) or type(value).__module__ == "numpy":
        return True
    return getattr(getattr(value, "device", None), "type", "") == "cpu"


def report(source: str, text: str) -> None:
    """Say once per hook what went wrong with it."""
    if source in _reported:
        return
    _reported.add(source)
    message = f"the hook for {source} {text}; training continues, its values may be missing"
    try:
        from runvitals.integrations.session import current_run
        from runvitals.recorder.stderr import warn

        run = current_run()
        if run is not None:
            run.complain(f"hook {source}", message)
        else:
            warn(f"runvitals: {message}")
    except Exception:  # noqa: BLE001 - without runvitals' own packages there is only one way left
        print(f"runvitals: {message}", file=sys.stderr)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _forget() -> None:
    """In a forked child: nothing is open, and nothing was recorded."""
    _calls.open = []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
