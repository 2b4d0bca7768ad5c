"""Processes that join a run which another process owns."""

import json
import os
import subprocess
import sys

import pytest

import runvitals as rv
from runvitals.recorder.child_run import Observed, observed

LOGS = """
import sys
from runvitals.integrations.session import recording
run = recording(config={"lr": 0.001}, framework="stable-baselines3")
for step in range(int(sys.argv[1]), int(sys.argv[1]) + 10):
    run.log({"loss": 1.0 / (step + 1)}, step=step)
"""


@pytest.fixture
def owner(tmp_path):
    quiet = {"console": False, "tensorboard": False, "judge": False, "system": False}
    with rv.init("p", "observed", dir=tmp_path, **quiet) as run:
        yield run


def guest(owner, script=LOGS, first=0, **environment):
    joined = {**os.environ, **Observed(owner.folder).environment(), **environment}
    subprocess.run([sys.executable, "-c", script, str(first)], env=joined, check=True)


def test_a_process_that_joins_records_into_the_owners_run(owner):
    guest(owner)

    run = rv.open_run(owner.folder)
    assert run["loss"].steps.tolist() == list(range(10))
    assert [p.name for p in owner.folder.parent.iterdir()] == [owner.folder.name]


def test_the_settings_of_a_guest_lie_beside_run_json_for_its_owner(owner):
    guest(owner)

    [path] = (owner.folder / "guests").glob("rank0.fork*.json")
    told = json.loads(path.read_text())
    assert told["config"] == {"lr": 0.001}
    assert (told["framework"], told["main"]) == ("stable-baselines3", True)


def test_ranks_join_the_same_run_as_ranks(owner):
    for rank in ("0", "1"):
        guest(owner, RANK=rank, WORLD_SIZE="2", first=int(rank))

    run = rv.open_run(owner.folder)
    assert [s.labels.get("rank") for s in run.select("loss")] == ["0", "1"]


def test_a_process_that_comes_after_another_is_the_next_life_of_the_run(owner):
    guest(owner, first=0)
    guest(owner, first=5)

    run = rv.open_run(owner.folder)
    assert run["loss"].steps.tolist() == list(range(15))
    assert run.abandoned("loss").steps.tolist() == list(range(5, 10))


def test_init_in_an_observed_process_joins_and_a_second_run_is_its_own(owner, tmp_path):
    script = """
import sys, os
import runvitals as rv
os.chdir(os.environ["HERE"])
first = rv.init("mine", console=False)
first.log({"a": 1.0}, step=0)
second = rv.init("mine", console=False)
second.log({"b": 2.0}, step=0)
"""
    guest(owner, script, HERE=str(tmp_path))

    assert rv.open_run(owner.folder)["a"].values.tolist() == [1.0]
    [other] = rv.open_runs(tmp_path / "runs")
    assert other.names()[0] == "b"


def test_an_observed_folder_that_is_gone_is_not_joined(tmp_path):
    assert observed(Observed(tmp_path / "gone").environment()) is None
    assert observed(Observed(tmp_path, 3, "L12-ab").environment()) == Observed(
        tmp_path, 3, "L12-ab"
    )
