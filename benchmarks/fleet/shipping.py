"""Shipping to a bucket while everything around it is killed: what is lost, doubled, and what it costs.

    python -m benchmarks.fleet.shipping [attacks] [load] [backlog] [options]

On moto's S3 server, in a process of its own. `attacks`: ranks that log in processes of their own, while
trainers, the shipper, a reader and a loader of an index (chdb) are killed with SIGKILL and the store
stops answering; then what the bucket holds is compared with the run folder point by point, and what
the index holds series by series. `load`: the CPU of the shipper while 64 ranks write 64,000 points a
second, and its requests. `backlog`: points a second of a run that waits.

The full figures: --ranks 64 --seconds 600 --kills 24 --outages 6. By default it is a short version.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
import psutil

import runvitals as rv
from benchmarks.dashboard.servers import free_port
from runvitals.index.database import opened
from runvitals.model import RowBlock
from runvitals.remote.mirror import mirror_of
from runvitals.remote.push import push
from runvitals.remote.ship import Shipper
from runvitals.store.layout import Segment
from runvitals.store.lock import WriterLock
from runvitals.store.objects.store import open_objects
from runvitals.store.writer import PointWriter

METRICS, HERTZ = 100, 10
PATIENCE = 180.0  # seconds for what is left at the end
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
TRAINER = """
import sys, time
import runvitals as rv
folder, url, metrics, hertz, until = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:6])
run = rv.init(project="p", id="job", dir=folder, remote=url, resume=True, console=False,
              tensorboard=False, system=False, judge=False)
names = [f"m/{i:03}" for i in range(int(metrics))]
step = int(time.time() * hertz)
while time.time() < until:
    run.log({name: step + i / 1000 for i, name in enumerate(names)}, step=step)
    step += 1
    time.sleep(max(0.0, step / hertz - time.time()))
run.finish()
"""
READER = """
import sys, time
from runvitals.model import RemoteError
from runvitals.remote.mirror import mirror_of
while True:
    try:
        mirror_of(sys.argv[1]).sync()
    except RemoteError:
        pass
    time.sleep(1)
"""
LOADER = """
import sys, time
from pathlib import Path
from runvitals.diagnosis.judge import settings_for
from runvitals.index.database import opened
from runvitals.index.filling import Filler
from runvitals.model import RunvitalsError
from runvitals.remote.mirror import mirror_of
url, index, once = sys.argv[1:4]
while True:
    try:
        mirror = mirror_of(url)
        mirror.sync()
        with opened(index, create=True) as database:
            database.create()
            done = Filler(database, settings_for(), verdicts=False).fill(mirror.folder)
        print(done, flush=True)
    except RunvitalsError as error:
        print(error, flush=True)
        if once == "once":
            raise
    if once == "once":
        break
    time.sleep(float(once))
"""


@contextlib.contextmanager
def store():
    """A bucket; gives its address and the process that answers."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, **QUIET)
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing-secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": url,
    }
    bucket = f"bench-{secrets.token_hex(3)}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                request = urllib.request.Request(f"{url}/{bucket}", method="PUT")
                urllib.request.urlopen(request, timeout=5).close()
                break
            time.sleep(0.1)
        yield f"s3://{bucket}/runs", server
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.send_signal(signal.SIGCONT)
        server.kill()
        server.wait()


def attacks(given, top, url, server):
    """Kill and stop things at random, then compare."""
    folder = top / "runs"
    until = time.time() + given.seconds

    def trainer(rank):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(given.ranks)}
        words = [folder, url, METRICS, HERTZ, until]
        return subprocess.Popen(
            [sys.executable, "-c", TRAINER, *map(str, words)], env=environment, **QUIET
        )

    def reader():
        return subprocess.Popen([sys.executable, "-c", READER, url], **QUIET)

    def loader(how):
        said = open(top / "loader.log", "ab")  # noqa: SIM115  the process has it
        words = [sys.executable, "-c", LOADER, url, f"chdb://{top}/index", how]
        return subprocess.Popen(words, stdout=said, stderr=said)

    trainers = {rank: trainer(rank) for rank in range(given.ranks)}
    watching = reader()
    loading = loader(str(given.load_every))
    run = folder / "p" / "job"
    rng = random.Random(given.seed)
    last_kill = until - max(5.0, 0.2 * given.seconds)  # the last lives have to write something
    quiet = max(3.0, 0.15 * given.seconds)
    acts = ["trainer", "shipper", "mirror", "loader"] * (given.kills // 4 + 1)
    plan = [
        (rng.uniform(until - given.seconds + quiet, last_kill), act) for act in acts[: given.kills]
    ]
    plan += [
        (until - given.seconds * (1 - (i + 1) / (given.outages + 2)), "outage")
        for i in range(given.outages)
    ]
    done = dict.fromkeys(("trainer", "shipper", "mirror", "loader", "outage"), 0)
    for at, act in sorted(plan):
        time.sleep(max(0.0, at - time.time()))
        if act == "outage":
            server.send_signal(signal.SIGSTOP)
            time.sleep(given.outage)
            server.send_signal(signal.SIGCONT)
        elif act == "mirror":
            watching.kill()
            watching.wait()
            watching = reader()
        elif act == "loader":
            loading.kill()
            loading.wait()
            loading = loader(str(given.load_every))
        elif act == "shipper":
            try:  # whichever rank sees it first starts the next
                os.kill(json.loads((run / "shipping.json").read_text())["pid"], signal.SIGKILL)
            except (OSError, ValueError, KeyError):
                continue  # none had begun, or it was killed just before
        else:
            rank = rng.randrange(given.ranks)
            trainers[rank].kill()
            trainers[rank].wait()
            trainers[rank] = trainer(rank)
        done[act] += 1
    for process in trainers.values():
        process.wait()
    ended = time.time()  # `finish` waits for some of the shipping
    while time.time() - ended < PATIENCE:
        with contextlib.suppress(OSError, ValueError):
            if json.loads((run / "shipping.json").read_text()).get("complete"):
                break
        if all(not one.busy for one in push(folder, url)):
            break
        time.sleep(0.2)
    drained = time.time() - until
    for process in (watching, loading):
        process.kill()
        process.wait()
    mirror = mirror_of(url)
    mirror.sync()
    here, there = rv.open_run(run), rv.open_run(mirror.folder)
    lost, doubled = compared(here.points, there.points)
    loader("once").wait()
    index_lost, index_doubled, indexed = in_index(f"chdb://{top}/index", here.points)
    killed = ", ".join(f"{count} {what}" for what, count in done.items())
    print(f"{given.ranks} ranks x {METRICS} metrics x {HERTZ} Hz, {given.seconds:.0f} s; {killed}")
    print(f"{here.points.count:,} points on disk, {lost:,} lost, {doubled:,} doubled in the bucket")
    print(f"index: {indexed:,} points, {index_lost:,} lost, {index_doubled:,} doubled")
    print(
        f"drained {drained:.1f} s after the last point was logged, {ended - until:.1f} s of them until "
        f"the last trainer had ended; problems: {mirror.problems or 'none'}"
    )


def in_index(index, here):
    """Points that are missing or too many in an index, or are not the same; and how many it holds."""
    lost = doubled = 0
    with opened(index) as database:
        there = {
            (name, rank): (count, steps, total)
            for name, rank, count, steps, total in database.rows(
                "SELECT metric, rank, count(), sum(step), sum(value) FROM {db}.points "
                "GROUP BY metric, rank"
            )
        }
    for name in here.names():
        for rank in here.ranks(name):
            mine = here.size(name, rank)
            count, steps, total = there.pop((name, rank), (0, 0, 0.0))
            lost += max(0, mine - count)
            doubled += max(0, count - mine)
            logged, _, values = here.column(name, rank)
            same = steps == logged.sum() and math.isclose(total, values.sum(), rel_tol=1e-9)
            if mine == count and not same:
                lost += mine
    doubled += sum(count for count, _, _ in there.values())
    with opened(index) as database:
        [(held,)] = database.rows("SELECT count() FROM {db}.points")
    return lost, doubled, held


def compared(here, there):
    """Points that are missing or too many there, or are not the same."""
    lost = doubled = 0
    for name in here.names():
        for rank in here.ranks(name):
            mine, other = here.size(name, rank), there.size(name, rank)
            lost += max(0, mine - other)
            doubled += max(0, other - mine)
            if mine == other and not all(
                np.array_equal(a, b)
                for a, b in zip(here.column(name, rank), there.column(name, rank), strict=True)
            ):
                lost += mine
    return lost, doubled


def node(folder, ranks):
    """The streams of all ranks of a node, all held by this process."""
    (folder / "points").mkdir(parents=True)
    told = {"format": "runvitals-run/1", "id": "node", "project": "p", "status": "running"}
    (folder / "run.json").write_text(json.dumps(told))
    locks = [WriterLock(folder, rank, "node") for rank in range(ranks)]
    return locks, [PointWriter(folder, Segment(rank)) for rank in range(ranks)]


def rows(rank, first, count):
    """Some rows of a rank."""
    steps = np.arange(first, first + count)
    values = np.random.default_rng(rank + first).normal(size=(count, METRICS))
    return RowBlock(
        tuple(f"m/{i:03}" for i in range(METRICS)), steps, 1e9 + steps / HERTZ, values, rank
    )


def load(given, top, url, _server):
    """CPU of the shipper's process while a node writes."""
    folder = top / "p" / "node"
    locks, writers = node(folder, 64)
    shipper = subprocess.Popen(
        [sys.executable, "-m", "runvitals.remote.shipper", str(folder), url], **QUIET
    )
    watched = psutil.Process(shipper.pid)
    before, begun, written = None, 0.0, 0
    try:
        for second in range(int(given.load_seconds) + 10):
            at = time.monotonic()
            for rank, writer in enumerate(writers):
                writer.write([rows(rank, second * HERTZ, HERTZ)])
            if second == 10:  # after imports and the first look
                before, begun, written = watched.cpu_times(), time.monotonic(), 0
            written += 64 * HERTZ * METRICS
            time.sleep(max(0.0, at + 1 - time.monotonic()))
        used = sum(watched.cpu_times()[:2]) - sum(before[:2])
        seconds = time.monotonic() - begun
        requests = json.loads((folder / "shipping.json").read_text()).get("requests")
        print(
            f"shipper: {used / seconds:.2%} of a core at {written / seconds:,.0f} points/s over "
            f"{seconds:.0f} s; requests from the start: {requests}"
        )
    finally:
        shipper.kill()
        shipper.wait()
        for writer, lock in zip(writers, locks, strict=True):
            writer.close()
            lock.release()


def backlog(given, top, url, _server):
    """Ship what a node left, to the bucket and to a shared folder."""
    folder = top / "q" / "node"
    locks, writers = node(folder, 16)
    count = 2_000
    for rank, writer in enumerate(writers):
        for first in range(0, given.backlog // (16 * METRICS), count):
            writer.write([rows(rank, first, count)])
        writer.close()
    for lock in locks:
        lock.release()
    points = sum(w.points for w in writers)
    shared = top / "shared"
    shared.mkdir()
    for place in (url, shared.as_uri()):
        objects = open_objects(place)
        cpu, begin = time.process_time(), time.perf_counter()
        done = Shipper(folder, objects, "q/node").ship(final=True)
        seconds, used = time.perf_counter() - begin, time.process_time() - cpu
        print(
            f"backlog to {place.partition(':')[0]}: {points / seconds / 1e6:.1f} M points/s, "
            f"{points / used / 1e6:.1f} M per CPU second of ours, {done.bytes / 1e6:.0f} MB, "
            f"requests {dict(objects.requests)}"
        )


def main():
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=["attacks", "load", "backlog", []], default=[])
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--outages", type=int, default=1)
    parser.add_argument("--outage", type=float, default=3.0, help="seconds")
    parser.add_argument("--load-every", type=float, default=5.0, help="seconds between two loads")
    parser.add_argument("--load-seconds", type=float, default=130.0)
    parser.add_argument("--backlog", type=int, default=10_000_000, help="points")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for part in given.what or ["attacks", "load", "backlog"]:
        with store() as (url, server), tempfile.TemporaryDirectory() as top:
            os.environ["RUNVITALS_CACHE"] = str(Path(top) / "cache")
            globals()[part](given, Path(top), url, server)


if __name__ == "__main__":
    main()
