"""Reading event files: ours, TensorBoard's EventAccumulator and its Rust data server, in one run.

    python -m benchmarks.reading.event_files [--tags 60] [--steps 20000] [--rounds 3]
    python -m benchmarks.reading.event_files --huge 2    # memory while a file of 2 GB is read

The first prints seconds until all points are in memory; each reader gets the same folders, one scalar
per event as tensorboardX writes them, one event per row as our own exporter does, and the first again
as a run that was restarted four times, in five files. The Rust server is timed until it knows the last
step of every tag, once keeping all points and once thinned out to 1,000 a tag as TensorBoard starts it;
fetching the points from it comes on top.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from runvitals.exporters import TensorBoardSink
from runvitals.model import RowBlock, RunInfo
from runvitals.readers.tfevents import tensorboard

GROUPS = ("train", "rollout", "eval", "time", "losses", "system")
METRICS = (
    "approx_kl", "entropy", "loss", "return_mean", "ep_len_mean", "value_loss", "grad_norm",
    "explained_variance", "clip_fraction", "fps",
)  # fmt: skip


def tags_of(count):
    return tuple(
        f"{GROUPS[i % len(GROUPS)]}/{METRICS[i % len(METRICS)]}_{i:02}" for i in range(count)
    )


def write_tensorboardx(folder, tags, values):
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(str(folder))
    for step, row in enumerate(values):
        for tag, value in zip(tags, row, strict=True):
            writer.add_scalar(tag, value, step)
    writer.close()


def write_restarted(folder, tags, values):
    """Five lives, of which each begins a little before the end of the one before."""
    from tensorboardX import SummaryWriter

    life = len(values) // 5
    for start in range(0, 5 * life, life):
        writer = SummaryWriter(str(folder), filename_suffix=f".{start:09}")
        for step in range(max(0, start - life // 20), start + life):
            for tag, value in zip(tags, values[step], strict=True):
                writer.add_scalar(tag, value, step)
        writer.close()


def write_own(folder, tags, values):
    info = RunInfo(id="b", name="b", project="b", folder=folder, started=time.time())
    sink = TensorBoardSink(folder)
    sink.open(info)
    for low in range(0, len(values), 1000):
        steps = np.arange(low, min(low + 1000, len(values)))
        sink.write([RowBlock(tags, steps, 1.7e9 + steps / 100, values[steps])], [])
    sink.close("finished")


def with_ours(folder, _tags, _steps):
    start = time.perf_counter()
    logs = tensorboard.read_together(sorted(folder.iterdir()))
    spent = time.perf_counter() - start
    return spent, sum(log.points.count for log in logs)


def with_accumulator(folder, _tags, _steps):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    start = time.perf_counter()
    reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    spent = time.perf_counter() - start
    return spent, sum(len(reader.Scalars(tag)) for tag in reader.Tags()["scalars"])


def with_rust(folder, tags, steps, samples="all"):
    """Until the server knows the last step of every tag, and how long fetching takes then."""
    import grpc
    from tensorboard.data.proto import data_provider_pb2 as messages
    from tensorboard.data.proto import data_provider_pb2_grpc as services
    from tensorboard_data_server import server_binary

    with tempfile.TemporaryDirectory() as temporary:
        port_file = Path(temporary, "port")
        arguments = [
            server_binary(),
            f"--logdir={folder}",
            "--reload=once",
            f"--samples-per-plugin=scalars={samples}",
            "--port=0",
            f"--port-file={port_file}",
            "--die-after-stdin",
        ]
        start = time.perf_counter()
        server = subprocess.Popen(arguments, stdin=subprocess.PIPE)
        try:
            while not (port_file.exists() and port_file.read_text().endswith("\n")):
                time.sleep(0.002)
            limit = [("grpc.max_receive_message_length", 2**31 - 1)]
            channel = grpc.insecure_channel(f"localhost:{port_file.read_text().strip()}", limit)
            stub = services.TensorBoardDataProviderStub(channel)
            plugin = messages.PluginFilter(plugin_name="scalars")
            asked = messages.ListScalarsRequest(experiment_id="", plugin_filter=plugin)
            while True:
                runs = stub.ListScalars(asked).runs
                known = [tag for run in runs for tag in run.tags]
                if len(known) == len(tags) and all(
                    tag.metadata.max_step == steps - 1 for tag in known
                ):
                    break
                time.sleep(0.005)
            loaded = time.perf_counter() - start
            wanted = messages.ReadScalarsRequest(
                experiment_id="",
                plugin_filter=plugin,
                downsample=messages.Downsample(num_points=steps + 1),
            )
            answer = stub.ReadScalars(wanted)
            fetched = time.perf_counter() - start
            count = sum(len(tag.data.step) for run in answer.runs for tag in run.tags)
        finally:
            server.stdin.close()
            server.wait(10)
    return loaded, count, fetched


def compare(options):
    tags = tags_of(options.tags)
    values = np.random.default_rng(0).normal(size=(options.steps, options.tags))
    with tempfile.TemporaryDirectory() as temporary:
        kinds = {
            "one scalar per event": write_tensorboardx,
            "rows": write_own,
            "restarted, five files": write_restarted,
        }
        for name, write in kinds.items():
            folder = Path(temporary, name.replace(",", "").replace(" ", "-"))
            folder.mkdir()
            write(folder, tags, values)
            size = sum(path.stat().st_size for path in folder.iterdir())
            print(f"\n{name}: {values.size:,} scalars, {size / 1e6:.0f} MB")
            report(folder, tags, options)


def report(folder, tags, options):
    best: dict[str, float] = {}
    counts: dict[str, int] = {}
    for turn in range(options.rounds):
        results = {"runvitals": with_ours(folder, tags, options.steps)}
        rust = with_rust(folder, tags, options.steps)
        results["Rust server, all points"] = rust[:2]
        results["  and fetched over gRPC"] = (rust[2], rust[1])
        results["Rust server, as started"] = with_rust(folder, tags, options.steps, "1000")[:2]
        if turn == 0:
            results["EventAccumulator"] = with_accumulator(folder, tags, options.steps)
        for name, (seconds, count) in results.items():
            best[name] = min(seconds, best.get(name, np.inf))
            counts[name] = count
    for name, seconds in best.items():
        times = seconds / best["runvitals"]
        print(f"  {name:26}{seconds:8.3f} s {counts[name]:>10,} points {times:7.1f}x")


def huge(options):
    """Peak memory of a fresh process that reads a file of the given size."""
    tags = tags_of(options.tags)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, "events.out.tfevents.1700000000.host")
        small = Path(temporary, "small")
        small.mkdir()
        write_tensorboardx(small, tags, np.zeros((128, options.tags)))
        [source] = small.iterdir()
        grow(source, path, int(options.huge * 1e9), len(tags))
        size = path.stat().st_size
        subprocess.run([sys.executable, "-m", __spec__.name, "--measure", str(path)], check=True)
        print(f"({size / 1e9:.2f} GB, {options.tags} tags)")


def grow(source, path, size, tags):
    """Repeat the rows of a small file with steps of four bytes."""
    import google_crc32c

    from runvitals.readers.tfevents._records import RecordStream
    from runvitals.tfevents.framing import masked_crc

    crc32c = google_crc32c.value
    [window] = list(RecordStream(source).windows())
    rows = [
        window.data[start : start + length].tobytes()
        for start, length in zip(window.starts.tolist(), window.lengths.tolist(), strict=True)
    ][1 + tags : 1 + 2 * tags]  # step 1: one byte
    cycle = bytearray()
    places = []
    for row in rows:
        content = row[:10] + bytes(4) + row[11:]
        head = len(content).to_bytes(8, "little")
        cycle += head + masked_crc(head).to_bytes(4, "little") + content + bytes(4)
        places.append((len(cycle) - 4 - len(content), len(content)))
    block = np.frombuffer(bytes(cycle), np.uint8)
    with open(path, "wb") as file:
        file.write(source.read_bytes()[:40])
        step = 0
        while file.tell() < size:
            count = 2000
            copies = np.tile(block, (count, 1))
            steps = np.arange(step, step + count)
            for start, length in places:
                for k in range(4):
                    copies[:, start + 10 + k] = (steps >> 7 * k & 0x7F) | (0x80 if k < 3 else 0)
                contents = copies[:, start : start + length].tobytes()
                sums = (crc32c(contents[i : i + length]) for i in range(0, len(contents), length))
                crcs = np.fromiter(sums, np.uint32, count)
                masked = (crcs >> 15 | crcs << 17) + np.uint32(0xA282EAD8)
                copies[:, start + length : start + length + 4] = masked[:, None].view(np.uint8)
            file.write(copies.data)
            step += count


def measure(path):
    start = time.perf_counter()
    [log] = tensorboard.read(Path(path))
    spent = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{log.points.count:,} points in {spent:.2f} s, peak memory {peak:.2f} GB,"
        f" warnings {log.warnings}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tags", type=int, default=60)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--huge", type=float, default=0.0, help="gigabytes")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if options.measure:
        measure(options.measure)
    elif options.huge:
        huge(options)
    else:
        compare(options)


if __name__ == "__main__":
    main()
