"""Nothing holds up the store: no pipe that nobody reads, no sink that hangs, no device, no signal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

from runvitals.model import RunvitalsWarning
from runvitals.recorder import background, buffer, flusher, live, sink_thread
from runvitals.store.reader import open_folder
from runvitals.store.writer import StoreSink

BLOCKED_STDERR = """
import fcntl, os, sys, time
fcntl.fcntl(2, 1031, 4096)  # F_SETPIPE_SZ
os.set_blocking(2, False)
try:
    while True: os.write(2, b"x" * 1024)
except BlockingIOError:
    os.set_blocking(2, True)  # from here on whoever writes waits for ever
import runvitals as rv
from runvitals.recorder import sink_thread
sink_thread.STUCK_SECONDS = 0.5
run = rv.init("p", id="r", dir=".")
for i in range(1000):
    run.log({"x": float(i), "bad": None if i % 100 == 0 else 1.0}, step=i)
    if i == 500: run.flush()
"""


def start_blocked(tmp_path, end):
    (tmp_path / "script.py").write_text(BLOCKED_STDERR + end)
    reader, writer = os.pipe()
    environment = {**os.environ, "RUNVITALS_CONSOLE_INTERVAL": "0"}
    process = subprocess.Popen(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=writer,
        env=environment,
        text=True,
    )
    os.close(writer)
    return process, reader


@pytest.mark.skipif(sys.platform != "linux", reason="pipes are made small the way of Linux")
def test_a_standard_error_that_nobody_reads_costs_no_row(tmp_path):
    process, reader = start_blocked(
        tmp_path, "run.flush()\nprint('flushed', flush=True)\ninput()\n"
    )
    try:
        assert process.stdout.readline() == "flushed\n"
    finally:
        process.kill()
        process.wait()
        os.close(reader)

    assert open_folder(tmp_path / "p" / "r")["x"].steps.tolist() == list(range(1000))


@pytest.mark.skipif(sys.platform != "linux", reason="pipes are made small the way of Linux")
def test_finish_returns_though_nobody_reads_standard_error(tmp_path):
    process, reader = start_blocked(
        tmp_path, "run.finish()\nprint('finished', flush=True)\nos._exit(0)\n"
    )
    try:
        assert process.communicate(timeout=1200)[0] == "finished\n"
    finally:
        process.kill()
        os.close(reader)

    view = open_folder(tmp_path / "p" / "r")
    assert view.status == "finished"
    assert view["x"].steps.tolist() == list(range(1000))


class Hanging:
    """A sink whose every call waits until it is let go."""

    def __init__(self):
        self.go = threading.Event()
        self.rows = 0
        self.called = threading.Event()

    def open(self, info): ...

    def write(self, blocks, events):
        self.called.set()
        self.go.wait(300)
        self.rows += sum(map(len, blocks))

    def close(self, status):
        self.go.wait(300)


def test_a_sink_that_hangs_costs_no_row_and_is_told(start, monkeypatch):
    monkeypatch.setattr(sink_thread, "STUCK_SECONDS", 0.3)
    sink = Hanging()
    run = start(judge=False, sinks=[sink])
    run.log({"x": 0.0}, step=0)
    assert sink.called.wait(300)
    for i in range(1, 1000):
        run.log({"x": float(i)}, step=i)

    run.flush()
    stored = open_folder(run.folder)["x"].steps.tolist()
    run.finish()

    sink.go.set()
    record = json.loads((run.folder / "run.json").read_text())
    assert stored == open_folder(run.folder)["x"].steps.tolist() == list(range(1000))
    assert record["status"] == "finished"
    assert record["lost"] == [
        {
            "where": "Hanging",
            "why": "it did not answer when the run ended",
            "rows": 999,
            "points": 999,
            "first_step": 1,
            "last_step": 999,
        }
    ]
    assert any("Hanging does not answer" in problem for problem in run.problems)


def test_a_slow_sink_misses_the_oldest_rows_and_that_is_counted(start, monkeypatch):
    monkeypatch.setattr(sink_thread, "QUEUE_BYTES", 2_000)
    sink = Hanging()
    run = start(judge=False, sinks=[sink])
    run.log({"x": 0.0})
    assert sink.called.wait(300)
    monkeypatch.setattr(sink_thread, "STUCK_SECONDS", 0.0)
    for _ in range(20):
        for _ in range(50):
            run.log({"x": 1.0})
        run.flush()
    monkeypatch.setattr(sink_thread, "STUCK_SECONDS", 300.0)
    sink.go.set()
    run.finish()

    [loss] = run.losses
    assert loss.why == "it is slower than the training"
    assert loss.rows > 500
    assert sink.rows + loss.rows == 1001
    assert len(open_folder(run.folder)["x"]) == 1001
    assert run.dropped == 0


def test_other_sinks_go_on_beside_one_that_hangs(start, monkeypatch):
    monkeypatch.setattr(sink_thread, "STUCK_SECONDS", 0.3)
    hanging, free = Hanging(), Hanging()
    free.go.set()
    run = start(judge=False, sinks=[hanging, free])
    for _ in range(10):
        run.log({"x": 1.0})
    run.finish()
    hanging.go.set()

    assert free.rows == 10


class HangingTensor:
    """A number on a device that does not answer."""

    shape = ()
    go = threading.Event()

    def __init__(self):
        self.device = type("Device", (), {"type": "cuda"})()

    def detach(self):
        return self

    clone = detach

    def __float__(self):
        self.go.wait(300)
        return 1.0


def test_a_device_that_hangs_costs_only_its_own_numbers(start, monkeypatch):
    for module, name in (
        (background, "DEVICE_SECONDS"),
        (live, "DEVICE_SECONDS"),
        (live, "LAST_DEVICE_SECONDS"),
    ):
        monkeypatch.setattr(module, name, 0.05)
    run = start()
    run.log({"on_device": HangingTensor()}, step=0)
    run.log({"x": 1.0}, step=1)
    run.flush()
    stored = open_folder(run.folder)["x"].values.tolist()
    run.finish()
    HangingTensor.go.set()

    assert stored == [1.0]
    [loss] = run.losses
    assert (loss.where, loss.why, loss.rows) == ("store", "a device did not answer", 1)


FLUSHES = """
import os, signal, sys, time
import runvitals as rv
sys.setswitchinterval(1e-5)
run = rv.init("p", id="r", dir=".", console=False, tensorboard=False, system=False, judge=False)
count = depth = 0
def ring():
    signal.setitimer(signal.ITIMER_REAL, 0.002)
def handler(*_):
    global count, depth
    count += 1
    depth += 1
    if depth < 5:  # signals that come faster than a busy machine handles them would pile up without end
        ring()
    run.log({"from_handler": float(count)}, step=count)
    run.flush()
    depth -= 1
    ring()
signal.signal(signal.SIGALRM, handler)
ring()
for i in range(20_000):
    run.log({"x": float(i)}, step=i)
    if i % 97 == 0: run.flush()
signal.signal(signal.SIGALRM, signal.SIG_IGN)
run.finish()
print(count)
"""


def test_flush_from_a_signal_handler_neither_doubles_nor_loses_rows(script, tmp_path):
    done = script(FLUSHES)

    assert done.returncode == 0, done.stderr
    view = open_folder(tmp_path / "p" / "r")
    assert int(done.stdout) > 3
    assert view.points.count == 20_000 + int(done.stdout)
    assert view["x"].values.tolist() == [float(i) for i in range(20_000)]
    assert len(view["from_handler"]) == int(done.stdout)


FLUSH_INSIDE_FLUSH = """
import signal, threading
import runvitals as rv
from runvitals.recorder import sink_thread
sink_thread.STUCK_SECONDS = 600.0
entered, released, heard = threading.Event(), threading.Event(), []
class Waiting:
    def open(self, info): pass
    def write(self, blocks, events):
        entered.set()
        if any(len(block) for block in blocks):
            heard.append(released.wait(40))
    def close(self, status): pass
def handler(*_):
    run.flush(patience=600)
    released.set()
run = rv.init("p", id="r", dir=".", sinks=[Waiting()], console=False, tensorboard=False, system=False,
              judge=False)
signal.signal(signal.SIGALRM, handler)
run.log({"x": 1.0}, step=1)
threading.Timer(0.2, lambda: (entered.wait(40), signal.raise_signal(signal.SIGALRM))).start()
run.flush(patience=600)
print(heard)
run.finish()
"""


def test_flush_in_a_handler_leaves_slow_sinks_to_the_flush_that_it_interrupts(script):
    done = script(FLUSH_INSIDE_FLUSH)

    assert done.stdout.split() == ["[True]"], done.stderr


def test_finish_from_a_signal_handler_in_the_middle_of_finish(script, tmp_path):
    done = script(
        """
        import os, signal, threading, time
        import runvitals as rv
        class Slow:
            def open(self, info): ...
            def write(self, blocks, events): ...
            def close(self, status):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(0.5)
                print("closed", flush=True)
        run = rv.init("p", id="r", dir=".", console=False, tensorboard=False, sinks=[Slow()])
        for i in range(100): run.log({"x": float(i)}, step=i)
        run.finish()
        time.sleep(60)
        """
    )

    assert (done.returncode, done.stdout) == (-15, "closed\n"), done.stderr
    view = open_folder(tmp_path / "p" / "r")
    assert (view.status, len(view["x"])) == ("finished", 100)


@pytest.fixture
def slow_disk(monkeypatch):
    """Calls of the store wait until the disk answers; nobody else has the patience for that."""
    monkeypatch.setattr(flusher, "END_SECONDS", 0.0)
    monkeypatch.setattr(flusher, "FLUSH_PATIENCE", 0.0)

    class Disk:
        def __init__(self):
            self.answers = threading.Event()

        def delay(self, method):
            real = getattr(StoreSink, method)

            def waiting(*words):
                self.answers.wait()
                return real(*words)

            monkeypatch.setattr(StoreSink, method, waiting)

    disk = Disk()
    yield disk
    disk.answers.set()


@pytest.mark.parametrize("method", ["write", "close"])
def test_a_slow_disk_that_lost_nothing_says_so_and_is_forgotten(start, slow_disk, method):
    run = start(judge=False)
    slow_disk.delay(method)
    run.log({"x": 1.0}, step=0)

    with pytest.warns(RunvitalsWarning, match="the disk is slow"):
        run.finish()

    [problem] = run.problems
    assert problem.startswith("the disk is slow: ")
    assert problem.endswith("; nothing is lost so far")
    slow_disk.answers.set()
    run._flusher.thread.join()
    assert open_folder(run.folder)["x"].values.tolist() == [1.0]
    assert json.loads((run.folder / "run.json").read_text())["problems"] == []


def test_a_slow_disk_that_lost_rows_says_how_many(start, slow_disk, monkeypatch):
    monkeypatch.setattr(buffer, "BUDGET_BYTES", 64)  # 64 rows
    run = start(judge=False)
    slow_disk.delay("write")

    with pytest.warns(RunvitalsWarning, match="points are missing"):
        for step in range(1000):
            run.log({"x": 1.0}, step=step)
        run.flush()

    [problem] = [text for text in run.problems if "slow" in text]
    assert problem == f"the disk is slow: rows wait in memory; {run.dropped:,} points are missing"
    assert run.dropped > 0
