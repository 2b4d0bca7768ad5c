"""Rows, runs and TensorBoard's own readers, for the tests of the exporters."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from runvitals.model import RowBlock, RunInfo


@pytest.fixture
def info(tmp_path):
    return RunInfo(
        id="r1", name="ppo-hopper", project="demo", folder=tmp_path / "run", started=1_700_000_000.0
    )


@pytest.fixture
def make_block():
    def make(names, steps, values=None, *, times=None, rank=0, seed=0):
        steps = np.asarray(steps, dtype=np.int64)
        if times is None:
            times = 1_700_000_000.0 + np.arange(len(steps)) / 8
        if values is None:
            values = np.random.default_rng(seed).normal(size=(len(steps), len(names)))
        values = np.asarray(values, dtype=np.float64).reshape(len(steps), len(names))
        return RowBlock(tuple(names), steps, np.asarray(times, dtype=np.float64), values, rank)

    return make


@pytest.fixture
def accumulate():
    """TensorBoard's Python reader, keeping every point."""
    module = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

    def load(folder: Path):
        guidance = dict.fromkeys(module.DEFAULT_SIZE_GUIDANCE, 0)
        return module.EventAccumulator(str(folder), size_guidance=guidance).Reload()

    return load


@pytest.fixture
def rust_reader(tmp_path):
    """TensorBoard's Rust reader, keeping every point and checking every checksum."""
    server = pytest.importorskip("tensorboard_data_server")
    grpc = pytest.importorskip("grpc")
    grpc_provider = pytest.importorskip("tensorboard.data.grpc_provider")
    stubs = pytest.importorskip("tensorboard.data.proto.data_provider_pb2_grpc")
    binary = server.server_binary()
    if binary is None:
        pytest.skip("tensorboard-data-server ships no binary for this platform")

    @contextmanager
    def provider(folder: Path):
        port_file = tmp_path / "port"
        keep = ",".join(f"{name}=all" for name in ("scalars", "histograms", "text", "hparams"))
        command = [binary, f"--logdir={folder}", "--host=127.0.0.1", "--port=0"]
        command += [f"--port-file={port_file}", f"--samples-per-plugin={keep}"]
        command += ["--reload=once", "--checksum", "--die-after-stdin", "--verbose"]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            if not any("Finished load cycle" in line for line in process.stderr):
                pytest.skip("tensorboard-data-server did not start")
            address = f"127.0.0.1:{port_file.read_text().strip()}"
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(timeout=600)
                yield grpc_provider.GrpcDataProvider(
                    address, stubs.TensorBoardDataProviderStub(channel)
                )
        finally:
            process.stdin.close()
            process.wait(timeout=600)
            process.stderr.close()

    return provider
