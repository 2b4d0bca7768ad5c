"""`runvitals run` over scripts of real frameworks that know nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.frameworks.adapted import recorded

import runvitals as rv

torch = pytest.importorskip("torch", reason="needs torch")

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]
ROOT = Path(__file__).parents[2]


def observe(folder, script, *words, launcher=()):
    (folder / "train.py").write_text(script)
    paths = [*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(ROOT)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RUNVITALS_")}
    environment |= {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, *launcher, "train.py", *words]
    done = subprocess.run(
        [sys.executable, "-m", "runvitals.cli.main", "run", "--quiet", "--", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def the_run(folder) -> rv.Run:
    [path] = [path.parent for path in (folder / "runs").rglob("run.json")]
    return recorded(path)


def metrics(run):
    return {name for name in run.names() if not name.startswith("System/")}


CLEANRL = """
import argparse, time
import gymnasium as gym
import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, default=2.5e-4)
parser.add_argument("--total-timesteps", type=int, default=2000)
args = parser.parse_args()
run_name = f"CartPole-v1__ppo__1__{int(time.time())}"
writer = SummaryWriter(f"runs_tb/{run_name}")
writer.add_text(
    "hyperparameters",
    "|param|value|\\n|-|-|\\n%s" % ("\\n".join([f"|{k}|{v}|" for k, v in vars(args).items()])),
)
envs = gym.make("CartPole-v1")
net = torch.nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate)
obs, _ = envs.reset(seed=1)
total, length, global_step = 0.0, 0, 0
while global_step < args.total_timesteps:
    global_step += 1
    dist = torch.distributions.Categorical(logits=net(torch.tensor(obs)))
    action = dist.sample()
    obs, reward, over, cut, _ = envs.step(action.item())
    total, length = total + reward, length + 1
    if over or cut:
        writer.add_scalar("charts/episodic_return", total, global_step)
        writer.add_scalar("charts/episodic_length", length, global_step)
        loss = -dist.log_prob(action) * total
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        writer.add_scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], global_step)
        writer.add_scalar("losses/policy_loss", loss.item(), global_step)
        writer.add_scalar("losses/entropy", dist.entropy().mean().item(), global_step)
        print(f"global_step={global_step}, episodic_return={total}")
        total, length = 0.0, 0
        obs, _ = envs.reset()
envs.close()
writer.close()
"""


def test_an_unmodified_script_in_the_style_of_cleanrl(tmp_path):
    done = observe(tmp_path, CLEANRL, "--learning-rate", "0.001")

    run = the_run(tmp_path)
    assert metrics(run) == {
        "charts/episodic_return",
        "charts/episodic_length",
        "charts/learning_rate",
        "losses/policy_loss",
        "losses/entropy",
    }
    printed = [line for line in done.stdout.splitlines() if line.startswith("global_step=")]
    assert len(run["charts/episodic_return"]) == len(printed) > 10
    assert run.config["learning_rate"] == 0.001
    assert list((tmp_path / "runs_tb").rglob("*tfevents*")), "its own event files are there too"


SB3 = """
from stable_baselines3 import PPO
model = PPO("MlpPolicy", "CartPole-v1", n_steps=128, batch_size=64, gamma=0.98, verbose=1, seed=0,
            tensorboard_log="tb")
model.learn(1024)
"""


def test_stable_baselines3_is_recorded_once_with_the_settings_of_its_model(tmp_path):
    pytest.importorskip("stable_baselines3")
    observe(tmp_path, SB3)

    run = the_run(tmp_path)
    assert {"rollout/ep_rew_mean", "train/approx_kl", "train/value_loss"} <= metrics(run)
    assert run["rollout/ep_rew_mean"].steps.tolist() == [128 * i for i in range(1, 9)]
    assert (run.framework, run.algorithm) == ("stable-baselines3", "PPO")
    assert (run.settings["gamma"], run.config["total_timesteps"]) == (0.98, 1024)


SFT = """
import numpy as np, torch, trl
torch.set_num_threads(1)
from benchmarks.made import texts
from benchmarks.made.hugging import tiny_model, tokenizer_of
from datasets import Dataset
found = texts.sample("markov", np.random.default_rng(0), 200)
data = Dataset.from_list([{"text": " ".join(words)} for words in found])
tokenizer = tokenizer_of(texts.words_of("markov"))
config = trl.SFTConfig(
    output_dir="out", max_steps=12, learning_rate=5e-3, logging_steps=1, save_strategy="no",
    per_device_train_batch_size=8, report_to=["tensorboard"], disable_tqdm=True, use_cpu=True,
    max_length=32, seed=0,
)
trl.SFTTrainer(
    tiny_model(tokenizer, 0, width=16), config, train_dataset=data, processing_class=tokenizer
).train()
"""


def test_a_value_that_passes_through_trainer_and_tensorboard_is_recorded_once(tmp_path):
    pytest.importorskip("trl")
    observe(tmp_path, SFT)

    run = the_run(tmp_path)
    assert run["loss"].steps.tolist() == list(range(1, 13))
    assert not [name for name in metrics(run) if name.startswith("train/")]
    assert (run.framework, run.algorithm) == ("trl", "SFT")
    assert run.settings["learning_rate"] == 5e-3
    assert list(tmp_path.rglob("*tfevents*"))


RANKS = """
import torch, torch.distributed as dist
from torch.utils.tensorboard import SummaryWriter
dist.init_process_group("gloo")
rank = dist.get_rank()
writer = SummaryWriter(f"tb/rank{rank}")
for step in range(30):
    total = torch.tensor([float(rank)])
    dist.all_reduce(total)
    writer.add_scalar("losses/value_loss", 1.0 / (step + 1) + rank, step)
writer.close()
dist.destroy_process_group()
"""


def test_the_ranks_of_torchrun_record_into_one_run(tmp_path):
    observe(
        tmp_path,
        RANKS,
        launcher=("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"),
    )

    run = the_run(tmp_path)
    series = run.select("losses/value_loss")
    assert [one.labels["rank"] for one in series] == ["0", "1"]
    for rank, one in enumerate(series):
        assert one.steps.tolist() == list(range(30))
        assert one.values[0] == pytest.approx(1.0 + rank)


CAPTURE = """
import runvitals as rv
run = rv.capture(project="captured", tensorboard=False, judge=False)
from torch.utils.tensorboard import SummaryWriter
writer = SummaryWriter("tb")
for step in range(20):
    writer.add_scalar("losses/value_loss", 1.0 / (step + 1), step)
writer.close()
print(run.folder)
"""


def test_capture_records_from_inside_a_script(tmp_path):
    (tmp_path / "train.py").write_text(CAPTURE)
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    run = rv.open_run(done.stdout.strip().splitlines()[-1])
    assert len(run["losses/value_loss"]) == 20
