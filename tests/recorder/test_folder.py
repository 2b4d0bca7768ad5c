"""Recording into a folder of the user's choice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runvitals as rv
from runvitals.model import RunExistsError

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@pytest.mark.parametrize("name", ["out", "my run!", ".hidden"])
def test_a_run_is_recorded_right_there(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name

    with rv.init(folder=folder, project="trials", **QUIET) as run:
        run.log({"loss": 1.0}, step=3)

    assert run.folder == folder
    assert json.loads((folder / "run.json").read_text())["project"] == "trials"
    assert rv.open_run(folder)["loss"].values.tolist() == [1.0]


def test_a_run_that_is_there_is_gone_on_with_only_when_asked(tmp_path: Path) -> None:
    with rv.init(folder=tmp_path / "out", **QUIET) as run:
        run.log({"loss": 1.0}, step=0)

    with pytest.raises(RunExistsError, match="exists already"):
        rv.init(folder=tmp_path / "out", **QUIET)
    with rv.init(folder=tmp_path / "out", resume=True, **QUIET) as again:
        again.log({"loss": 2.0}, step=1)

    assert again.id == run.id
    assert rv.open_run(tmp_path / "out")["loss"].values.tolist() == [1.0, 2.0]


def test_a_run_that_must_be_there_is_missed(tmp_path: Path) -> None:
    with pytest.raises(RunExistsError, match="no run 'out' to resume"):
        rv.init(folder=tmp_path / "out", resume="must", **QUIET)
