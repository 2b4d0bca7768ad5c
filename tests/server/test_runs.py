"""The list of runs."""

from __future__ import annotations

import csv
import shutil
import sqlite3
from contextlib import closing

from runvitals.render.judged import SPARK

from .conftest import until

MLFLOW = """
create table experiments (experiment_id int, name text);
create table runs (run_uuid text, name text, status text, start_time bigint, end_time bigint,
                   experiment_id int, lifecycle_stage text);
create table metrics (key text, value float, timestamp bigint, run_uuid text, step bigint,
                      is_nan boolean);
create table params (key text, value text, run_uuid text);
create table tags (key text, value text, run_uuid text);
insert into experiments values (0, 'e');
"""


def test_a_run_is_listed_with_its_verdict_findings_and_outcome(site, trained):
    trained("calm", config={"lr": 3e-4, "optim": {"name": "adam"}}, tags=["first"])

    [row] = site().runs()

    assert row["name"] == "calm"
    assert (row["status"], row["format"], row["algorithm"]) == ("finished", "runvitals", "PPO")
    assert row["verdict"]["word"] == "learning"
    assert row["alarms"]["critical"] == 0
    assert row["outcome"]["name"] == "outcome/return_mean"
    assert len(row["outcome"]["values"]) == SPARK
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
    broken = tmp_path / "other" / "events.out.tfevents.1.host.1.0"
    broken.parent.mkdir()
    broken.write_bytes(b"\x18\0\0\0\0\0\0\0garbage" * 5)
    client = site()

    rows = {row["name"]: row for row in client.runs()}

    assert rows["fine"]["problem"] is None
    assert rows["other"]["problem"] == "no event record in it"
    assert rows["other"]["status"] == "unreadable"
    assert client.get(f"/api/runs/{rows['other']['id']}").status_code == 404


def test_what_can_be_read_of_a_torn_log_is_shown(site, tmp_path):
    torn = tmp_path / "trainer_state.json"
    torn.write_text('{"log_history": [{"loss": 1.0, "step": 1}, {"lo')
    client = site()

    [row] = client.runs()

    assert row["points"] == 1
    assert client.get(f"/api/runs/{row['id']}").json()["warnings"]


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


def test_several_runs_in_one_file_are_several_rows(site, tmp_path, series):
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        database.executescript(MLFLOW)
        for run, value in (("a", 1.0), ("b", 2.0)):
            database.execute(
                "insert into runs values (?, ?, 'FINISHED', 1, 2, 0, 'active')", (run, run)
            )
            rows = [("loss", value, 1000 * i, run, i, 0) for i in range(20)]
            database.executemany("insert into metrics values (?, ?, ?, ?, ?, ?)", rows)
        database.commit()
    client = site()

    rows = client.runs()

    assert len({row["id"] for row in rows}) == 2
    values = {series(client, row["name"], "loss")["loss"]["value"][0] for row in rows}
    assert values == {1.0, 2.0}


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


def test_a_page_that_knows_the_list_is_told_only_what_is_new(site, trained, tmp_path):
    trained("old")
    client = site()
    client.runs()
    before = client.get("/api/runs").json()
    nothing = client.get("/api/runs", params={"since": before["version"]}).json()

    trained("new")
    until(lambda: len(client.runs()) == 2)
    news = client.get("/api/runs", params={"since": before["version"]}).json()
    [gone] = [row["id"] for row in before["runs"]]
    shutil.rmtree(next(path.parent for path in tmp_path.rglob("run.json") if "old" in str(path)))
    until(lambda: len(client.get("/api/runs").json()["runs"]) == 1)
    last = client.get("/api/runs", params={"since": news["version"]}).json()

    assert (before["whole"], nothing["whole"]) == (True, False)
    assert (nothing["runs"], nothing["gone"]) == ([], [])
    assert [row["name"] for row in news["runs"]] == ["new"]
    assert last["gone"] == [gone]
    assert client.get("/api/runs", params={"since": "1.000-7"}).json()["whole"]


def test_runs_are_judged_by_the_settings_of_the_working_folder(
    site, trained, tmp_path, monkeypatch
):
    here = tmp_path / "here"
    here.mkdir()
    (here / "runvitals.toml").write_text('ignore = ["KL"]\n[map]\nmy_number = "policy/loss"\n')
    (tmp_path / "runs" / "runvitals.toml").parent.mkdir(exist_ok=True)
    (tmp_path / "runs" / "runvitals.toml").write_text("nonsense = 1")
    runs = trained("sick", sick=True).parent
    monkeypatch.chdir(here)

    page = site(runs).run("sick")

    assert page["settings_file"] == "runvitals.toml"
    assert not any(finding["code"].startswith("KL") for finding in page["findings"])
    assert not any(rule["code"].startswith("KL") for rule in page["not_checked"])
    assert next(c for c in page["charts"] if c["metric"] == "policy/loss")
