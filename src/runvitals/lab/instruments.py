"""What stands between a trainer and its run: other names, metrics left out, and faults of the plant.

The faults here need nothing of a trainer but that it logs: a slow step, a leak, a logger gone wrong.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from runvitals.lab.contract import HEALTHY, Recorder, Sickness
from runvitals.lab.pages import faults

FAULTS = faults("""
slow-steps (X01): every step takes several times as long as before
  expect: PERF001; harm: speed; doses: 0.5, 2.0, 6.0  # times the step's own time, slept
too-many-scalars (X02): thousands of scalars are logged at every step
  expect: PERF001, PERF003; accept: DATA008; doses: 1000, 10000, 30000; harm: speed
memory-leak (X03): a list grows at every step and is never emptied
  expect: SYS003; accept: SYS001; harm: memory; doses: 2, 6, 20  # MB per logged step
step-restarts (X07): the step counter of the logger starts again at 0
  expect: DATA003; harm: telemetry
frozen-metric (X08): one metric is logged with its old value forever
  expect: DATA004; harm: telemetry
hangs (X09): the process stops in the middle (this one really stops itself, with SIGSTOP)
  expect: PERF006; harm: telemetry
entropy-sign (X10): entropy is logged with the wrong sign
  expect: NUM003, DATA006; harm: telemetry
""")
FREEZABLE = ("policy/entropy", "actor/entropy", "entropy", "value/loss", "optim/grad_norm", "loss")
LEAK_UNIT = 125_000  # float64 numbers in a megabyte


class Instruments:
    """A `Recorder` that hands on to another what is meant to reach it."""

    def __init__(
        self,
        run: Recorder,
        sick: Sickness = HEALTHY,
        *,
        names: Mapping[str, str] | None = None,
        hide: Sequence[str] = (),
    ) -> None:
        self._run = run
        self._sick = sick
        self._names = dict(names or {})
        self._hide = tuple(hide)
        self._frozen: tuple[str, Any] | None = None
        self._began_again_at: int | None = None
        self._leaked: list[Any] = []
        self._last_log = time.perf_counter()
        self.first_sick_step: int | None = None

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers, after whatever is wrong with the plant has had its turn."""
        values = {name: value for name, value in values.items() if not self._hidden(name)}
        if self._sick.active and self.first_sick_step is None:
            self.first_sick_step = step
        if times := self._sick("slow-steps"):
            time.sleep(times * (time.perf_counter() - self._last_log))
        if count := self._sick("too-many-scalars"):
            values |= {f"debug/layer_{i:05d}": float(i) for i in range(int(count))}
        if megabytes := self._sick("memory-leak"):
            self._leaked.append(np.ones(int(megabytes * LEAK_UNIT)))
        if self._sick("step-restarts") and step is not None:
            self._began_again_at = step if self._began_again_at is None else self._began_again_at
            step -= self._began_again_at
        if self._sick("frozen-metric"):
            values |= self._freeze(values)
        if self._sick("hangs"):
            self._run.flush()  # a brief run may not have written anything yet
            os.kill(os.getpid(), signal.SIGSTOP)
        if self._sick("entropy-sign"):
            values |= {name: -value for name, value in values.items() if name.endswith("entropy")}
        self._run.log({self._name(name): value for name, value in values.items()}, step)
        self._last_log = time.perf_counter()

    def _freeze(self, values: Mapping[str, Any]) -> dict[str, Any]:
        if self._frozen is None:
            name = next((name for name in FREEZABLE if name in values), next(iter(values)))
            self._frozen = name, values[name]
        return dict([self._frozen])

    def _name(self, name: str) -> str:
        return self._names.get(name, name)

    def _hidden(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._hide)

    def log_histogram(self, name: str, values: Any, step: int | None = None) -> None:
        """Record a distribution."""
        if not self._hidden(name):
            self._run.log_histogram(self._name(name), values, step)

    def log_text(self, name: str, text: str, step: int | None = None) -> None:
        """Record a text."""
        if not self._hidden(name):
            self._run.log_text(self._name(name), text, step)

    def __getattr__(self, method: str) -> Any:
        """Everything else is the run's own."""
        return getattr(self._run, method)
