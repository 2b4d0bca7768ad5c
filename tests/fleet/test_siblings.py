"""Runs of a folder held against each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.diagnosis.judge import Settings
from runvitals.fleet.judging import Job, judge_all

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for seed in range(6):
        config = {"lr": 0.1, "gamma": 0.99, "clip": 0.4 if seed == 5 else 0.2, "n": 4, "seed": seed}
        with rv.init(
            "p", f"run{seed}", dir=tmp_path, algorithm="PPO", config=config, **QUIET
        ) as run:
            for i in range(100):
                level = 200 * (1 - np.exp(-i / 20)) * (0.3 if seed == 5 else 1)
                run.log({"outcome/return_mean": level + rng.normal(0, 3)}, step=1000 * i)
    return tmp_path


def test_the_run_that_differs_is_told_what_differs(folder: Path) -> None:
    for _ in range(2):  # the second time by judgements that were kept
        judged, problems = judge_all(Job((folder,), Settings()), workers=1)

        said = {
            one.run.name: [f.message for f in one.diagnosis.findings if f.code == "SIB001"]
            for one in judged
        }
        assert problems == []
        assert [name for name, found in said.items() if found] == ["run5"]
        assert "what differs: clip 0.4 against 0.2" in said["run5"][0]
        assert all("SIB001" not in [n.code for n in one.diagnosis.not_checked] for one in judged)


def test_a_run_alone_is_not_checked(folder: Path) -> None:
    (alone,), _ = judge_all(Job((next((folder / "p").iterdir()),), Settings()), workers=1)

    assert "SIB001" in [one.code for one in alone.diagnosis.not_checked]
