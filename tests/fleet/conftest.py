"""A small fleet: healthy runs, and some that collapse."""

from __future__ import annotations

import numpy as np
import pytest

import runvitals as rv

QUIET = {
    "console": False,
    "tensorboard": False,
    "system": False,
    "judge": False,
    "handle_signals": False,
}


def record(folder, *, project="cartpole", sick=False, seed=0, rows=60, **config):
    """A recorded run whose return rises, or falls after half of its time."""
    rng = np.random.default_rng(seed)
    course = np.concatenate([np.linspace(20, 400, rows // 2), np.full(rows - rows // 2, 400.0)])
    if sick:
        course[rows // 2 :] = np.linspace(300, 5, rows - rows // 2)
    with rv.init(folder=folder, project=project, algorithm="PPO", config=config, **QUIET) as run:
        for step, reward in enumerate(course):
            noise = rng.normal(size=3)
            run.log(
                {
                    "outcome/return_mean": reward + 5 * noise[0],
                    "policy/approx_kl": 0.01 + 0.001 * noise[1],
                    "policy/entropy": 0.6 + 0.01 * noise[2],
                },
                step=1000 * step,
            )
    return folder


@pytest.fixture(scope="session")
def recorded_fleet(tmp_path_factory):
    top = tmp_path_factory.mktemp("fleet")
    for seed in range(6):
        sick = seed % 3 == 0
        project = "walker" if seed == 5 else "cartpole"
        rate = 0.05 if sick else 3e-4
        record(top / f"run{seed}", project=project, sick=sick, seed=seed, learning_rate=rate)
    return top


@pytest.fixture
def fleet(recorded_fleet, tmp_path, monkeypatch):
    """A copy that a test may change; nothing is kept of it yet."""
    import shutil

    monkeypatch.setenv("RUNVITALS_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(recorded_fleet, tmp_path / "runs")
