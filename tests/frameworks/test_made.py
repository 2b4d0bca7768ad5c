"""The makers of labelled runs, each for a few steps: what they leave can be opened."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.made.registry import all_programs

import runvitals as rv

for needed in ("torch", "stable_baselines3", "trl", "gymnasium", "sklearn"):
    pytest.importorskip(needed, reason=f"needs {needed}")

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

BRIEFLY = {
    "loops-q-frozenlake-healthy": {"episodes": 60},
    "loops-lm-markov-healthy": {"steps": 60},
    "cleanrl-dqn-frozenlake-fast": {"steps": 1500},
    "cleanrl-ppo-cartpole-healthy": {"steps": 2048},
    "sb3-ppo-cartpole-eval-broken": {"steps": 8192, "evals": 2},
    "hf-lm-markov-healthy": {"steps": 12},
    "trl-sft-markov-healthy": {"steps": 12},
    "trl-grpo-many-a-healthy": {"steps": 2},
    "trl-reward-vowels-healthy": {"steps": 12},
}


@pytest.mark.parametrize("name", BRIEFLY)
def test_a_brief_run_leaves_a_log_and_an_outcome(name: str, tmp_path: Path) -> None:
    [program] = [one for one in all_programs() if one.name == name]
    brief = replace(program, settings={**program.settings, **BRIEFLY[name]})
    maker = importlib.import_module(f"benchmarks.made.{program.maker}")
    maker.prepare()

    outcome = maker.make(brief, program.seeds[0], tmp_path)

    assert outcome.end == outcome.end, "the outcome is not a number"
    runs = rv.open_runs(tmp_path)
    assert runs
    assert all(len(run) for run in runs)
