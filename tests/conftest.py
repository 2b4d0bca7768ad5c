"""Fixtures that many tests share."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine takes its time
settings.load_profile("patient")

# Small matrices: the threads of one worker's BLAS only wait for those of the other worker's.
# Read when NumPy is first imported, here or in a process that a test starts.
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import runvitals as rv  # noqa: E402
from runvitals.cli.main import main  # noqa: E402
from runvitals.diagnosis.live import judge, notify  # noqa: E402
from runvitals.recorder import background, flusher, live, sink_thread, stderr  # noqa: E402

LAUNCHER = (
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_STEP_NUM_TASKS",
)

LONG = (  # files that take a minute or so begin first, so that no worker waits for them at the end
    "tests/test_scoreboard.py",
    "tests/test_docs.py",
    "tests/lab/test_running.py",
    "tests/observe/",
    "tests/recorder/test_life.py",
    "tests/lab/test_ppo.py",
    "tests/signs/",
    "tests/test_benchmarks.py",
    "tests/lab/",
    "tests/web/",
    "tests/cli/",
    "tests/remote/",
    "tests/frameworks/test_examples.py",  # these start a process with a large framework for each test
    "tests/frameworks/test_integration_others.py",
    "tests/frameworks/test_ways_to_begin.py",
    "tests/frameworks/test_made.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, the others in their order."""
    items.sort(
        key=lambda item: next((i for i, p in enumerate(LONG) if item.nodeid.startswith(p)), 99)
    )


def wait_until(true: Callable[[], Any], seconds: float = 600.0) -> None:
    """Until something is so, which it should be soon; a busy machine may take its time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


@pytest.fixture
def until() -> Callable[..., None]:
    """`until(lambda: ...)` waits for something, however slow the machine."""
    return wait_until


@pytest.fixture(scope="session", autouse=True)
def _control_c_is_heard() -> Iterator[None]:
    """Tests that press Ctrl-C also pass under `nohup` and in the background of a script.

    There SIGINT is ignored from the start, and every child inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


# Seconds after which a run no longer waits for a disk, a sink, a device or a rule.
PATIENCE = (
    (flusher, "FLUSH_PATIENCE"),
    (flusher, "LANES_SECONDS"),
    (flusher, "END_SECONDS"),
    (sink_thread, "STUCK_SECONDS"),
    (live, "DEVICE_SECONDS"),
    (live, "LAST_DEVICE_SECONDS"),
    (background, "DEVICE_SECONDS"),
    (stderr, "HEARD_SECONDS"),
    (judge, "CLOSE_SECONDS"),
    (judge, "RULE_SECONDS"),
    (notify, "CLOSE_SECONDS"),
)


@pytest.fixture(autouse=True)
def _patient_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run gives nothing up because the machine is busy; tests of giving up set their own limits."""
    for module, name in PATIENCE:
        monkeypatch.setattr(module, name, 600.0)
    monkeypatch.setattr(live.LiveRun.flush, "__defaults__", (600.0,))  # `patience`


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No launcher and no user settings leak into the tests."""
    for name in [*LAUNCHER, *(k for k in os.environ if k.startswith("RUNVITALS_"))]:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., rv.LiveRun]]:
    """`rv.init` with the store alone, into a temporary folder; finished at the end of the test."""
    begun: list[rv.LiveRun] = []

    def begin(**options: Any) -> rv.LiveRun:
        quiet = dict.fromkeys(("console", "tensorboard", "system", "judge"), False)
        run = rv.init(**{"project": "test", "dir": tmp_path, **quiet, **options})
        begun.append(run)
        return run

    yield begin
    for run in begun:
        run.finish()


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python source in a process of its own, in the temporary folder."""

    def run(source: str, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(source))
        defaults: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 600}
        return subprocess.run(
            [sys.executable, str(path), *words],
            cwd=tmp_path,
            check=False,
            **{**defaults, **options},
        )

    return run


@pytest.fixture
def runvitals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command in the temporary folder, 100 columns wide; in this process, which is quicker."""

    def run(*words: object, input: str = "") -> subprocess.CompletedProcess[str]:
        said = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in ("stdout", "stderr")]
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setenv("COLUMNS", "100")
            patch.setattr(sys, "argv", ["runvitals", *map(str, words)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input.encode())))
            patch.setattr(sys, "stdout", said[0])
            patch.setattr(sys, "stderr", said[1])
            code = ended_with(main)
        texts = []
        for stream in said:
            stream.flush()
            stream.seek(0)
            texts.append(stream.read())
        return subprocess.CompletedProcess(words, code, *texts)

    return run


def ended_with(command: Any) -> int:
    """The code with which a process that does this would end."""
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


_NOISE: dict[str, Any] = {}  # the state of each test module's `RNG` when it was imported


@pytest.fixture(autouse=True)
def _same_noise_in_any_order(request: pytest.FixtureRequest) -> None:
    """What a test draws from its module's `RNG` does not depend on the tests before it."""
    noise = getattr(getattr(request, "module", None), "RNG", None)
    if noise is not None:
        state = _NOISE.setdefault(request.module.__name__, noise.bit_generator.state)
        noise.bit_generator.state = state
