"""Which files are one run, and what is kept when they are joined."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.readers.logs import EPOCH, SB3, boxes, events, json_lines, numbers, state, table

import runvitals as rv
from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.readers.discovery.discover import discover
from runvitals.readers.discovery.files import Found
from runvitals.readers.follow import opened
from runvitals.readers.options import ReadOptions


def said(run):
    found = judge_by_rules(run, Choice())
    return found.verdict.word, sorted(finding.code for finding in found.alarms)


def one_by_one(folder):
    """The run of a folder from each of its files alone, by the format of the file."""
    [found] = discover(folder)
    for file in found.files:
        if file.reader.id not in ("sb3-evaluations", "sb3-monitor"):  # these tell something else
            yield file.reader.id, opened(Found(folder, (file,)), ReadOptions())[0]


# Nothing is lost


def test_times_are_kept_when_one_of_the_files_has_them(tmp_path):
    values = numbers(40)
    table(tmp_path / "ppo" / "progress.csv", values)
    events(tmp_path / "ppo", values)

    [run] = rv.open_runs(tmp_path)

    for name in SB3:
        assert run[name].times.tolist() == [EPOCH + 60.0 * i for i in range(40)]
        assert run[name].values.tolist() == values[:, SB3.index(name)].tolist(), "more exact in CSV"


def test_names_that_only_the_file_without_times_has_get_the_times_of_their_steps(tmp_path):
    values = numbers(20)
    names = (*SB3, "train/extra")
    table(tmp_path / "ppo" / "progress.csv", np.column_stack([values, values[:, 0]]), names)
    events(tmp_path / "ppo", values)

    [run] = rv.open_runs(tmp_path)

    assert run["train/extra"].times.tolist() == run["train/loss"].times.tolist()


def test_times_stay_unknown_where_no_file_knows_them(tmp_path):
    values = numbers(20)
    table(tmp_path / "ppo" / "progress.csv", values)
    events(tmp_path / "ppo", values[:10])

    [run] = rv.open_runs(tmp_path)

    times = run["train/loss"].times
    assert np.isfinite(times[:10]).all()
    assert np.isnan(times[10:]).all()


def test_times_come_while_the_run_is_followed(tmp_path):
    values = numbers(30)
    table(tmp_path / "ppo" / "progress.csv", values[:10])
    events(tmp_path / "ppo", values)
    [run] = rv.open_runs(tmp_path)

    table(tmp_path / "ppo" / "progress.csv", values)
    run.refresh()

    assert run["train/loss"].steps[-1] == 3000
    assert np.isfinite(run["train/loss"].times).all()


def test_points_that_only_one_of_the_files_has_are_kept(tmp_path):
    """A restart writes progress.csv anew, and another event file."""
    values = numbers(40)
    table(tmp_path / "ppo" / "progress.csv", values[25:], first=26)
    events(tmp_path / "ppo", values)

    [run] = rv.open_runs(tmp_path)

    assert run["train/loss"].steps.tolist() == [100 * i for i in range(1, 41)]


def test_a_series_that_two_loggers_spell_differently_is_there_once(tmp_path):
    values = numbers(20, ("loss", "grad_norm", "learning_rate"))
    state(tmp_path / "dpo" / "trainer_state.json", values)
    tags = ("train/loss", "train/grad_norm", "train/learning_rate")
    events(tmp_path / "dpo" / "runs" / "Nov15_22-44-41_host", values, tags, every=1)

    [run] = rv.open_runs(tmp_path)

    assert set(run.names()) == {"loss", "grad_norm", "learning_rate", "epoch"}
    assert np.isfinite(run["loss"].times).all()


def test_every_format_of_a_run_gives_the_same_verdict(tmp_path):
    values = numbers(60)
    values[30:, 4] = values[:30, 4] / 5  # five times slower
    folder = tmp_path / "ppo"
    table(folder / "progress.csv", values)
    json_lines(folder / "progress.json", values)
    boxes(folder / "log.txt", values)
    events(folder, values)

    [run] = rv.open_runs(tmp_path)
    apart = {format: said(one) for format, one in one_by_one(folder)}

    assert len(apart) == 4
    assert set(map(str, apart.values())) == {str(said(run))}


# One run in several files


def test_parts_of_a_log_are_one_run(tmp_path):
    values = numbers(50)
    folder = tmp_path / "resumed"
    json_lines(folder / "metrics_part1.jsonl", values[:20])
    json_lines(folder / "metrics_part2.jsonl", values[18:35], first=19)
    json_lines(folder / "metrics_part3.jsonl", values[35:], first=36)

    [run] = rv.open_runs(tmp_path)

    assert run.name == "resumed"
    assert run["train/loss"].values.tolist() == values[:, 2].tolist()
    assert len(run.points.lives("train/loss")) == 3


@pytest.mark.parametrize("names", [("log.1.jsonl", "log.2.jsonl"), ("a.jsonl", "a_resumed.jsonl")])
def test_a_resumption_is_known_by_its_steps(tmp_path, names):
    values = numbers(40)
    json_lines(tmp_path / "run" / names[0], values[:20])
    json_lines(tmp_path / "run" / names[1], values[20:], first=21)

    [run] = rv.open_runs(tmp_path)

    assert len(run["train/loss"]) == 40


def test_a_folder_within_a_run_that_continues_it_is_the_same_run(tmp_path):
    values = numbers(60)
    folder = tmp_path / "ppo"
    for place, part, first in ((folder, values[:30], 1), (folder / "continued", values[30:], 31)):
        table(place / "progress.csv", part, first=first)
        boxes(place / "log.txt", part, first=first)
        events(place, part, first=first, begun=EPOCH + 60.0 * first)

    [run] = rv.open_runs(tmp_path)

    assert run.name == "ppo"
    assert run["train/loss"].steps.tolist() == [100 * i for i in range(1, 61)]
    assert np.isfinite(run["train/loss"].times).all()


def test_a_folder_that_goes_on_from_the_one_beside_it_is_the_same_run(tmp_path):
    values = numbers(60)
    table(tmp_path / "run_1" / "progress.csv", values[:30])
    table(tmp_path / "run_2" / "progress.csv", values[30:], first=31)

    [run] = rv.open_runs(tmp_path)

    assert (run.name, len(run["train/loss"])) == ("run_1", 60)


@pytest.mark.parametrize(
    ("first", "names"),
    [(1, SB3), (300, SB3), (31, tuple(f"other/{name}" for name in SB3))],
    ids=["it starts over", "much is missing between them", "other names"],
)
def test_what_does_not_continue_is_a_run_of_its_own(tmp_path, first, names):
    table(tmp_path / "run_1" / "progress.csv", numbers(30))
    table(tmp_path / "run_2" / "progress.csv", numbers(30, seed=1), names, first=first)

    assert sorted(run.name for run in rv.open_runs(tmp_path)) == ["run_1", "run_2"]


def test_the_last_life_of_a_resumed_run_is_followed(tmp_path):
    values = numbers(60)
    json_lines(tmp_path / "run" / "log.1.jsonl", values[:20])
    json_lines(tmp_path / "run" / "log.2.jsonl", values[20:30], first=21)
    run = rv.open_run(tmp_path / "run")

    json_lines(tmp_path / "run" / "log.2.jsonl", values[20:], first=21)
    run.refresh()

    assert run["train/loss"].values.tolist() == values[:, 2].tolist()


def test_logs_of_training_and_validation_side_by_side_are_one_run(tmp_path):
    for split, every in (("train", 10), ("val", 100)):
        values = numbers(1000 // every, ("loss", "accuracy"), seed=every)
        table(tmp_path / "fit" / f"{split}_log.csv", values, ("loss", "accuracy"), 1, every, "step")

    [run] = rv.open_runs(tmp_path)

    assert set(run.names()) >= {"loss", "val/loss"}
    assert run.name == "fit"


def test_numbers_show_that_a_folder_of_another_name_is_the_same_run(tmp_path):
    values = numbers(30)
    json_lines(tmp_path / "legacy" / "stats.jsonl", values)
    events(tmp_path / "legacy" / "trl", values)
    json_lines(tmp_path / "mixed" / "stats.jsonl", values)
    events(tmp_path / "mixed" / "another", numbers(30, seed=9))

    runs = sorted((str(run.path.relative_to(tmp_path)), run) for run in rv.open_runs(tmp_path))

    assert [path for path, _ in runs] == ["legacy", "mixed", "mixed/another"]


# Different runs in one folder


def test_logs_of_different_tools_are_different_runs(tmp_path):
    folder = tmp_path / "results"
    table(folder / "progress.csv", numbers(30))
    names = ("loss", "grad_norm", "learning_rate", "rewards/chosen", "rewards/rejected",
             "rewards/margins", "rewards/accuracies")  # fmt: skip
    state(folder / "trainer_state.json", numbers(30, names, seed=3), names)

    runs = rv.open_runs(tmp_path)

    assert sorted("rewards/chosen" in run for run in runs) == [False, True]
    assert len({run.name for run in runs}) == 2


def test_an_older_run_in_the_event_files_is_not_lost_beside_a_table(tmp_path):
    old, new = numbers(30, seed=1), numbers(30, seed=2)
    events(tmp_path / "ppo", old)
    events(tmp_path / "ppo", new, begun=EPOCH + 1e6)
    table(tmp_path / "ppo" / "progress.csv", new)

    runs = rv.open_runs(tmp_path)

    ends = sorted(run["train/loss"].last for run in runs)
    assert ends == pytest.approx(sorted([old[-1, 2], new[-1, 2]]))


def test_results_at_the_end_are_a_summary_and_no_run(tmp_path):
    folder = tmp_path / "sft"
    values = numbers(20, ("loss", "grad_norm", "learning_rate"))
    state(folder / "trainer_state.json", values)
    with (folder / "trainer_log.jsonl").open("w") as file:
        for i, row in enumerate(values.tolist(), 1):
            told = {"current_steps": i, "total_steps": 20, "loss": row[0], "lr": row[2]}
            file.write(
                json.dumps({**told, "percentage": 5.0 * i, "elapsed_time": "0:00:10"}) + "\n"
            )
    results = {"epoch": 2.0, "train_loss": 4.5, "train_runtime": 60.0}
    (folder / "train_results.json").write_text(json.dumps(results, indent=4))
    (folder / "all_results.json").write_text(json.dumps({**results, "eval_loss": 3.0}, indent=4))

    [run] = rv.open_runs(tmp_path)

    assert run.summary == {**results, "eval_loss": 3.0}
    assert run.name == "sft"
    assert len(run["loss"]) == 20


# Names


def test_a_run_is_called_by_its_folder_and_not_by_a_dot_or_a_bare_file_name(tmp_path, monkeypatch):
    folder = tmp_path / "ppo-hopper"
    table(folder / "metrics.csv", numbers(20))
    monkeypatch.chdir(folder)

    names = [
        rv.open_run(path).name for path in (".", "metrics.csv", folder, folder / "metrics.csv")
    ]

    assert set(names) == {"ppo-hopper"}
    assert rv.open_run(".").project == tmp_path.name


def test_settings_name_a_run_whose_folders_tell_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "results" / "runs" / "outputs" / "logs"
    table(folder / "metrics.csv", numbers(20))
    (folder / "args.json").write_text('{"run_name": "hopper-seed-3"}')

    assert rv.open_run(folder).name == "hopper-seed-3"


def test_runs_that_share_a_folder_have_names_of_their_own(tmp_path):
    json_lines(tmp_path / "lab" / "metrics.jsonl", numbers(20, seed=1))
    json_lines(tmp_path / "lab" / "history.jsonl", numbers(20, seed=2))

    assert len({run.name for run in rv.open_runs(tmp_path)}) == 2


def test_versions_of_an_experiment_have_names_of_their_own(tmp_path):
    for version in (0, 1):
        folder = tmp_path / "cnn" / "lightning_logs" / f"version_{version}"
        table(folder / "metrics.csv", numbers(20, seed=version))

    names = [run.name for run in rv.open_runs(tmp_path)]

    assert names == ["cnn/lightning_logs/version_0", "cnn/lightning_logs/version_1"]


def test_a_telling_file_name_stays_and_one_like_any_log_does_not(tmp_path):
    boxes(tmp_path / "a" / "hopper_seed3.log", numbers(20))
    boxes(tmp_path / "b" / "ppo_log.txt", numbers(20))

    assert [run.name for run in rv.open_runs(tmp_path)] == ["hopper_seed3.log", "b"]


def test_packages_environments_and_tokenizers_are_not_searched(tmp_path):
    table(tmp_path / "env" / "data" / "log.csv", numbers(20))
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin")
    table(tmp_path / "lib" / "site-packages" / "x" / "log.csv", numbers(20))
    json_lines(tmp_path / "tokenizer_config.json", numbers(20))
    (tmp_path / "state.json").write_text('{"step": 3, "loss": 0.5, "reward": 1.0}')

    assert list(discover(tmp_path)) == []


def test_of_several_runs_in_a_table_none_takes_in_an_unrelated_log(tmp_path):
    path = tmp_path / "lab" / "progress.csv"
    table(path, numbers(30, seed=1))
    table(tmp_path / "more.csv", numbers(30, seed=2))
    rows = (tmp_path / "more.csv").read_text().splitlines(keepends=True)[1:]
    path.write_text(path.read_text() + "".join(rows))
    (tmp_path / "more.csv").unlink()
    lines = (f"epoch {i}: loss {1 / i:.4f}, acc {i / 40:.3f}" for i in range(1, 31))
    (tmp_path / "lab" / "classifier_A.log").write_text("\n".join(lines))

    runs = rv.open_runs(tmp_path)

    assert len(runs) == 3
    assert ["train/loss" in run.names() for run in runs if "acc" in run.names()] == [False]


def test_a_tracker_of_the_run_lies_in_its_folder(tmp_path):
    values = numbers(30)
    table(tmp_path / "ppo" / "progress.csv", values)
    for number, part in (("1", values), ("2", numbers(30, seed=5))):
        folder = tmp_path / "ppo" / "wandb" / f"run-{number}" / "files"
        json_lines(folder / "wandb-history.jsonl", part)

    runs = {str(run.path.relative_to(tmp_path)) for run in rv.open_runs(tmp_path)}

    assert runs == {"ppo", "ppo/wandb/run-2/files"}


# One run once


def output_folder(folder):
    """What a trainer writes that keeps its log, event files, tables and progress in one folder."""
    rng = np.random.default_rng(0)
    names = ("reward_mean", "pi_loss", "vf_loss", "entropy")
    values = rng.normal(size=(40, 4))
    load = rng.uniform(10, 90, size=(40, 2))
    machine = ("System/CPU_Percent", "System/Memory_Percent")
    events(folder / "tensorboard", np.hstack([values, load]), (*names, *machine), every=2048)
    (folder / "metrics").mkdir()
    table(folder / "metrics" / "metrics.csv", values, names, every=2048, step="step")
    table(folder / "metrics" / "system.csv", load, machine, every=2048, step="step")
    lines = [
        f"INFO [PPO:{kind}] step={2048 * (i + 1)} {a}={row[j]:.5g} {b}={row[j + 1]:.5g}"
        for i, row in enumerate(values)
        for kind, a, b, j in (("rollout", *names[:2], 0), ("update", *names[2:], 2))
    ]
    (folder / "ppo_training.log").write_text("\n".join(lines) + "\n")
    progress = {"completed_chunks": 4, "requests_done": 81_920}
    (folder / "training_progress.json").write_text(json.dumps(progress))


def test_log_event_files_tables_and_progress_of_an_output_folder_are_one_run(tmp_path):
    output_folder(tmp_path / "out")

    run = rv.open_run(tmp_path / "out")

    assert {int(run[name].steps[-1]) for name in run.names()} == {40 * 2048}
    assert {len(run[name]) for name in run.names()} == {40}
    assert run.progress == {"completed_chunks": 4, "requests_done": 81_920}


def test_progress_that_cannot_be_read_costs_nothing_else(tmp_path):
    output_folder(tmp_path / "out")
    (tmp_path / "out" / "training_progress.json").write_text('{"completed_chunks": 4')

    run = rv.open_run(tmp_path / "out")

    assert run.progress == {}
    assert len(run["reward_mean"]) == 40


def test_the_same_log_in_two_folders_is_one_run_and_that_is_told(tmp_path):
    for name in ("run", "backup", "other"):
        (tmp_path / name).mkdir()
        table(tmp_path / name / "progress.csv", numbers(90, seed=name == "other"))

    runs = rv.open_runs(tmp_path)

    assert sorted(run.path.name for run in runs) == ["backup", "other"]
    assert runs[0].warnings == [f"the same log lies in {tmp_path / 'run'}; it is listed once"]
    assert not runs[1].warnings


def test_what_a_recorded_run_prints_is_not_read_as_another_run(tmp_path, capsys):
    with rv.init(folder=tmp_path / "recorded", console=True) as run:
        for i in range(60):
            run.log({"outcome/return_mean": float(i), "policy/approx_kl": 0.01}, step=100 * i)
    shown = next(line for line in capsys.readouterr().err.splitlines() if "  outcome " in line)
    start = shown[: shown.index("  outcome ")]
    assert start.startswith("step ")
    lines = [shown.replace(start, f"step {100 * i:,}/6,000 ({i}%)") for i in range(60)]
    (tmp_path / "console.log").write_text("\n".join(lines) + "\n")

    assert [one.path.name for one in rv.open_runs(tmp_path)] == ["recorded"]


def curves(folder, **lengths: int):
    for name, length in lengths.items():
        np.save(folder / f"{name}.npy", np.linspace(0.0, 1.0, length) ** 2)
    return rv.open_runs(folder)


def test_rewards_and_losses_in_files_of_equally_many_rows_are_one_run(tmp_path):
    [run] = curves(tmp_path, rewards=60, losses=60)

    assert set(run.names()) == {"rewards", "losses"}


def test_rewards_and_losses_of_one_agent_are_one_run_beside_those_of_another(tmp_path):
    runs = curves(tmp_path, rewards_dqn=60, losses_dqn=90, rewards_ppo=60)

    assert sorted(run.names() for run in runs) == [["losses_dqn", "rewards_dqn"], ["rewards_ppo"]]


def test_the_rewards_of_two_agents_are_two_runs_whatever_their_length(tmp_path):
    assert len(curves(tmp_path, rewards_dqn=60, rewards_ppo=60)) == 2
