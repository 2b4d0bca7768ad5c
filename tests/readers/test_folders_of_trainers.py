"""Folders as real trainers leave them, with a view of the run in several files, and while they grow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import runvitals as rv
from runvitals.exporters import export_tensorboard
from runvitals.model import ReadError, RowBlock, RunInfo

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
        (["train/actor_loss", "train/critic_loss", "train/n_updates", "time/episodes"], None),
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
    tags = "charts/episodic_return charts/SPS charts/learning_rate losses/value_loss " \
        "losses/policy_loss losses/entropy losses/approx_kl losses/clipfrac".split()  # fmt: skip
    events(tmp_path / "a", tags, range(5))
    events(tmp_path / "b", tags, range(5))
    (tmp_path / "b" / "args.json").write_text('{"exp_name": "ppo", "seed": 1}')

    assert rv.open_run(tmp_path / "a").algorithm is None
    assert rv.open_run(tmp_path / "b").algorithm == "ppo"


def test_files_and_names_that_come_later_are_followed(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "log.txt").write_text("".join(boxes(range(1, 3))))
    (folder / "progress.csv").write_text("")
    (folder / "monitor.csv").write_text('#{"t_start": 1700000000.0}\nr,l,t\n')
    run = rv.open_run(folder)
    assert "train/approx_kl" not in run

    names = (*NAMES, "train/approx_kl")
    with (folder / "progress.csv").open("w") as file:
        file.write(",".join(names) + "\n")
        file.writelines(f"{s},100,{s},{s * 100},0.01\n" for s in range(1, 6))
    assert run.refresh() > 0
    assert run["policy/approx_kl"].steps.tolist() == [100, 200, 300, 400, 500]

    with (folder / "monitor.csv").open("a") as file:
        file.writelines(f"{i},10,{i}.5\n" for i in range(5))
    run.refresh()
    assert len(run["r"]) == 5
    evaluations(folder / "eval" / "evaluations.npz", 1)
    run.refresh()
    assert len(run["eval/return_mean"]) == 1
    evaluations(folder / "eval" / "evaluations.npz", 3)
    run.refresh()
    assert len(run["eval/return_mean"]) == 3
    with (folder / "progress.csv").open("a") as file:
        file.write("6,100,6,600,0.02\n")
    run.refresh()
    assert run["policy/approx_kl"].last == 0.02
    assert run.refresh() == 0


def test_what_may_not_be_opened_is_said(tmp_path, monkeypatch):
    progress(tmp_path / "mine" / "progress.csv")
    progress(tmp_path / "theirs" / "progress.csv")
    allowed = Path.open

    def guarded(path, *args, **kwargs):
        if path.parent.name == "theirs":
            raise PermissionError(13, "Permission denied")
        return allowed(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", guarded)
    problems: list[ReadError] = []

    assert [run.id for run in rv.open_runs(tmp_path, problems=problems)] == ["mine"]
    assert [problem.problem for problem in problems] == ["Permission denied"]
    with pytest.raises(ReadError, match="Permission denied"):
        rv.open_run(tmp_path / "theirs")


@pytest.mark.parametrize("path", ["no/such", "a\0b", "x" * 5000, "/dev/null"])
def test_a_path_that_is_nothing_to_read_is_said(path):
    with pytest.raises(ReadError):
        rv.open_run(path)


def test_the_bar_drawn_again_below_a_row_tells_its_step(tmp_path):
    """tqdm shows a bar at most ten times a second; a fast trainer's rows stand beside old ones."""
    bar = lambda at, of: BAR.format(percent=100 * at // of, bar="#" * 10, at=at, of=of)  # noqa: E731
    text = f"  0%|          | 0/12 [00:00<?, ?it/s]\r{bar(1, 12)}"
    for step in range(10, 13):
        row = {"loss": f"{1 / step:.4g}", "epoch": f"{step / 8:.4g}"}
        text += f"\r{' ' * 50}\r{row}\n\n\r{bar(step, 12)}"
        text += f"\n\n\r  0%|          | 0/1 [00:00<?, ?it/s]\x1b[A\r{' ' * 50}\r"
        evaluated = {"eval_loss": "0.5", "epoch": f"{step / 8:.4g}"}
        drawn = [f"\n\n\r{bar(1, 1)}\x1b[A", f"\r{bar(step, 12)}"]  # in any order
        text += f"\x1b[A{evaluated}\n{''.join(drawn if step % 2 else drawn[::-1])}"
    (tmp_path / "console.log").write_text(text)

    [run] = rv.open_runs(tmp_path)

    assert run["loss"].steps.tolist() == [10, 11, 12]
    assert run["eval_loss"].steps.tolist() == [10, 11, 12]
    assert run.warnings == []


@pytest.mark.parametrize("bars", [False, True], ids=["verbose=2", "verbose=1"])
def test_the_console_of_keras_counts_epochs_above_its_rows(tmp_path, bars):
    text = ""
    for epoch in range(1, 5):
        text += f"Epoch {epoch}/4\n"
        if bars:
            text += "\r\x1b[1m 1/15\x1b[0m \x1b[32m━\x1b[0m \x1b[1m0s\x1b[0m 3ms/step - loss: 9.0\r"
        text += f"15/15 - 0s - 7ms/step - loss: {1 / epoch:.4f} - val_loss: {2 / epoch:.4f}\n"
    (tmp_path / "train.log").write_text(text)

    run = rv.open_run(tmp_path)

    assert run["loss"].steps.tolist() == [1, 2, 3, 4]
    assert run["loss"].values.tolist() == [1.0, 0.5, 0.3333, 0.25]
    assert run["eval/loss"].last == 0.5
