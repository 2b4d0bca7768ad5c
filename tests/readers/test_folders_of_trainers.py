"""Folders as real trainers leave them, with a view of the run in several files, and while they grow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.exporters import export_tensorboard
from runvitals.model import RowBlock, RunInfo

NAMES = ("rollout/ep_rew_mean", "time/fps", "time/iterations", "time/total_timesteps")
BAR = "{percent:3d}%|{bar}| {at}/{of} [00:00<00:00, 20.45it/s]"


def boxes(rows):
    rule = "-" * 40
    for step in rows:
        yield (
            f"{rule}\n| rollout/           |          |\n|    ep_rew_mean     | {step / 7:.3g} |\n"
            f"| time/              |          |\n|    fps             | 100      |\n"
            f"|    iterations      | {step}   |\n|    total_timesteps | {step * 100} |\n{rule}\n"
        )


def progress(path, rows=range(1, 9), names=NAMES):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.write(",".join(names) + "\n")
        for step in rows:
            file.write(f"{step / 7},100,{step},{step * 100}\n")


def evaluations(path, count):
    path.parent.mkdir(parents=True, exist_ok=True)
    steps = np.arange(1, count + 1) * 200
    results = np.column_stack([steps, steps + 2.0])
    np.savez(path, timesteps=steps, results=results, ep_lengths=np.full((count, 2), 9))


def events(folder, tags, steps, name=None):
    steps = np.array(list(steps), np.int64)
    values = np.outer(steps, np.ones(len(tags))).astype(float)
    block = RowBlock(tuple(tags), steps, steps + 1e9, values)
    export_tensorboard([block], [], folder, RunInfo("r", "r", "p", folder))
    if name is not None:
        [file] = [p for p in Path(folder).iterdir() if p.is_file() and "tfevents" in p.name]
        file.rename(file.with_name(name))


def state(path, last):
    path.parent.mkdir(parents=True, exist_ok=True)
    history = [{"step": s, "loss": 1.0 / s, "epoch": s / 10} for s in range(1, last + 1)]
    path.write_text(json.dumps({"log_history": history, "global_step": last, "max_steps": last}))


def test_all_loggers_of_stable_baselines_are_one_run(tmp_path):
    run_folder = tmp_path / "ppo"
    progress(run_folder / "progress.csv")
    for name in ("log.txt", "console.out"):
        (run_folder / name).write_text("".join(boxes(range(1, 9))))
    events(run_folder, ["rollout/ep_rew_mean"], range(1, 9))
    evaluations(run_folder / "eval" / "evaluations.npz", 4)

    [run] = rv.open_runs(tmp_path)

    assert (run.id, run.name, run.warnings) == ("ppo", "ppo", [])
    assert run.started is not None
    assert run["eval/return_mean"].values.tolist() == [201.0, 401.0, 601.0, 801.0]
    assert not [name for name in run.names() if name.startswith("eval/eval/")]


def test_console_files_without_a_logger_beside_them_are_runs_each(tmp_path):
    for name in ("seed1.log", "seed2.log"):
        (tmp_path / name).write_text("".join(boxes(range(1, 9))))

    assert [run.id for run in rv.open_runs(tmp_path)] == ["seed1.log", "seed2.log"]


def test_every_start_of_a_trainer_belongs_to_its_run(tmp_path):
    out = tmp_path / "out"
    state(out / "checkpoint-20" / "trainer_state.json", 20)
    events(out / "runs" / "Nov15_22-44-41_host", ["train/loss"], range(1, 13))
    events(out / "runs" / "Nov15_22-50-00_host", ["train/loss"], range(13, 21))

    [run] = rv.open_runs(tmp_path)

    assert run.name == "out"
    assert run["train/loss"].steps.tolist() == list(range(1, 21))


def test_what_pytorch_writes_beside_its_writer_is_the_same_run(tmp_path):
    name = "events.out.tfevents.1700000000.host.77.{}"
    events(tmp_path / "run", ["loss"], range(5), name.format(0))
    events(tmp_path / "run" / "my_acc_val", ["my/acc"], range(5), name.format(1))
    events(tmp_path / "run" / "1700000000.25", ["hparam/best"], [0], name.format(2))
    events(tmp_path / "run" / "other_run", ["loss"], range(5), name.format(3))

    runs = {run.id: run for run in rv.open_runs(tmp_path)}

    assert set(runs) == {"run", "other_run"}
    assert set(runs["run"].names()) == {"loss", "val/my/acc", "hparam/best"}


@pytest.mark.parametrize(
    ("columns", "algorithm"),
    [
        (
            ["train/actor_loss", "train/critic_loss", "train/n_updates", "time/episodes"],
            "TD3 or DDPG",
        ),
        (["train/actor_loss", "train/critic_loss", "train/ent_coef", "train/ent_coef_loss"], "SAC"),
        (["eval/mean_reward", "eval/mean_ep_length"], None),
    ],
)
def test_an_algorithm_is_named_only_when_the_names_tell_it(tmp_path, columns, algorithm):
    names = ["time/total_timesteps", "time/fps", *columns]
    lines = [",".join(str(step * 10 + i) for i in range(len(names))) for step in range(5)]
    (tmp_path / "progress.csv").write_text("\n".join([",".join(names), *lines]) + "\n")

    run = rv.open_run(tmp_path)

    assert (run.framework, run.algorithm) == ("stable-baselines3", algorithm)


def test_of_equally_likely_algorithms_a_setting_decides(tmp_path):
    tags = "rollout/ep_rew_mean time/fps time/total_timesteps train/actor_loss train/critic_loss " \
        "train/learning_rate train/n_updates".split()  # fmt: skip
    for name in "abc":
        events(tmp_path / name, tags, range(5))
    (tmp_path / "b" / "args.json").write_text('{"algo": "ddpg", "seed": 1}')
    (tmp_path / "c" / "args.json").write_text('{"target_policy_noise": 0.2, "seed": 1}')

    assert rv.open_run(tmp_path / "a").algorithm == "TD3 or DDPG"
    assert rv.open_run(tmp_path / "b").algorithm == "DDPG"
    assert rv.open_run(tmp_path / "c").algorithm == "TD3"


def test_workers_of_stable_baselines_are_one_run_in_the_order_of_time(tmp_path):
    for worker in range(2):
        rows = "".join(
            f"{10 * i + worker}.0,{5 + worker},{i + 0.5 * worker}\n" for i in range(1, 9)
        )
        (tmp_path / f"{worker}.monitor.csv").write_text(
            f'#{{"t_start": 1700000000.0, "env_id": "CartPole-v1"}}\nr,l,t\n{rows}'
        )

    [run] = rv.open_runs(tmp_path)

    assert run["r"].values.tolist() == [10.0 * i + w for i in range(1, 9) for w in range(2)]
    assert run["r"].steps[-1] == 8 * 5 + 8 * 6


def test_the_table_and_the_json_of_a_trial_are_one_run(tmp_path):
    trial = tmp_path / "PPO_CartPole_0"
    trial.mkdir()
    rows = [
        {"timesteps_total": 1000 * i, "training_iteration": i, "episode_reward_mean": 10.0 * i}
        for i in range(1, 6)
    ]
    (trial / "result.json").write_text(
        "".join(json.dumps({**row, "info": {"learner": {"kl": 0.01}}}) + "\n" for row in rows)
    )
    (trial / "progress.csv").write_text(
        "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n"
    )

    [run] = rv.open_runs(tmp_path)

    assert run["episode_reward_mean"].steps.tolist() == [1000 * i for i in range(1, 6)]
    assert run["info/learner/kl"].values.tolist() == [0.01] * 5
