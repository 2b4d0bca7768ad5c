"""Folders of logs: which files are logs, which tell of the same run, and how they are joined."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import pytest

import runvitals as rv
from runvitals.exporters import export_tensorboard
from runvitals.model import ConfigError, ReadError, RowBlock, RunInfo
from runvitals.readers.discovery.discover import discover
from runvitals.readers.options import load_options

np = pytest.importorskip("numpy")


def csv(path, steps=range(20), columns=("time/total_timesteps", "time/fps", "rollout/ep_rew_mean")):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [",".join([str(step * 100), "50", str(float(step))]) for step in steps]
    path.write_text("\n".join([",".join(columns), *rows]) + "\n")


def events(folder, tags, steps=range(20)):
    steps = np.array(list(steps), np.int64)
    values = np.arange(len(steps) * len(tags), dtype=float).reshape(len(steps), len(tags))
    block = RowBlock(tuple(tags), steps, steps + 1e9, values)
    export_tensorboard([block], [], folder, RunInfo("r", "r", "p", folder))


def state(path, last=10):
    path.parent.mkdir(parents=True, exist_ok=True)
    history = [
        {"step": s, "loss": 1.0 / s, "epoch": s / 10, "learning_rate": 1e-4} for s in range(1, last)
    ]
    path.write_text(json.dumps({"log_history": history, "global_step": last, "max_steps": 100}))


def test_what_a_framework_writes_side_by_side_is_one_run(tmp_path):
    csv(tmp_path / "run" / "progress.csv")
    events(tmp_path / "run", ["rollout/ep_rew_mean", "extra"])

    [run] = rv.open_runs(tmp_path)

    assert run.id == "run"
    assert set(run.names()) >= {"rollout/ep_rew_mean", "extra"}
    assert run["rollout/ep_rew_mean"].steps[-1] == 1900, "the csv says more exactly what happened"
    assert run.framework == "stable-baselines3"


def test_folders_with_a_run_each_are_runs_each(tmp_path):
    for name in ("PPO_1", "PPO_2"):
        csv(tmp_path / name / "progress.csv")

    assert [run.id for run in rv.open_runs(tmp_path)] == ["PPO_1", "PPO_2"]


def test_several_tables_in_one_folder_are_several_runs(tmp_path):
    for name in ("seed1.csv", "seed2.csv", "seed3.csv"):
        csv(tmp_path / name, columns=("step", "fps", "reward_mean"))

    assert [run.id for run in rv.open_runs(tmp_path)] == ["seed1.csv", "seed2.csv", "seed3.csv"]


def test_of_checkpoints_only_the_newest_counts(tmp_path):
    for number in (5, 10, 40):
        state(tmp_path / "out" / f"checkpoint-{number}" / "trainer_state.json", number)

    [run] = rv.open_runs(tmp_path)

    assert run.id == "out"
    assert len(run["loss"]) == 39


def test_the_state_of_the_whole_run_beats_its_checkpoints(tmp_path):
    state(tmp_path / "out" / "checkpoint-5" / "trainer_state.json", 5)
    state(tmp_path / "out" / "trainer_state.json", 50)
    events(tmp_path / "out" / "runs", ["train/loss"])

    [run] = rv.open_runs(tmp_path)

    assert len(run["loss"]) == 49
    assert "train/loss" in run.names()


def test_train_and_validation_folders_are_one_run(tmp_path):
    events(tmp_path / "fit" / "train", ["epoch_loss"])
    events(tmp_path / "fit" / "validation", ["epoch_loss"])

    [run] = rv.open_runs(tmp_path)

    assert run.names() == ["epoch_loss", "validation/epoch_loss"]


def test_event_files_that_go_on_are_one_run_and_those_that_start_over_are_several(tmp_path):
    events(tmp_path / "resumed", ["loss"], range(20))
    events(tmp_path / "resumed", ["loss"], range(15, 40))
    events(tmp_path / "again", ["loss"], range(20))
    events(tmp_path / "again", ["loss"], range(30))

    resumed = rv.open_runs(tmp_path / "resumed")
    again = rv.open_runs(tmp_path / "again")

    assert [len(run["loss"]) for run in resumed] == [40]
    assert sorted(len(run["loss"]) for run in again) == [20, 30]


def test_our_own_runs_and_others_side_by_side(tmp_path, start):
    start(id="ours").finish()
    csv(tmp_path / "theirs" / "progress.csv")

    assert {run.format for run in rv.open_runs(tmp_path)} == {
        "runvitals",
        "CSV and other delimited text",
    }


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("results.csv", "0,1.5\n1,2.5\n2,3.5\n", "its columns have no names"),
        ("sweep.csv", "run,final\na,1\nb,2\nc,3\n", "one row for each `run`"),
        ("metrics.json", '{"final_loss": 0.2, "epochs": 3}', "no list of values over time"),
        ("train.log", "Loading the model\nStarting training\nSaved\n", "no metrics were printed"),
    ],
)
def test_a_folder_without_runs_says_what_its_files_hold_instead(tmp_path, name, text, why):
    (tmp_path / name).write_text(text)

    with pytest.raises(ReadError) as of_folder:
        rv.open_run(tmp_path)
    with pytest.raises(ReadError) as of_file:
        rv.open_run(tmp_path / name)

    assert f"no runs found in this folder; in {name}: " in of_folder.value.problem
    assert why in of_folder.value.problem
    assert why in of_file.value.problem


def test_files_that_are_no_logs_are_left_alone(tmp_path):
    (tmp_path / "README.md").write_text("# hello\n")
    (tmp_path / "requirements.txt").write_text("numpy\n")
    (tmp_path / "config.json").write_text('{"lr": 1}')
    (tmp_path / "people.csv").write_text("name,age\nann,3\nbob,5\n")
    (tmp_path / "model.bin").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "empty.csv").write_text("")

    assert list(discover(tmp_path)) == []
    with pytest.raises(ReadError, match="no runs found in this folder"):
        rv.open_run(tmp_path)
    with pytest.raises(ReadError, match="not a training log"):
        rv.open_run(tmp_path / "people.csv")
    with pytest.raises(ReadError, match="the file is empty"):
        rv.open_run(tmp_path / "empty.csv")


def test_a_broken_file_does_not_hide_the_others(tmp_path):
    csv(tmp_path / "good" / "progress.csv")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "console.log").write_text("step:1 - actor/pg_loss:not a number\n")

    problems: list[ReadError] = []
    runs = rv.open_runs(tmp_path, problems=problems)

    assert [run.id for run in runs] == ["good"]


def test_a_link_to_a_folder_above_is_no_endless_loop(tmp_path):
    csv(tmp_path / "run" / "progress.csv")
    (tmp_path / "run" / "up").symlink_to(tmp_path)

    assert len(rv.open_runs(tmp_path)) == 1


def test_a_run_that_is_still_written_can_be_followed(tmp_path):
    path = tmp_path / "run" / "progress.csv"
    csv(path, range(5))
    run = rv.open_run(path)
    with path.open("a") as file:
        file.write("500,50,5.0\n600,50,6.0\n")

    assert run.refresh() > 0
    assert run["outcome/return_mean"].values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_settings_beside_the_log_are_found_and_understood(tmp_path):
    csv(tmp_path / "run" / "progress.csv")
    (tmp_path / "run" / "args.json").write_text(
        '{"learning_rate": 0.001, "nested": {"gamma": 0.99}}'
    )
    (tmp_path / "run" / "config.yaml").write_text("seed: 7\nlearning_rate: 5\nclip_coef: 0.2\n")
    (tmp_path / "run" / "config.json").write_text('{"model_type": "gpt2", "n_layer": 12}')
    (tmp_path / "run" / "training_args.bin").write_bytes(b"\x80\x04never unpickled")
    (tmp_path / "run" / "hparams.yaml").write_text("!!python/object/apply:os.system ['echo hi']")

    run = rv.open_run(tmp_path)

    assert run.config["learning_rate"] == 0.001, "what the run was started with wins"
    assert run.config["nested.gamma"] == 0.99
    assert "n_layer" not in run.config
    assert (run.settings["seed"], run.settings["clip_range"], run.settings["gamma"]) == (
        7,
        0.2,
        0.99,
    )


def test_the_user_can_say_what_a_name_means(tmp_path):
    csv(tmp_path / "log.csv", columns=("step", "fps", "my_kl"))

    run = rv.open_run(
        tmp_path, names={"my_kl": "policy/approx_kl"}, algorithm="PPO", framework="sb3"
    )

    assert run["policy/approx_kl"].name == "my_kl"
    assert (run.framework, run.algorithm) == ("stable-baselines3", "PPO")
    with pytest.raises(ConfigError, match="no metric 'policy/aprox_kl'"):
        rv.open_run(tmp_path, names={"my_kl": "policy/aprox_kl"})
    with pytest.raises(ConfigError, match="no framework called"):
        rv.open_run(tmp_path, framework="no such tool")


def test_options_come_from_the_nearest_file(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text('[tool.runvitals]\nframework = "trl"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert load_options(inner).framework == "trl"
    (tmp_path / "a" / "runvitals.toml").write_text('[map]\nmy_kl = "policy/approx_kl"\n')
    monkeypatch.chdir(inner)
    csv(inner / "log.csv", columns=("step", "fps", "my_kl"))

    assert load_options().names == {"my_kl": "policy/approx_kl"}
    assert rv.open_run(inner)["policy/approx_kl"].last == 19.0
    (tmp_path / "a" / "runvitals.toml").write_text("map = 3")
    with pytest.raises(ConfigError, match="`map` must be a table"):
        load_options()
    (tmp_path / "a" / "runvitals.toml").write_text("broken")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_options()


def test_follow_yields_what_comes_and_ends_with_the_run(start):
    run = start(id="live")
    run.log({"x": 0.0}, step=0)
    run.flush()
    view = rv.open_run(run.folder)

    def train():
        for step in (1, 2, 3):
            run.log({"x": float(step)}, step=step)
            run.flush()
        run.finish()

    thread = threading.Thread(target=train)
    thread.start()
    came = sum(view.follow(seconds=0.01))
    thread.join()

    assert came >= 3
    assert view.status == "finished"
    assert view["x"].values.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_standard_input_is_read_to_its_end(tmp_path):
    lines = "\n".join(f"step:{i} - actor/pg_loss:0.{i} - actor/grad_norm:1.5" for i in range(1, 8))
    done = subprocess.run(
        [sys.executable, "-m", "runvitals.cli.main", "runs", "-", "--format", "json"],
        input=f"starting up\n{lines}\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )

    [run] = json.loads(done.stdout)
    assert (run["framework"], run["last_step"], run["series"]) == ("verl", 7, 2)


def test_the_page_about_formats_is_current():
    from tests.readers.formats_page import PAGE, page

    assert PAGE.read_text() == page(), "run `make docs`"


def test_each_reader_keeps_the_contract(tmp_path):
    from runvitals.readers.registry import readers

    seen = set()
    for reader in readers():
        assert reader.id not in seen
        seen.add(reader.id)
        assert reader.title
        assert reader.__doc__
        for head in (b"", b"\0" * 100, b"{", b"a,b\n1,2\n"):
            assert 0 <= reader.sniff(tmp_path / "file.txt", head) <= 100
