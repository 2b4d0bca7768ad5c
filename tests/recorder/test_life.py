"""How runs begin and end: exits, signals, kills, forks, full disks, two writers."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys

import pytest

from runvitals.model import ConfigError, RunBusyError, RunExistsError, StoreError
from runvitals.recorder import chores, flusher
from runvitals.store.reader import open_folder

PREAMBLE = """
import os, sys, signal, time
import runvitals as rv
quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
run = rv.init("p", id="r", dir=".", resume=True, **quiet)
"""


def the_run(tmp_path):
    return open_folder(tmp_path / "p" / "r")


def test_interpreter_exit_without_finish_loses_nothing(script, tmp_path):
    done = script(PREAMBLE + "for i in range(1000): run.log({'x': i})")

    assert done.returncode == 0, done.stderr
    view = the_run(tmp_path)
    assert (view.status, len(view["x"])) == ("finished", 1000)


def test_an_exception_marks_the_run_as_crashed(script, tmp_path):
    done = script(PREAMBLE + "run.log({'x': 1})\nraise ValueError('boom')")

    assert done.returncode == 1
    view = the_run(tmp_path)
    assert (view.status, len(view["x"])) == ("crashed", 1)


@pytest.mark.parametrize(
    ("error", "status"), [("ValueError", "crashed"), ("KeyboardInterrupt", "stopped")]
)
def test_leaving_the_with_block_by_an_exception(script, tmp_path, error, status):
    script(PREAMBLE + f"with run:\n    run.log({{'x': 1}})\n    raise {error}")

    assert the_run(tmp_path).status == status


def test_sigterm_finishes_the_run_and_still_ends_the_process(script, tmp_path):
    done = script(
        PREAMBLE
        + "for i in range(500): run.log({'x': i})\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)"
    )

    assert done.returncode == -signal.SIGTERM
    view = the_run(tmp_path)
    assert (view.status, len(view["x"])) == ("killed", 500)


def test_sigterm_in_the_middle_of_a_flush_waits_for_its_end(script, tmp_path):
    done = script(
        PREAMBLE
        + """
class Slow:
    def open(self, info): pass
    def write(self, blocks, events):
        if blocks: os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.1); print("written", flush=True)
    def close(self, status): print("closed", status, flush=True)
run.finish()
run = rv.init("p", id="r2", dir=".", sinks=[Slow()], **quiet)
run.log({"x": 1.0})
run.flush()
print("not reached")
"""
    )

    assert done.returncode == -signal.SIGTERM, done.stderr
    assert done.stdout.split("\n")[:2] == ["written", "closed killed"]


def test_a_handler_of_the_user_is_left_alone(script, tmp_path):
    done = script(
        """
        import os, signal
        signal.signal(signal.SIGTERM, lambda *_: print("mine"))
        """
        + PREAMBLE.replace("\n", "\n        ")
        + """
        os.kill(os.getpid(), signal.SIGTERM)
        run.log({'x': 1})
        """
    )

    assert done.stdout == "mine\n", done.stderr
    assert the_run(tmp_path).status == "finished"


def test_log_from_a_signal_handler(script, tmp_path):
    done = script(
        PREAMBLE
        + """
calls = 0
def from_handler(*_):
    global calls
    calls += 1
    run.log({"from_handler": 1.0, "b": 2.0})
signal.signal(signal.SIGALRM, from_handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
i = 0
while calls < 200:
    run.log({"x": float(i), "y": float(i)}, step=i)
    i += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(i, calls)
"""
    )
    view = the_run(tmp_path)

    assert done.returncode == 0, done.stderr
    rows, calls = map(int, done.stdout.split())
    assert len(view["x"]) == rows
    assert (view["x"].values == view["y"].values).all()
    assert len(view["from_handler"]) == calls


KILLED = (
    PREAMBLE
    + """
from runvitals.recorder import flusher
flusher.FLUSH_SECONDS = 0.02  # so that a kill often meets a file that is being written
i = 0
while True:
    run.log({"x": float(i), "y": 2.0 * i}, step=i)
    i += 1
    if i % 50 == 0:
        time.sleep(0.001)
"""
)


@pytest.mark.parametrize("attempt", range(int(os.environ.get("RUNVITALS_TEST_KILLS", "3"))))
def test_kill_9_at_a_random_moment_keeps_what_the_background_wrote(tmp_path, until, attempt):
    (tmp_path / "script.py").write_text(KILLED)
    moment = random.Random(attempt).randrange(1, 20_000)

    def rows_on_disk():
        folder = tmp_path / "p" / "r"
        view = open_folder(folder) if (folder / "run.json").exists() else {}
        return len(view["x"]) if "x" in view else 0

    with subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path) as process:
        until(lambda: rows_on_disk() >= moment)
        before = rows_on_disk()
        process.kill()

    view = the_run(tmp_path)
    x, y = view["x"], view["y"]

    assert view.status == "crashed"
    assert view.missing == []
    assert len(x) >= before > 0
    assert x.steps.tolist() == list(range(len(x)))
    assert (y.values == 2.0 * x.values).all()


def test_the_background_writes_without_being_asked(start, until, monkeypatch):
    monkeypatch.setattr(flusher, "FLUSH_SECONDS", 0.02)
    run = start()
    for round in range(3):
        run.log({"x": float(round)}, step=round)
        until(lambda expected=round + 1: _stored(run.folder, "x") == expected)


def _stored(folder, name):
    view = open_folder(folder)
    return len(view[name]) if name in view else 0


def test_after_a_kill_the_run_can_be_resumed(tmp_path, script):
    script(PREAMBLE + "for i in range(100): run.log({'x': i}, step=i)\nrun.flush()\nos._exit(9)")
    script(PREAMBLE + "for i in range(60, 160): run.log({'x': -i}, step=i)")

    view = the_run(tmp_path)

    assert view.status == "finished"
    assert view["x"].steps.tolist() == list(range(160))
    assert view["x"].values[59:61].tolist() == [59.0, -60.0]
    files = sorted(p.name for p in (tmp_path / "p" / "r" / "points").iterdir())
    assert [f for f in files if "sums" not in f] == ["rank0.2.parquet", "rank0.parquet"]


def test_two_processes_cannot_write_one_run(start):
    first = start(id="mine")

    with pytest.raises(RunBusyError, match=f"process {os.getpid()}"):
        start(id="mine", resume=True)

    first.log({"x": 1.0})
    first.finish()
    start(id="mine", resume=True)


def test_an_id_that_exists_needs_resume(start):
    start(id="mine").finish()

    with pytest.raises(RunExistsError, match="exists already"):
        start(id="mine")
    with pytest.raises(RunExistsError, match="no run 'other'"):
        start(id="other", resume="must")


def test_resume_without_an_id_takes_the_latest_of_that_name(start):
    first = start(name="exp", resume=True)
    first.log({"x": 1.0})
    first.finish()

    second = start(name="exp", resume=True)

    assert second.id == first.id
    assert second.step == 0


@pytest.mark.parametrize("bad", ["../up", "a/b", "nul\0", "x" * 300])
def test_an_id_that_is_no_folder_name_is_refused(start, bad):
    with pytest.raises(ConfigError, match="folder name"):
        start(id=bad)


def test_a_folder_that_cannot_be_written_is_said_at_once(start, tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="cannot write a run here") as caught:
        start(dir=tmp_path / "file")
    assert "hint: give a writable folder" in str(caught.value)


def test_a_read_only_folder_is_said_at_once(start, tmp_path, script):
    if os.geteuid() == 0:
        done = script(
            """
            import os
            import runvitals as rv
            import runvitals.api
            os.mkdir("locked"); os.chmod("locked", 0o555); os.setuid(65534)
            try:
                rv.init("p", dir="locked", console=False, tensorboard=False)
            except rv.RunvitalsError as error:
                print(error)
            """
        )
        assert "Permission denied" in done.stdout, done.stderr
        return
    (tmp_path / "locked").mkdir(mode=0o555)
    with pytest.raises(StoreError, match="Permission denied"):
        start(dir=tmp_path / "locked")


FULL_DISK = """
import resource, warnings
warnings.simplefilter("always")
import numpy as np
import runvitals as rv
run = rv.init("p", id="r", dir=".", console=False, tensorboard=False, system=False, compact=False,
              judge=False)
row = {f"m{i}": 0.0 for i in range(50)}
for i in range(2000):
    run.log({**row, "i": float(i)}, step=i)
run.flush()
resource.setrlimit(resource.RLIMIT_FSIZE, (%d, resource.RLIM_INFINITY))
for i in range(2000, 6000):
    run.log({**row, "i": float(i)}, step=i)
    if i %% 500 == 0:
        run.flush()
if %r:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
run.finish()
print(run.problems)
"""


def test_a_disk_that_comes_back_gets_everything(script, tmp_path):
    done = script(FULL_DISK % (1_000_000, True))

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("could not write") == 1
    assert the_run(tmp_path)["i"].steps.tolist() == list(range(6000))


def test_a_disk_that_stays_full_keeps_what_fits_and_says_what_is_lost(script, tmp_path):
    done = script(FULL_DISK % (1_800_000, False))

    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout
    view = the_run(tmp_path)
    kept = len(view["i"])
    assert view["i"].steps.tolist() == list(range(kept))
    assert kept > 2500  # of a backlog, too, what fits is kept
    lost = f"{6000 - kept:,} rows ({51 * (6000 - kept):,} points, steps {kept:,} to 5,999)"
    assert view.missing == [f"recorder: {lost} were lost: File too large"]
    assert any("could not write: File too large" in warning for warning in view.warnings)


def test_a_real_full_disk(tmp_path, script):
    mount = tmp_path / "small"
    mount.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a small tmpfs needs root")
    try:
        done = script(
            """
            import runvitals as rv
            run = rv.init("p", id="r", dir="small", console=False, csv=True, system=False)
            for i in range(20000):
                run.log({f"m{j}": float(i * j) for j in range(20)}, step=i)
                if i % 4000 == 0:
                    run.flush()
            run.finish()
            print("survived", len(run.problems) > 0, run.dropped)
            """
        )
        assert done.stdout.startswith("survived True"), done.stderr
        view = open_folder(mount / "p" / "r")
        steps = view["m1"].steps.tolist()
        assert view.status == "finished"
        assert steps == list(range(len(steps)))
        assert 20 * (20_000 - len(steps)) == int(done.stdout.split()[2]) > 0
        assert any("were lost: No space left" in gap for gap in view.missing)
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_forked_children_log_into_files_of_their_own(script, tmp_path):
    done = script(
        PREAMBLE
        + """
import multiprocessing as mp
def work(k):
    for i in range(500):
        run.log({"child": float(k), "i": float(i)}, step=i)
context = mp.get_context("fork")
for i in range(100):
    run.log({"parent": float(i)}, step=i)
children = [context.Process(target=work, args=(k,)) for k in range(3)]
for child in children: child.start()
for i in range(100, 200):
    run.log({"parent": float(i)}, step=i)
for child in children: child.join()
assert all(child.exitcode == 0 for child in children)
run.finish()
"""
    )
    assert done.returncode == 0, done.stderr
    view = the_run(tmp_path)

    assert view["parent"].steps.tolist() == list(range(200))
    assert len(view["child"]) == 1500
    assert view.status == "finished"


def test_a_plain_fork_that_exits_does_not_end_the_parents_run(script, tmp_path):
    done = script(
        PREAMBLE
        + """
run.log({"x": 1.0})
if os.fork() == 0:
    sys.exit(0)  # runs the atexit handlers of the parent in the child
os.wait()
run.log({"x": 2.0})
"""
    )
    assert done.returncode == 0, done.stderr
    view = the_run(tmp_path)
    assert (view.status, view["x"].values.tolist()) == ("finished", [1.0, 2.0])


def test_a_sink_that_fails_does_not_stop_the_others(start):
    class Broken:
        closed = None

        def open(self, info):
            pass

        def write(self, blocks, events):
            raise RuntimeError("sink is broken")

        def close(self, status):
            self.closed = status
            raise RuntimeError("still broken")

    sink = Broken()
    run = start(sinks=[sink])
    run.log({"x": 1.0})
    run.finish()

    assert sink.closed == "finished"
    assert "sink is broken" in run.problems[0]
    assert len(open_folder(run.folder)["x"]) == 1


def test_several_runs_in_one_process(start):
    runs = [start(name=f"run{i}") for i in range(3)]
    for i, run in enumerate(runs):
        run.log({"x": float(i)})
    for run in runs:
        run.finish()

    assert [open_folder(run.folder)["x"].last for run in runs] == [0.0, 1.0, 2.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_can_be_terminated_at_any_moment_until_it_logs(script, tmp_path):
    done = script(
        PREAMBLE
        + """
def is_default():
    return signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
child = os.fork()
if child == 0:
    before = is_default()
    run.log({"x": 1.0})
    os._exit(before and not is_default())
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), is_default())
"""
    )

    assert done.stdout.split() == ["1", "False"], done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_that_logs_and_is_terminated_keeps_its_rows(script, tmp_path):
    script(
        PREAMBLE
        + """
child = os.fork()
if child == 0:
    run.log({"x": 1.0}, step=0)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
os.waitpid(child, 0)
"""
    )

    assert the_run(tmp_path)["x"].values.tolist() == [1.0]


def test_a_short_run_has_many_system_samples(start, until, monkeypatch):
    monkeypatch.setattr(chores, "_TICK", 0.02)
    run = start(system=True)

    def samples():
        run.flush()
        return len(open_folder(run.folder).points.column("System/Process_Memory_GB")[0])

    until(lambda: samples() >= 4)
    run.finish()
    times = open_folder(run.folder)["System/Process_Memory_GB"].times

    assert len(times) >= 4
