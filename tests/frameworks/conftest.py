"""Comparison with independent implementations, and the largest difference seen per oracle."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest

# Some virtual machines advertise AMX and then forbid its instructions; without it bfloat16 runs
# everywhere. Read when torch first multiplies, here or in a process that a test starts.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

_worst: dict[str, float] = defaultdict(float)
_checks: dict[str, int] = defaultdict(int)

RTOL = 1e-6

Close = Callable[..., None]


@pytest.fixture
def close() -> Close:
    """`close(oracle, ours, theirs)`: equal within 1e-6, relative to the size of the numbers."""

    def check(oracle: str, ours: object, theirs: object, *, scale: float = 0.0) -> None:
        a = np.asarray(_host(ours), dtype=np.float64)
        b = np.asarray(_host(theirs), dtype=np.float64)
        assert a.shape == b.shape, (a.shape, b.shape)
        assert (np.isnan(a) == np.isnan(b)).all(), (a, b)
        off = np.abs(np.nan_to_num(a) - np.nan_to_num(b))
        size = max(float(np.nanmax(np.abs(b), initial=0.0)), scale)
        error = float(off.max(initial=0.0)) / size if size > 0 else float(off.max(initial=0.0))
        _worst[oracle] = max(_worst[oracle], error)
        _checks[oracle] += a.size
        assert error <= RTOL, f"{oracle}: {a} and {b} differ by {error:.2e}"

    return check


def _host(x: object) -> object:
    return x.detach().cpu() if hasattr(x, "detach") else x


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands over what it saw."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["oracles"] = [dict(_worst), dict(_checks)]


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_testnodedown(node) -> None:
    worst, checks = getattr(node, "workeroutput", {}).get("oracles", ({}, {}))
    for oracle, error in worst.items():
        _worst[oracle] = max(_worst[oracle], error)
        _checks[oracle] += checks[oracle]


def pytest_terminal_summary(terminalreporter) -> None:
    if not _worst:
        return
    terminalreporter.section("largest relative difference per oracle")
    for oracle in sorted(_worst):
        worst = _worst[oracle]
        text = "0" if worst == 0 else f"{worst:.1e}" if math.isfinite(worst) else str(worst)
        terminalreporter.write_line(f"{text:>9}  {oracle} ({_checks[oracle]} numbers)")


@pytest.fixture(params=range(6), ids=lambda i: f"batch{i}")
def batch(request) -> dict[str, np.ndarray]:
    """Random (B, T) batches with masks; among them one element, and rows without a token."""
    i = request.param
    rng = np.random.default_rng(500 + i)
    rows, width = [(1, 1), (1, 9), (4, 1), (5, 12), (16, 33), (7, 20)][i]
    shape = (rows, width)
    mask = np.arange(width) < rng.integers(1, width + 1, rows)[:, None]
    if rows > 3:
        mask &= rng.random(shape) < 0.9
        mask[2] = False  # a row without tokens
    if not mask.any():
        mask[0, 0] = True
    old = rng.normal(-1.5, 0.8, shape)
    return {
        "mask": mask,
        "old": old,
        "new": old + rng.normal(0.0, 0.4, shape),
        "ref": old + rng.normal(0.0, 0.5, shape),
        "adv": rng.normal(0.0, 1.0, shape),
        "values": rng.normal(0.0, 1.0, shape),
        "old_values": rng.normal(0.0, 1.0, shape),
        "returns": rng.normal(0.5, 1.5, shape),
        "rewards": rng.normal(0.0, 1.0, shape),
        "scores": rng.integers(0, 2, rows).astype(float),
    }
