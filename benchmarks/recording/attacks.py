"""What kills, flipped bits, cuts, blocked outputs, full disks, ranks and odd input cost a run.

Also what a bucket (a shared folder) lacks or mixes up when shippers are killed or two runs share an id.

Of each attack: how often it was tried, rows that are missing afterwards, rows that are there twice, and
cases in which something is missing or wrong and nothing says so. The last two have to be 0.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import numpy as np
import psutil

import runvitals as rv
from benchmarks.dashboard import attacks
from benchmarks.recording.bombs import BOMBS
from runvitals.model import Run, RunTakenError, RunvitalsError
from runvitals.recorder import sink_thread
from runvitals.remote import start
from runvitals.remote.mirror import mirror_of
from runvitals.remote.push import push

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@dataclass
class Outcome:
    """What an attack did."""

    tried: int = 0
    lost: int = 0
    doubled: int = 0
    silent: int = 0
    note: str = ""


def _script(folder: Path, source: str, **options: object) -> subprocess.Popen[str]:
    path = folder / "script.py"
    path.write_text(
        "import os, signal, sys, time\nimport runvitals as rv\n" + textwrap.dedent(source)
    )
    return subprocess.Popen(
        [sys.executable, str(path)], cwd=folder, text=True, stdout=subprocess.PIPE, **options
    )


def _count(outcome: Outcome, view: Run, expected: int, name: str = "x") -> None:
    """Compare the steps 0, 1, ... of a series, each of which holds its own number, with the truth."""
    series = view.get(name)
    steps = np.empty(0, np.int64) if series is None else series.steps
    kept = len(np.unique(steps))
    wrong = series is not None and not np.array_equal(series.values, steps.astype(float))
    missing = max(0, expected - kept)
    outcome.tried += 1
    outcome.lost += missing
    outcome.doubled += len(steps) - kept
    outcome.silent += bool((missing or wrong) and not view.missing)


def kills(count: int) -> Outcome:
    """kill -9 at a random moment; what `flush` returned from has to be there."""
    found = Outcome(note="lost: rows that were flushed")
    for attempt in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            process = _script(
                folder,
                f"""
                run = rv.init("p", id="r", dir=".", **{QUIET})
                for i in range(10**9):
                    run.log({{"x": float(i)}}, step=i)
                    if i % 500 == 0:
                        run.flush()
                        os.pwrite(3, str(i).encode().ljust(20), 0)
                """,
                pass_fds=(_said(folder),),
            )
            while not (folder / "said").read_bytes() and process.poll() is None:
                time.sleep(0.01)
            time.sleep(random.Random(attempt).uniform(0.0, 0.6))
            process.kill()
            process.wait()
            flushed = int((folder / "said").read_bytes() or 0)
            view = rv.open_run(folder / "p" / "r")
            _count(found, view, flushed + 1)
    return found


def resumed_kills(count: int) -> Outcome:
    """kill -9 twice, each time at a random moment, and a third life that finishes."""
    found = Outcome(note="each life goes on behind what the one before it flushed")
    for attempt in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            chance = random.Random(attempt)
            for life in range(3):
                process = _script(
                    folder,
                    f"""
                    run = rv.init("p", id="r", dir=".", resume=True, **{QUIET})
                    begin = 0 if run.step is None else run.step + 1
                    for i in range(begin, begin + (10**9 if {life} < 2 else 1000)):
                        run.log({{"x": float(i)}}, step=i)
                        if i % 500 == 0:
                            run.flush()
                            os.pwrite(3, str(i).encode().ljust(20), 0)
                    run.finish()
                    os.pwrite(3, str(i).encode().ljust(20), 0)
                    """,
                    pass_fds=(_said(folder),),
                )
                if life < 2:
                    before = (folder / "said").read_bytes()
                    while (folder / "said").read_bytes() == before and process.poll() is None:
                        time.sleep(0.01)
                    time.sleep(chance.uniform(0.0, 0.3))
                    process.kill()
                process.wait()
            last = int((folder / "said").read_bytes())
            _count(found, rv.open_run(folder / "p" / "r"), last + 1)
    return found


def _said(folder: Path) -> int:
    file = os.open(folder / "said", os.O_RDWR | os.O_CREAT)
    if file != 3:
        os.dup2(file, 3)
        os.close(file)
    os.set_inheritable(3, True)
    return 3


def _finished(folder: Path, *, compact: bool) -> Path:
    run = rv.init("p", dir=folder, compact=compact, **QUIET)
    for i in range(2000):
        run.log({"x": float(i), "loss": 1 / (i + 1), "lr": 3e-4}, step=i)
        if i % 100 == 0:
            run.log({"rare": float(i)}, step=i)
            run.flush()
    run.finish()
    return run.folder


def _damage(count: int, *, compact: bool, cut: bool) -> Outcome:
    found = Outcome()
    with tempfile.TemporaryDirectory() as name:
        folder = _finished(Path(name), compact=compact)
        ending = "*.parquet" if compact else "*.arrows"
        files = sorted((folder / "points").glob(ending))
        truth = _numbers(rv.open_run(folder))
        chance = random.Random(0)
        for _ in range(count):
            path = chance.choices(files, [f.stat().st_size for f in files])[0]
            good = path.read_bytes()
            if cut:
                bad = good[: chance.randrange(len(good))]
            else:
                changed = bytearray(good)
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
                bad = bytes(changed)
            path.write_bytes(bad)
            found.tried += 1
            try:
                view = rv.open_run(folder)
            except RunvitalsError:
                found.lost += len(truth["x"][0])
            else:
                now = _numbers(view)
                found.lost += sum(len(column[0]) for column in truth.values())
                found.lost -= sum(len(column[0]) for key, column in now.items() if key in truth)
                found.silent += not view.warnings and not _same(now, truth)
            path.write_bytes(good)
    found.note = "lost: points, told"
    return found


def metadata_bits(count: int) -> Outcome:
    """Each bit of a table's metadata: the names and places of its columns, which no page sums up."""
    found = Outcome()
    with tempfile.TemporaryDirectory() as name:
        folder = _finished(Path(name), compact=True)
        path = folder / "points" / "rank0.parquet"
        good = path.read_bytes()
        truth = _numbers(rv.open_run(folder))
        footer = int.from_bytes(good[-8:-4], "little") + 8
        told = 0
        for bad in _flipped(good, len(good) - footer, count):
            path.write_bytes(bad)
            found.tried += 1
            view = rv.open_run(folder)
            now = _numbers(view)
            told += bool(view.missing)
            found.silent += not view.missing and not _same(now, truth)
            found.lost += sum(len(column[0]) for column in truth.values())
            found.lost -= sum(len(column[0]) for key, column in now.items() if key in truth)
    found.note = f"{told:,} told; lost: points, told"
    return found


def run_file_bits(count: int) -> Outcome:
    """Bits all over run.json: who the run is, its settings and how it ended."""
    found = Outcome()
    with tempfile.TemporaryDirectory() as name:
        folder = _finished(Path(name), compact=True)
        path = folder / "run.json"
        good = path.read_bytes()
        truth = _identity(rv.open_run(folder))
        told = 0
        for bad in _flipped(good, 0, count):
            path.write_bytes(bad)
            found.tried += 1
            view = rv.open_run(folder)
            told += bool(view.warnings)
            found.silent += not view.warnings and _identity(view) != truth
    found.note = f"{told:,} told; the others say the same as before"
    return found


def _flipped(data: bytes, begin: int, count: int) -> Iterator[bytes]:
    """The same bytes with one bit flipped: each from a place on, or as many of them, evenly spread."""
    bits = range(8 * begin, 8 * len(data))
    for bit in bits[:: max(1, len(bits) // count)]:
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        yield bytes(bad)


def _identity(view: Run) -> tuple[object, ...]:
    words = (view.id, view.name, view.project, view.status, view.tags, view.notes, view.exit_code)
    return *words, view.started, view.ended, view.config, view.summary, view.provenance


def _numbers(view: Run) -> dict[str, tuple[np.ndarray, ...]]:
    return {name: view.points.column(name) for name in view.names()}


def _same(one: dict[str, tuple[np.ndarray, ...]], other: dict[str, tuple[np.ndarray, ...]]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(a, b, equal_nan=True)
        for name in one
        for a, b in zip(one[name], other[name], strict=True)
    )


def fuzz(count: int) -> Outcome:
    """Any file of a run folder with bytes changed, moved or inserted; nothing may crash."""
    found = Outcome(note="silently wrong: crashes")
    with tempfile.TemporaryDirectory() as name:
        folders = [_finished(Path(name) / str(c), compact=c) for c in (True, False)]
        chance = random.Random(1)
        for i in range(count):
            folder = folders[i % 2]
            path = chance.choice([p for p in folder.rglob("*") if p.is_file()])
            good = path.read_bytes()
            bad = bytearray(good)
            for _ in range(chance.choice([1, 3, 30])):
                at = chance.randrange(len(bad) + 1)
                bad[at : at + chance.randrange(8)] = chance.randbytes(chance.randrange(8))
            path.write_bytes(bad)
            found.tried += 1
            try:
                view = rv.open_run(folder)
                _numbers(view)
                rv.judge(view) if i % 20 == 0 else None
            except RunvitalsError:
                pass
            except Exception as error:  # noqa: BLE001 - that is what is counted
                found.silent += 1
                found.note += f"; {path.name}: {error!r}"
            path.write_bytes(good)
    return found


def blocked_stderr(count: int) -> Outcome:
    """Standard error is a full pipe; the process is killed after a flush, or finishes."""
    found = Outcome()
    for attempt in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            reader, writer = os.pipe()
            end = "run.finish()" if attempt % 2 else "run.flush()"
            process = _script(
                folder,
                f"""
                os.set_blocking(2, False)
                try:
                    while True: os.write(2, b"x" * 1024)
                except BlockingIOError:
                    os.set_blocking(2, True)
                run = rv.init("p", id="r", dir=".")
                for i in range(10_000):
                    run.log({{"x": float(i), "y": None if i % 1000 == 0 else 1.0}}, step=i)
                {end}
                print("done", flush=True)
                os._exit(0)
                """,
                stderr=writer,
                env={**os.environ, "RUNVITALS_CONSOLE_INTERVAL": "0"},
            )
            os.close(writer)
            began = time.monotonic()
            process.communicate(timeout=300)
            found.note = f"slowest end {time.monotonic() - began:.0f} s with start-up"
            os.close(reader)
            _count(found, rv.open_run(folder / "p" / "r"), 10_000)
    return found


class _Hanging:
    def open(self, info: object) -> None: ...

    def write(self, blocks: object, events: object) -> None:  # noqa: ARG002
        time.sleep(1e6)

    def close(self, status: str) -> None: ...


def blocked_sink(count: int) -> Outcome:
    """A sink of the user's that never returns."""
    found = Outcome()
    for _ in range(count):
        with (
            tempfile.TemporaryDirectory() as name,
            mock.patch.object(sink_thread, "STUCK_SECONDS", 1.0),
        ):
            run = rv.init("p", dir=name, sinks=[_Hanging()], **QUIET)
            for i in range(1000):
                run.log({"x": float(i)}, step=i)
            run.finish()
            _count(found, rv.open_run(run.folder), 1000)
    return found


def full_disk(count: int) -> Outcome:
    """A tmpfs of 1 MB that fills up; half of the time it is freed before the end."""
    found = Outcome(note="lost rows are named in run.json")
    for attempt in range(count):
        folder = Path(tempfile.mkdtemp())
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True
        )
        if mounted.returncode:
            found.note = "mounting a tmpfs needs root: not tried"
            return found
        try:
            ballast = folder / "ballast"
            ballast.write_bytes(bytes(400_000))
            run = rv.init("p", dir=folder, csv=attempt % 3 == 0, **QUIET)
            for i in range(40_000):
                run.log({"x": float(i), "y": random.random()}, step=i)
                if i % 8000 == 0:
                    run.flush()
            if attempt % 2:
                ballast.unlink()
            run.finish()
            _count(found, rv.open_run(run.folder), 40_000)
        finally:
            subprocess.run(["umount", str(folder)], check=True)
            shutil.rmtree(folder)
    return found


def flush_in_handler(count: int) -> Outcome:
    """`flush` and `log` from a signal handler, in the middle of `flush` and `log`."""
    found = Outcome()
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name:
            run = rv.init("p", dir=name, **QUIET)
            before = signal.signal(signal.SIGALRM, lambda *_, run=run: run.flush())
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
            for i in range(20_000):
                run.log({"x": float(i)}, step=i)
                if i % 97 == 0:
                    run.flush()
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            run.finish()
            view = rv.open_run(run.folder)
            found.doubled += max(0, view.points.count - 20_000)
            _count(found, view, 20_000)
    return found


def clock_set_back(count: int) -> Outcome:
    """The wall clock jumps back an hour in the middle of a run: rates and rules must not care."""
    found = Outcome(note="silently wrong: DATA003 without a cause, or rates below 0")
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name:
            run = rv.init("p", dir=name, **QUIET)
            for i in range(1000):
                run.log({"x": float(i), "loss": 1 / (i + 1)}, step=i)
                run.count(env_steps=8)
            with mock.patch.object(time, "time", partial(_an_hour_ago, time.time)):
                for i in range(1000, 2000):
                    run.log({"x": float(i), "loss": 1 / (i + 1)}, step=i)
                    run.count(env_steps=8)
                run.finish()
            view = rv.open_run(run.folder)
            codes = {finding.code for finding in rv.judge(view).findings}
            rates = [view[n].values for n in view.names() if n.startswith("throughput/")]
            _count(found, view, 2000)
            found.silent += "DATA003" in codes or any((values < 0).any() for values in rates)
    return found


def _an_hour_ago(now: Callable[[], float]) -> float:
    return now() - 3600.0


def odd_sizes(count: int) -> Outcome:
    """Streams, tables and run.json made huge by holes, and a tail of zeros."""
    found = Outcome()
    peak = 0
    for attempt in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder = _finished(Path(name), compact=attempt % 4 == 1)
            [points] = (p for p in (folder / "points").iterdir() if "sums" not in p.name)
            grown = folder / "run.json" if attempt % 4 == 2 else points
            if attempt % 4 == 3:
                with open(grown, "ab") as file:
                    file.write(bytes(150_000_000))
            else:
                os.truncate(grown, 1 << 40)
            source = (
                "import resource, sys, runvitals as rv\n"
                "view = rv.open_run(sys.argv[1])\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, view.points.count,"
                " len(view.warnings))"
            )
            words = [sys.executable, "-W", "ignore", "-c", source, str(folder)]
            done = subprocess.run(words, capture_output=True, text=True, timeout=600)
            memory, points_left, warnings = map(int, done.stdout.split())
            peak = max(peak, memory)
            found.tried += 1
            found.lost += 6020 - points_left
            found.silent += not warnings
    found.note = f"lost: points, told; at most {peak >> 10} MB of memory"
    return found


MAX_MEMORY = 1 << 30  # bytes that reading any one file may take


def _elsewhere(write: Callable[[Path], None], path: Path) -> None:
    """Write a file in a process of its own: a child begins with the peak of its parent's memory."""
    process = get_context("spawn").Process(target=write, args=(path,))
    process.start()
    process.join()


def bombs(count: int) -> Outcome:
    """Small files that ask for a lot of memory, checked; one without a message counts as silent."""
    found = Outcome()
    most = (0, "")
    for name, write in BOMBS[:count]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            _elsewhere(write, path)
            words = [sys.executable, "-m", "runvitals.cli.main", "check", str(path)]
            with open(Path(folder) / "said", "w+") as said:
                child = subprocess.Popen(words, stdout=said, stderr=said)
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                said.seek(0)
                text = said.read()
        memory = used.ru_maxrss << 10
        most = max(most, (memory, name))
        found.tried += 1
        told = child.returncode == 2 and "Traceback" not in text and text.strip()
        found.silent += not told or memory > MAX_MEMORY
    found.note = f"at most {most[0] >> 20} MB of memory ({most[1]})"
    return found


def many_names(count: int) -> Outcome:
    """100,000 names in one row, and 3,000 names of 1 MB."""
    found = Outcome()
    notes = []
    for kind in ("{'layer%d' % i: float(i) for i in range(100_000)}", "long"):
        for _ in range(count):
            rows = f"run.log({kind}, step=0)"
            if kind == "long":
                rows = "for i in range(3000): run.log({str(i) + 'x' * 10**6: 1.0}, step=i)"
            with tempfile.TemporaryDirectory() as name:
                source = (
                    "import resource, time\n"
                    f"run = rv.init('p', id='r', dir='.', **{QUIET})\n"
                    f"{rows}\n"
                    "began = time.process_time()\n"
                    "run.finish()\n"
                    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,"
                    " time.process_time() - began)"
                )
                said, _ = _script(Path(name), source).communicate()
                memory, seconds = said.split()
                view = rv.open_run(Path(name) / "p" / "r")
                wanted = 3000 if kind == "long" else 100_000
                missing = wanted - view.points.count
                found.tried += 1
                found.lost += missing
                found.silent += bool(missing and not view.missing)
                notes.append(f"{memory} MB, finish {float(seconds):.1f} s of CPU")
    found.note = "; ".join(notes)
    return found


def ranks(count: int) -> Outcome:
    """Two jobs of four ranks at once, rank 0 last."""
    found = Outcome()
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "rank.py").write_text(
                "import os, runvitals as rv\n"
                f"run = rv.init('p', dir='.', **{QUIET})\n"
                "job = float(os.environ['JOB'])\n"
                "for i in range(500): run.log({'x': float(i), 'job': job}, step=i)\n"
                "run.finish()\n"
            )
            launcher = (
                "import os, subprocess, sys\n"
                "def start(rank):\n"
                "    settings = {**os.environ, 'RANK': str(rank)}\n"
                "    return subprocess.Popen([sys.executable, 'rank.py'], env=settings)\n"
                "all = [start(rank) for rank in (3, 1, 2, 0)]\n"
                "sys.exit(max(p.wait() for p in all))\n"
            )
            jobs = [
                subprocess.Popen(
                    [sys.executable, "-c", launcher],
                    cwd=folder,
                    env={**os.environ, "WORLD_SIZE": "4", "JOB": str(job)},
                )
                for job in (1, 2)
            ]
            codes = [job.wait() for job in jobs]
            runs = [rv.open_run(p) for p in (folder / "p").iterdir() if p.is_dir()]
            found.silent += len(runs) != 2 or any(codes)
            for view in runs:
                found.silent += len(set(view["job"].values)) != 1
                for rank in range(4):
                    steps = view.points.column("x", rank)[0]
                    found.lost += 500 - len(np.unique(steps))
                    found.doubled += len(steps) - len(np.unique(steps))
            found.tried += 8
    return found


def killed_shippers(count: int) -> Outcome:
    """kill -9 of the process that ships a run, again and again; `finish` waits for the last one."""
    found = Outcome()
    chance = random.Random(count)
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(start, "MAX_PAUSE_SECONDS", 2.0),
        mock.patch.dict(os.environ, RUNVITALS_CACHE=f"{name}/cache"),
    ):
        shared = Path(name, "shared")
        shared.mkdir()
        run = rv.init("p", id="r", dir=Path(name, "runs"), remote=shared.as_uri(), **QUIET)
        logged = 0
        for _ in range(count):
            shipper = _shipper_of(run.folder)
            patience = time.monotonic() + chance.choice([0.0, 0.5, 3.0])
            while time.monotonic() < patience:  # until it has begun, listed, shipped, or is idle
                run.log({"x": float(logged)}, step=logged)
                logged += 1
                time.sleep(0.002)
            shipper.kill()
            while shipper.is_running() and shipper.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)
        run.finish(wait=120.0)
        mirror = mirror_of(shared.as_uri())
        mirror.sync()
        view = rv.open_run(mirror.folder)
        _count(found, view, logged)
        if any("not all of" in problem for problem in run.problems):
            found.silent = 0
        found.tried = count
        found.note = f"rows recorded {logged:,}, in the bucket {view.points.count:,}"
    return found


def _shipper_of(folder: Path) -> psutil.Process:
    """The live shipper of a run folder; waits until the recorder has started one."""
    while True:
        for child in psutil.Process().children():
            with contextlib.suppress(psutil.Error):
                if str(folder) in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                    return child
        time.sleep(0.01)


def twins(count: int) -> Outcome:
    """Two runs on two disks with one id, shipped as they are recorded or pushed later."""
    found = Outcome(note="silently wrong: runs that were mixed, or refused without a word")
    for attempt in range(count):
        with (
            tempfile.TemporaryDirectory() as name,
            mock.patch.dict(os.environ, RUNVITALS_CACHE=f"{name}/cache"),
        ):
            shared = Path(name, "shared")
            shared.mkdir()
            refused = _ship_twins(Path(name), shared.as_uri(), pushed=attempt % 2 == 1)
            mirror = mirror_of(shared.as_uri())
            mirror.sync()
            values = [set(np.sign(view["x"].values)) for view in rv.open_runs(mirror.folder)]
            found.tried += 1
            found.silent += any(len(signs) > 1 for signs in values) or len(values) + refused != 2
    return found


def _ship_twins(folder: Path, url: str, *, pushed: bool) -> int:
    """Record two runs, whose values have different signs; gives how many were refused, and told so."""
    remote = None if pushed else url
    runs = [
        rv.init("p", id="same", dir=folder / disk, remote=remote, **QUIET) for disk in ("a", "b")
    ]
    for step in range(100):
        for run, sign in zip(runs, (1.0, -1.0), strict=True):
            run.log({"x": sign * (step + 1)}, step=step)
    refused = 0
    for run in runs:
        run.finish(wait=120.0)
        if pushed:
            try:
                list(push(run.folder, url))
            except RunTakenError:
                refused += 1
        else:
            refused += any("another run" in problem for problem in run.problems)
    return refused


def dead_disk(count: int) -> Outcome:
    """Every write is refused: nothing may slow the training loop down."""
    found = Outcome()
    slowest = 0.0
    for _ in range(count):
        with tempfile.TemporaryDirectory() as name:
            run = rv.init("p", dir=name, **QUIET)
            run.flush()
            refused = mock.patch.object(os, "pwrite", side_effect=OSError(errno.ENOSPC, "full"))
            rows = 300_000
            with refused:
                began = time.thread_time()
                for i in range(rows):
                    run.log({"x": float(i)}, step=i)
                slowest = max(slowest, (time.thread_time() - began) / rows)
                run.finish()
            _count(found, rv.open_run(run.folder), rows)
    found.note = f"{slowest * 1e6:.1f} µs of the loop's CPU a row"
    return found


def burst(count: int) -> Outcome:
    """So many requests to the dashboard at the same moment: answered, sent away politely, or reset."""
    told = attacks.burst(count)
    reset = told.get("reset", 0)
    note = f"{told.get('200', 0)} answered, {told.get('503', 0)} got 503, {reset} reset"
    return Outcome(
        count, lost=reset, silent=count - told.get("200", 0) - told.get("503", 0), note=note
    )


def hostile_queries(count: int) -> Outcome:
    """SQL that would write, or read something else than the index."""
    tried, passed = attacks.hostile_queries(count)
    return Outcome(tried, silent=len(passed), note="; ".join(passed) or "all refused")


def links(count: int) -> Outcome:  # noqa: ARG001 - there are as many as there are kinds
    """Links from one project into another, and folders of one name, asked with a token for one."""
    tried, followed = attacks.links()
    return Outcome(tried, silent=len(followed), note="; ".join(followed) or "none followed")


ATTACKS: dict[str, tuple[Callable[[int], Outcome], int]] = {
    "kill -9": (kills, 40),
    "kill -9 twice, resumed": (resumed_kills, 6),
    "bits flipped in Parquet": (lambda n: _damage(n, compact=True, cut=False), 500),
    "bits flipped in streams": (lambda n: _damage(n, compact=False, cut=False), 500),
    "bits of metadata": (metadata_bits, 10_000),
    "bits of run.json": (run_file_bits, 10_000),
    "Parquet cut": (lambda n: _damage(n, compact=True, cut=True), 100),
    "streams cut": (lambda n: _damage(n, compact=False, cut=True), 100),
    "files fuzzed": (fuzz, 2000),
    "standard error blocked": (blocked_stderr, 4),
    "sink blocked": (blocked_sink, 3),
    "disk full": (full_disk, 6),
    "disk dead": (dead_disk, 2),
    "flush in a signal handler": (flush_in_handler, 5),
    "ranks of two jobs at once": (ranks, 3),
    "clock set back": (clock_set_back, 2),
    "files with holes": (odd_sizes, 4),
    "shipper killed": (killed_shippers, 20),
    "ids twinned": (twins, 4),
    "bombs": (bombs, len(BOMBS)),
    "many and long names": (many_names, 1),
    "burst of 1,000": (burst, 1000),
    "hostile queries": (hostile_queries, 200),
    "links between projects": (links, 1),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of attempts")
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    options = parser.parse_args()
    os.environ["PYTHONWARNINGS"] = "ignore"
    import warnings

    warnings.simplefilter("ignore")
    print(f"{'attack':28}{'tried':>7}{'lost':>12}{'doubled':>9}{'silently wrong':>16}  note")
    bad = 0
    for name, (attack, usual) in ATTACKS.items():
        if options.only in name:
            found = attack(max(1, round(usual * options.share)))
            bad += found.doubled + found.silent
            print(
                f"{name:28}{found.tried:>7}{found.lost:>12,}{found.doubled:>9}{found.silent:>16}"
                f"  {found.note}",
                flush=True,
            )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
