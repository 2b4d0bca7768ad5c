"""Real launches: torchrun with gloo on the CPU, two jobs at once, a rank that dies and is restarted."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import runvitals as rv
from runvitals.store.reader import open_folder

pytest.importorskip("torch")

TRAIN = """
import os, signal, sys
import torch, torch.distributed as dist
import runvitals as rv
dist.init_process_group("gloo")
rank, life = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
run = rv.init("p", dir=".", console=False, tensorboard=False, system=False, judge=False)
begin = 60 * life
for step in range(begin, 100):
    total = torch.tensor([float(rank)])
    dist.all_reduce(total)
    run.log({"own": rank + step / 1000, "sum": total, "job": float(sys.argv[1])}, step=step)
    if life == 0 and step == 60:
        run.flush()
        dist.barrier()
        if sys.argv[2] == "die" and rank == 2:
            os.kill(os.getpid(), signal.SIGKILL)
run.finish()
dist.destroy_process_group()
"""


def torchrun(folder, *words, job, end):
    (folder / "train.py").write_text(TRAIN)
    command = [sys.executable, "-m", "torch.distributed.run", *words, "--nproc-per-node=4"]
    # a store that outlives a restart would give the new ranks the addresses of the dead ones
    fresh = {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    environment = {**os.environ, **fresh}
    return subprocess.Popen([*command, "train.py", str(job), end], cwd=folder, env=environment)


@pytest.mark.parametrize(
    "words",
    [["--standalone"], ["--master-port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0"]],
    ids=["standalone", "c10d"],
)
def test_two_jobs_at_once_one_of_which_is_restarted(tmp_path, words):
    jobs = [
        torchrun(tmp_path, *words, "--max-restarts=2", job=number, end=end)
        for number, end in ((1, "live"), (2, "die"))
    ]
    assert [process.wait(900) for process in jobs] == [0, 0]

    found = [open_folder(p) for p in (tmp_path / "p").iterdir() if p.is_dir()]
    assert sorted({float(v) for v in view["job"].values}.pop() for view in found) == [1.0, 2.0]
    for view in found:
        assert view.missing == []
        own = view.select("own")
        assert len(own) == 4
        for rank, series in enumerate(own):
            assert series.steps.tolist() == list(range(100))
            assert np.allclose(series.values, rank + series.steps / 1000)
        assert set(view["sum"].values.tolist()) == {6.0}


STRAGGLE = """
import time
import torch, torch.distributed as dist
import runvitals as rv
dist.init_process_group("gloo")
rank = dist.get_rank()
run = rv.init("p", dir=".", console=False, tensorboard=False, system=False, judge=False)
mine = torch.tensor([3000.0 if rank == 2 else 1000.0])
for step in range(80):
    began = time.perf_counter()
    time.sleep(mine.item() * 1e-5)  # a step takes as long as its tokens
    forward = time.perf_counter() - began
    every = [torch.zeros(1) for _ in range(4)]
    dist.all_gather(every, mine)
    tokens = torch.cat(every)
    run.log(
        {
            "time/forward_s": forward,
            "time/step_s": time.perf_counter() - began,
            "balance/seqlen_max": tokens.max(),
            "balance/seqlen_min": tokens.min(),
            "balance/seqlen_mean": tokens.mean(),
        },
        step=step,
    )
run.finish()
dist.destroy_process_group()
"""


def test_the_rank_that_all_others_wait_for_and_its_load_are_named(tmp_path):
    (tmp_path / "train.py").write_text(STRAGGLE)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*command, "train.py"], cwd=tmp_path, env=environment, check=True, timeout=900)

    run = rv.open_run(tmp_path)
    found = {finding.code: finding for finding in rv.judge(run).all_findings}

    assert len(run.select("time/step_s")) == 4
    assert found["LOAD002"].rank == 2
    assert found["LOAD002"].series == "time/forward_s"
    assert (found["LOAD001"].severity, found["LOAD001"].series) == ("warning", "balance/seqlen_max")
