"""The stand-in for W&B, called as scripts and frameworks call it."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

import runvitals as rv
import runvitals.integrations.wandb as wandb


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUNVITALS_JUDGE", "0")
    yield
    wandb.finish()
    rv.finish()


def last(folder):
    return rv.open_run(folder)


def test_a_script_as_cleanrl_writes_it():
    args = argparse.Namespace(learning_rate=2.5e-4, gamma=0.99, seed=1)
    run = wandb.init(
        project="cleanRL", entity=None, sync_tensorboard=True, config=vars(args), name="ppo__1",
        monitor_gym=True, save_code=True,
    )  # fmt: skip
    assert wandb.run is run
    assert (run.name, run.project, run.id) == ("ppo__1", "cleanRL", run.recorded.id)
    for step in range(5):
        wandb.log(
            {"losses/approx_kl": 0.01, "charts/SPS": 100, "picture": wandb.Image(None)}, step=step
        )
    wandb.finish()

    read = last(run.dir)
    assert wandb.run is None
    assert (read.status, read.project, read.name) == ("finished", "cleanRL", "ppo__1")
    assert read.settings["learning_rate"] == 2.5e-4
    assert read["losses/approx_kl"].steps.tolist() == [0, 1, 2, 3, 4]


def test_config_is_a_mapping_with_attributes():
    wandb.init(config={"lr": 0.1, "net": {"width": 64}})
    wandb.config.batch_size = 32
    wandb.config["model/num_parameters"] = 1000
    wandb.config.update({"lr": 0.2}, allow_val_change=True)
    wandb.config.setdefaults({"lr": 0.3, "seed": 7})

    assert (wandb.config.lr, wandb.config.get("seed"), "nothing" in wandb.config) == (0.2, 7, False)
    with pytest.raises(AttributeError, match="nothing"):
        _ = wandb.config.nothing
    assert wandb.run.recorded.config == {
        "lr": 0.2, "net.width": 64, "batch_size": 32, "model/num_parameters": 1000, "seed": 7,
    }  # fmt: skip


def test_steps_are_counted_as_wandb_counts_them():
    run = wandb.init()
    wandb.log({"a": 1.0}, commit=False)
    wandb.log({"b": 1.0})
    wandb.log({"a": 2.0})
    wandb.log({"a": 3.0}, step=10)
    wandb.log({"b": 3.0})
    wandb.log({"a": 4.0})
    run.finish()

    read = last(run.dir)
    assert read["a"].steps.tolist() == [0, 1, 10, 11]
    assert read["b"].steps.tolist() == [0, 10]


def test_a_step_metric_is_the_step_of_what_it_is_defined_for():
    run = wandb.init()  # as OpenRLHF and transformers do
    wandb.define_metric("train/global_step")
    wandb.define_metric("train/*", step_metric="train/global_step", step_sync=True)
    wandb.define_metric("eval/global_step")
    wandb.define_metric("eval/*", step_metric="eval/global_step", step_sync=True)
    for step in (10, 20):
        wandb.log({"train/loss": 1.0, "train/global_step": step})
        wandb.log({"eval/acc": 0.5, "eval/global_step": step + 1})
    run.finish()

    read = last(run.dir)
    assert read["train/loss"].steps.tolist() == [10, 20]
    assert read["eval/acc"].steps.tolist() == [11, 21]


def test_tables_histograms_texts_and_alerts_are_kept(capfd):
    run = wandb.init()
    table = wandb.Table(columns=["prompt", "completion"], data=[["2+2?", "4"]])
    table.add_data("3+3?", "6")
    table.add_column("reward", [1.0, 0.5])
    assert table.get_column("reward") == [1.0, 0.5]
    wandb.log({"completions": table, "text": "hello", "nothing": None}, step=4)
    wandb.log({"weights": wandb.Histogram(np.arange(50.0))}, step=5)
    wandb.log({"counts": wandb.Histogram(np_histogram=([1, 2], [0, 1, 2]))}, step=5)
    wandb.log({"scores": wandb.Table(columns=["name", "score"], data=[["x", 1]])}, step=5)
    wandb.alert(title="low reward", text="0.1")
    run.finish()

    read = last(run.dir)
    assert [sample.fields["reward"] for sample in read.samples()] == [1.0, 0.5]
    kinds = sorted(type(event).__name__ for event in read.events())
    assert kinds == ["Histogram", "Histogram", "Sample", "Sample", "Text", "Text", "Text"]
    assert "low reward: 0.1" in capfd.readouterr().err
    assert read.warnings == []


def test_summary_has_the_last_values_and_the_scripts_own():
    run = wandb.init()
    wandb.log({"loss": 2.0})
    wandb.log({"loss": 1.0})
    wandb.run.summary["best"] = 0.9
    wandb.summary.update({"worst": 0.1})

    assert dict(wandb.summary) == {"loss": 1.0, "best": 0.9, "worst": 0.1}
    run.finish()
    assert last(run.dir).summary["best"] == 0.9


def test_what_is_not_stored_is_accepted_and_said_once(capfd):
    run = wandb.init()
    for _ in range(2):
        artifact = wandb.Artifact("model", type="model", metadata={})
        with artifact.new_file("x.txt") as file:
            file.write("x")
        artifact.add_file("x")
        run.log_artifact(artifact, aliases=["best"])
        wandb.save("*.pt")
    assert wandb.login(key="k", relogin=True)
    assert wandb.Settings(https_proxy="x").https_proxy == "x"

    said = capfd.readouterr().err
    assert said.count("artifacts are accepted, but not stored") == 1
    assert said.count("no file is stored") == 1


def test_a_second_init_gives_the_run_there_is_unless_it_is_to_begin_anew():
    first = wandb.init(project="p")
    assert wandb.init(project="p") is first
    second = wandb.init(project="p", reinit=True)

    assert second is not first
    assert last(first.dir).status == "finished"


def test_disabled_records_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_MODE", "disabled")
    run = wandb.init(project="p", config={"a": 1})
    run.log({"loss": 1.0})
    wandb.finish()

    assert not (tmp_path / "runs").exists()
    assert run.disabled


def test_an_id_resumes_a_run():
    with wandb.init(project="p", id="mine", resume="allow") as run:
        run.log({"loss": 1.0}, step=1)
    with wandb.init(project="p", id="mine", resume="allow") as again:
        again.log({"loss": 0.5}, step=2)

    assert again.resumed
    assert last(again.dir)["loss"].steps.tolist() == [1, 2]


def test_log_without_a_run_says_what_to_do():
    with pytest.raises(wandb.Error, match=r"wandb\.init"):
        wandb.log({"loss": 1.0})
