"""The five ways to begin in docs/integrations.md, as they stand there, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.frameworks.adapted import EXAMPLES, codes, recorded

import runvitals as rv

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
LOOP = """
import argparse
args = argparse.Namespace(learning_rate=3e-4)
"""
# the snippet's last line, once per step of a loop
STEPS = """
    for step in range(200):
        kl, ret = 0.01, 10.0 + step
"""
PPO = """
from stable_baselines3 import PPO
model = PPO("MlpPolicy", "CartPole-v1", n_steps=128, batch_size=64, device="cpu")
"""
WRITES = """
writer = SummaryWriter("runs/CartPole-v1__ppo__1")
for step in range(200):
    writer.add_scalar("charts/episodic_return", 10 + step, step)
    writer.add_scalar("losses/approx_kl", 0.01, step)
writer.close()
"""


def snippet(title: str) -> str:
    """The indented lines below a bold title."""
    below = PAGE.read_text().split(f"**{title}**", 1)[1]
    [lines] = re.findall(r"\A.*?\n\n((?: {4}.*\n)+)", below)
    return textwrap.dedent(lines)


def start(folder: Path, *command: str) -> rv.Run:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    [run] = rv.open_runs(folder / "runs")
    return recorded(run.path)


def run_script(folder: Path, script: str) -> rv.Run:
    (folder / "train.py").write_text(script)
    return start(folder, sys.executable, "train.py")


def test_any_command_is_recorded(tmp_path):
    pytest.importorskip("torch.utils.tensorboard")
    script = "from torch.utils.tensorboard import SummaryWriter\n" + WRITES
    (tmp_path / "train.py").write_text(script.replace("runs/", "events/"))
    runvitals, *words = shlex.split(snippet("Any command"))
    assert runvitals == "runvitals"
    words = [sys.executable if word == "python" else word for word in words]

    run = start(tmp_path, sys.executable, "-m", "runvitals.cli.main", *words)

    assert len(run["charts/episodic_return"]) == 200
    assert (run.status, codes(run)) == ("finished", set())


def test_stable_baselines3_is_recorded(tmp_path):
    pytest.importorskip("stable_baselines3")
    lines = snippet("Stable-Baselines3").replace("100_000", "2_048")  # the same, in seconds

    run = run_script(tmp_path, PPO + lines)

    assert (run.status, run.framework, run.algorithm) == ("finished", "stable-baselines3", "PPO")
    assert run.settings.get("learning_rate") == 3e-4
    assert "train/approx_kl" in run.names()


def test_trl_is_recorded(tmp_path):
    """The example of GRPO, with the import and the callback of the page in place of its own."""
    pytest.importorskip("trl")
    imported, line = snippet("TRL").strip().splitlines()
    [arguments] = re.findall(r"GRPOTrainer\(\.\.\., (.*)\)$", line)
    script = (EXAMPLES / "trl_grpo.py").read_text()
    script, imports = re.subn(r"from runvitals\S+ import RunvitalsCallback", imported, script)
    script, calls = re.subn(r"callbacks=\[.*\]", lambda _: arguments, script)
    assert (imports, calls) == (1, 1)

    run = run_script(tmp_path, script)

    assert (run.status, run.framework, run.algorithm) == ("finished", "trl", "GRPO")
    assert len(run["reward"]) == 30
    assert run.settings.get("learning_rate") == 1e-2


def test_a_script_with_a_summary_writer_is_recorded(tmp_path):
    run = run_script(tmp_path, snippet("A script with a `SummaryWriter`") + WRITES)

    assert len(run["charts/episodic_return"]) == 200
    assert (run.status, codes(run)) == ("finished", set())


def test_a_loop_of_your_own_is_recorded(tmp_path):
    *head, logs = snippet("A loop of your own").splitlines()

    run = run_script(tmp_path, LOOP + "\n".join(head) + STEPS + textwrap.indent(logs, "    "))

    assert (run.project, len(run["outcome/return_mean"])) == ("cartpole", 200)
    assert run.settings.get("learning_rate") == 3e-4
    assert rv.judge(run).verdict.word in ("learning", "learned")
