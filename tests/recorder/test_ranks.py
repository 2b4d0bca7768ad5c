"""Many processes, one run: however they are launched, in whatever order they come."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from runvitals.model import RunExistsError
from runvitals.recorder import identity
from runvitals.store.reader import open_folder

RANK = """
import os, sys, time
import runvitals as rv
run = rv.init("p", dir=".", console=False, tensorboard=False, system=False, judge=False, **OPTIONS)
for i in range(50):
    run.log({"rank": float(os.environ["RANK"]), "job": float(os.environ["JOB"])}, step=i)
run.finish()
"""
LAUNCHER = """
import os, subprocess, sys
ranks = [
    subprocess.Popen([sys.executable, "rank.py"], env={**os.environ, "RANK": str(r)})
    for r in map(int, os.environ["ORDER"].split())
]
sys.exit(max(rank.wait() for rank in ranks))
"""


def launch(folder, number, options="{}", order="3 1 2 0", **environment):
    (folder / "rank.py").write_text(RANK.replace("OPTIONS", options))
    (folder / "launch.py").write_text(LAUNCHER)
    settings = {"WORLD_SIZE": "4", "ORDER": order, "JOB": str(number), **environment}
    return subprocess.Popen(
        [sys.executable, "launch.py"], cwd=folder, env={**os.environ, **settings}
    )


def runs(folder):
    return [open_folder(p) for p in sorted((folder / "p").iterdir()) if p.is_dir()]


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        ("{}", {}),
        ("{}", {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}),
        ("{'id': f\"job{os.environ['JOB']}\"}", {}),
    ],
    ids=["nothing but ranks", "an address", "an id"],
)
def test_two_jobs_at_once_are_two_runs_with_all_their_ranks(tmp_path, options, environment):
    jobs = [launch(tmp_path, number, options, **environment) for number in (1, 2)]

    assert [process.wait(1200) for process in jobs] == [0, 0]
    found = runs(tmp_path)
    assert sorted(set(view["job"].values.tolist()).pop() for view in found) == [1.0, 2.0]
    for view in found:
        assert [len(set(s.values)) for s in view.select("job")] in ([1], [1, 1, 1, 1])
        assert [s.values.tolist() for s in view.select("rank")] == [
            [float(r)] * 50 for r in range(4)
        ]
        assert view.status == "finished"
        assert json.loads((view.path / "run.json").read_text())["world_size"] == 4


@pytest.mark.parametrize(
    "environment",
    [
        {"TORCHELASTIC_RUN_ID": "7f3a1c"},
        {"SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2"},
        {"PMIX_NAMESPACE": "prterun-node-12@1", "OMPI_COMM_WORLD_SIZE": "2"},
        {"RAY_JOB_ID": "02000000", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "4000"},
    ],
    ids=["torchelastic", "slurm", "mpi", "ray"],
)
def test_ranks_without_a_shared_folder_come_to_the_same_id(
    start, monkeypatch, tmp_path, environment
):
    for name, value in {"WORLD_SIZE": "2", **environment}.items():
        monkeypatch.setenv(name, value)
    ids = set()
    for rank in range(2):
        monkeypatch.setattr(identity, "_inits", {})  # each is a process of its own
        monkeypatch.setenv("RANK", str(rank))
        run = start(dir=tmp_path / f"node{rank}", name="exp")
        ids.add(run.id)
        run.finish()

    assert len(ids) == 1
    assert ids.pop().startswith("exp-")


def test_a_script_that_trains_twice_in_one_job_records_two_runs(start, monkeypatch):
    monkeypatch.setattr(identity, "_inits", {})
    for name, value in {"WORLD_SIZE": "2", "RANK": "0", "TORCHELASTIC_RUN_ID": "x"}.items():
        monkeypatch.setenv(name, value)
    first = start(name="exp")
    first.finish()

    assert start(name="exp").id == f"{first.id}-2"


def test_rank_0_may_come_last_to_an_id(start):
    other = start(id="r", rank=1)
    other.log({"x": 1.0})

    first = start(id="r", rank=0)

    first.log({"x": 0.0})
    first.finish()
    other.finish()
    view = open_folder(first.folder)
    assert [s.values.tolist() for s in view.select("x")] == [[0.0], [1.0]]


def test_another_job_does_not_write_into_a_run_that_exists(start, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "first")
    start(id="r").finish()
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "second")

    with pytest.raises(RunExistsError, match="exists already"):
        start(id="r")


@pytest.mark.parametrize("options", [{}, {"id": "mine"}], ids=["no id", "an id"])
def test_an_elastic_restart_goes_on_in_its_run(start, monkeypatch, options):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "abc")
    for life in range(2):
        monkeypatch.setattr(identity, "_inits", {})
        monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", str(life))
        run = start(name="exp", **options)
        for step in range(10 * life, 10 * life + 10):
            run.log({"x": float(life)}, step=step)
        run.finish()

    view = open_folder(run.folder)
    assert len(list(run.folder.parent.iterdir())) == 1
    assert view["x"].values.tolist() == [0.0] * 10 + [1.0] * 10


def test_files_of_a_replacement_node_have_names_of_their_own(start, monkeypatch, tmp_path):
    for name, value in {"WORLD_SIZE": "2", "RANK": "0", "TORCHELASTIC_RUN_ID": "n"}.items():
        monkeypatch.setenv(name, value)
    folders = []
    for node in range(2):
        monkeypatch.setattr(identity, "_inits", {})
        run = start(dir=tmp_path / f"node{node}")
        for step in range(50 * node, 50 * node + 100):
            run.log({"x": float(node)}, step=step)
        run.finish()
        folders.append(run.folder)
    names = [{p.name for p in (folder / "points").iterdir()} for folder in folders]

    assert not names[0] & names[1]
    for path in (folders[1] / "points").iterdir():
        shutil.copy(path, folders[0] / "points")
    view = open_folder(folders[0])
    assert view["x"].values.tolist() == [0.0] * 50 + [1.0] * 100


def test_a_job_that_ended_long_ago_is_left_alone(tmp_path):
    place = identity.Worker(rank=0, world_size=2)
    first = identity._claimed(tmp_path, "exp", place, now=1_000_000.0)
    other = identity._claimed(
        tmp_path, "exp", identity.Worker(rank=1, world_size=2), now=1_000_001.0
    )
    late = identity._claimed(
        tmp_path, "exp", identity.Worker(rank=1, world_size=2), now=1_000_500.0
    )

    assert first == other != late
