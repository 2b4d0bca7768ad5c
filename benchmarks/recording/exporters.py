"""What each exporter costs per scalar, next to tensorboardX, in one run.

    python benchmarks/recording/exporters.py [--names 60] [--rows 2000]

Prints CPU time of the process per scalar and bytes written per scalar.
"""

import argparse
import io
import tempfile
import time
from pathlib import Path

import numpy as np

from runvitals.exporters import ConsoleSink, CsvSink, TensorBoardSink
from runvitals.exporters.training_log import TrainingLog
from runvitals.model import RowBlock, RunInfo

GROUPS = ("outcome", "evaluation", "health", "data", "speed", "system", "other")


class LogSink:
    def open(self, info):
        self._log = TrainingLog(info.folder / "training.log", classify)

    def write(self, blocks, _):
        self._log.write(blocks)

    def close(self, _):
        self._log.close()


class TensorBoardXSink:
    def open(self, info):
        from tensorboardX import SummaryWriter

        self._writer = SummaryWriter(str(info.folder))

    def write(self, blocks, _):
        for block in blocks:
            for row in block.rows():
                for name, value in row.values.items():
                    self._writer.add_scalar(name, value, row.step, row.time)

    def close(self, _):
        self._writer.close()


def classify(name):
    return GROUPS[hash(name) % len(GROUPS)]


def blocks_of(names, rows, count):
    rng = np.random.default_rng(0)
    tags = tuple(f"group{i % 6}/metric_{i:02}" for i in range(names))
    for i in range(count):
        steps = np.arange(rows) + i * rows
        yield RowBlock(tags, steps, 1.7e9 + steps / 100, rng.normal(size=(rows, names)))


def measure(sink, blocks):
    scalars = sum(block.values.size for block in blocks)
    with tempfile.TemporaryDirectory() as folder:
        info = RunInfo(id="b", name="b", project="b", folder=Path(folder), started=time.time())
        sink.open(info)
        sink.write(blocks[:1], [])  # templates and imports
        start = time.process_time()
        for block in blocks:
            sink.write([block], [])
        spent = time.process_time() - start
        sink.close("finished")
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return spent / scalars * 1e6, size / (scalars + blocks[0].values.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", type=int, default=60)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--blocks", type=int, default=10)
    options = parser.parse_args()
    blocks = list(blocks_of(options.names, options.rows, options.blocks))
    few = list(blocks_of(options.names, min(options.rows, 200), 2))
    sinks = {
        "TensorBoardSink": (TensorBoardSink(), blocks),
        "CsvSink": (CsvSink(), blocks),
        "training.log": (LogSink(), blocks),
        "ConsoleSink, all": (ConsoleSink(classify, io.StringIO()), blocks),
        "tensorboardX": (TensorBoardXSink(), few),
    }
    print(f"{options.names} names, {options.rows} rows a block")
    print(f"{'':18}{'µs/scalar':>10}{'bytes/scalar':>14}")
    results = {}
    for name, (sink, data) in sinks.items():
        cost, size = results[name] = measure(sink, data)
        print(f"{name:18}{cost:10.3f}{size:14.1f}")
    ours = sum(results[name][0] for name in ("TensorBoardSink", "CsvSink", "training.log"))
    times = results["tensorboardX"][0] / ours
    print(f"TensorBoard + CSV + training.log: {ours:.3f} µs, 1/{times:.0f} of tensorboardX")


if __name__ == "__main__":
    main()
