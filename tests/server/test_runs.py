"""The list of runs."""

from __future__ import annotations

import csv
import json
import shutil

import runvitals as rv

from .conftest import until


def test_a_run_is_listed_with_its_verdict_findings_and_outcome(site, trained):
    trained("calm", config={"lr": 3e-4, "optim": {"name": "adam"}}, tags=["first"])

    [row] = site().runs()

    assert row["name"] == "calm"
    assert (row["status"], row["format"], row["algorithm"]) == ("finished", "runvitals", "PPO")
    assert row["verdict"]["word"] == "learning"
    assert row["alarms"]["critical"] == 0
    assert row["outcome"]["name"] == "outcome/return_mean"
    assert len(row["outcome"]["values"]) == 40
    assert (row["last_step"], row["series"], row["points"]) == (60_000, 6, 360)
    assert row["config"]["learning_rate"] == row["config"]["lr"] == 3e-4
    assert row["config"]["optim.name"] == "adam"
    assert row["tags"] == ["first"]
    assert row["age_seconds"] >= 0


def test_a_sick_run_has_alarms(site, trained):
    trained("sick", sick=True)

    [row] = site().runs()

    assert row["alarms"]["critical"] + row["alarms"]["warning"] > 0


def test_an_empty_folder_has_no_runs(site):
    client = site()

    assert client.runs() == []
    assert client.get("/api/runs").json()["problems"] == []


def test_a_folder_that_is_gone_is_told_of(site, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    client = site(folder)
    client.runs()
    folder.rmdir()

    assert client.get("/api/runs").status_code == 200


def test_a_broken_log_is_a_row_that_says_why(site, tmp_path, trained):
    trained("fine")
    broken = tmp_path / "other" / "trainer_state.json"
    broken.parent.mkdir()
    broken.write_text('{"log_history": [{"loss": 1.0, "step": 1}, {"lo')

    rows = {row["name"]: row for row in site().runs()}

    assert rows["fine"]["problem"] is None
    [other] = [row for row in rows.values() if row["path"].startswith("other")]
    assert other["problem"] or other["points"] == 1


def test_logs_of_other_tools_are_listed_beside_ours(site, tmp_path, trained):
    trained("ours")
    with open(tmp_path / "progress.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time/total_timesteps", "rollout/ep_rew_mean", "train/entropy_loss"])
        writer.writerows([i * 2048, i * 3.0, -0.6] for i in range(1, 40))

    rows = site().runs()

    assert {row["framework"] for row in rows} >= {"stable-baselines3"}
    assert len(rows) == 2


def test_the_list_is_sent_once(site, trained):
    trained("calm")
    client = site()
    client.runs()
    first = client.get("/api/runs")

    again = client.get("/api/runs", headers={"If-None-Match": first.headers["etag"]})

    assert again.status_code == 304
    assert again.content == b""


def test_ids_stay_the_same_for_a_path(site, trained):
    trained("calm")

    first, second = site().runs(), site().runs()

    assert first[0]["id"] == second[0]["id"]


def test_runs_that_come_and_go_are_noticed(site, trained):
    folder = trained("early")
    client = site()
    client.runs()
    trained("late")
    until(lambda: len(client.runs()) == 2)
    shutil.rmtree(folder)

    [row] = until(lambda: len(rows := client.runs()) == 1 and rows)

    assert row["name"] == "late"


def test_several_runs_in_one_file_are_several_rows(site, tmp_path):
    lines = []
    for _ in range(2):
        lines += [json.dumps({"step": i, "loss": 1.0 / (i + 1)}) for i in range(20)]
    history = {name: [{"step": i, "loss": 1.0} for i in range(9)] for name in ("a", "b")}
    (tmp_path / "history.json").write_text(json.dumps(history))
    opened = rv.open_runs(tmp_path)

    rows = site().runs()

    assert len(rows) == len(opened)
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_thousand_runs_are_listed_before_they_are_judged(site, tmp_path):
    for i in range(1000):
        folder = tmp_path / f"run{i:04}"
        folder.mkdir()
        (folder / "progress.csv").write_text("step,loss\n1,0.5\n2,0.4\n")

    client = site()
    told = until(lambda: (t := client.get("/api/runs").json())["scanning"] is False and t)

    assert len(told["runs"]) == 1000
    assert client.get(f"/api/runs/{told['runs'][500]['id']}").json()["points"] == 2


def test_settings_that_tell_groups_apart_are_offered(site, trained):
    for seed in range(2):
        for lr in (0.1, 0.2):
            trained(f"{lr}-{seed}", config={"lr": lr, "seed": seed, "same": 1})

    client = site()
    client.runs()
    keys = client.get("/api/runs").json()["group_keys"]

    assert {"lr", "seed"} <= set(keys)
    assert "same" not in keys
