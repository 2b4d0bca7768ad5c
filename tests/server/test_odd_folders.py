"""Folders with pipes, holes, links and trees without end, and files that may not be read."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from .conftest import until

NAMES = (
    "run.json training_progress.json findings.jsonl training.log points/rank0.arrows "
    "points/rank0.parquet samples/rank0.jsonl events/rank0.jsonl progress.csv metrics.jsonl "
    "trainer_state.json events.out.tfevents.1.host.1.0 mlflow.db meta.yaml config.yaml args.json "
    "console.log run.wandb evaluations.npz x.parquet files/config.yaml log.txt.gz"
).split()
LOG = "step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(9))


def write_log(folder, name="progress.csv"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(LOG)
    return folder


def test_pipes_and_devices_are_passed_by(site, tmp_path):
    write_log(tmp_path / "fine")
    for name in NAMES:
        path = tmp_path / "pipes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
    (tmp_path / "links").mkdir()
    for device in ("zero", "random", "stdin"):
        (tmp_path / "links" / f"{device}.csv").symlink_to(f"/dev/{device}")
    client = site()

    assert [row["name"] for row in client.runs()] == ["fine"]


def test_a_pipe_within_a_run_is_not_waited_for(site, tmp_path, trained):
    folder = trained("calm")
    for name in ("findings.jsonl", "training_progress.json", "training.log", "samples/rank9.jsonl"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    client = site()

    page = client.run("calm")

    assert page["points"] == 360
    for part in ("console", "samples", "events"):
        assert client.get(f"/api/runs/{page['id']}/{part}").status_code == 200


def test_a_hole_of_a_terabyte_is_no_log(site, tmp_path):
    write_log(tmp_path / "fine")
    for i, name in enumerate(
        ("progress.csv", "metrics.jsonl", "run.log", "data.parquet", "x.json")
    ):
        (tmp_path / f"hole{i}").mkdir()
        with open(tmp_path / f"hole{i}" / name, "wb") as file:
            file.truncate(2**40)
    client = site()

    rows = {row["name"]: row for row in client.runs()}

    assert rows.pop("fine")["problem"] is None
    assert all(row["points"] == 0 for row in rows.values())


def test_links_in_circles_and_deep_trees_end(site, tmp_path):
    write_log(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "again").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    deep = tmp_path
    for i in range(60):
        deep = deep / f"d{i}"
    write_log(deep)
    client = site()

    assert [row["name"] for row in client.runs()] == ["b"]


@pytest.fixture
def outside(tmp_path_factory):
    """A folder that is not served, with something in it that nobody may see."""
    folder = tmp_path_factory.mktemp("outside")
    (folder / "secret.csv").write_text(LOG.replace("loss", "top_secret"))
    (folder / "secret.yaml").write_text("password: top_secret\n")
    (folder / "run.json").write_text(
        json.dumps({"format": "runvitals-run/1", "name": "top_secret"})
    )
    return folder


@pytest.mark.parametrize(
    ("link", "target"),
    [("progress.csv", "secret.csv"), ("config.yaml", "secret.yaml"), (".hydra", ".")],
    ids=["log", "settings", "folder of settings"],
)
def test_links_that_lead_out_are_named_but_not_followed(site, tmp_path, outside, link, target):
    folder = write_log(tmp_path / "run", "metrics.csv")
    if target == ".":
        (outside / "config.yaml").write_text("password: top_secret\n")
    (folder / link).unlink(missing_ok=True)
    (folder / link).symlink_to(outside / target)
    client = site()

    rows = client.runs()

    assert any("leads out of the folder" in (row["problem"] or "") for row in rows)
    for row in rows:
        told = client.get(f"/api/runs/{row['id']}")
        assert "top_secret" not in told.text
    assert "top_secret" not in client.get("/api/runs").text


@pytest.mark.parametrize("part", ["run.json", "points", "findings.jsonl"])
def test_links_that_lead_out_of_a_run_of_ours_are_not_followed(
    site, tmp_path, outside, trained, part
):
    folder = trained("calm")
    whole = outside / part
    if whole.is_file():
        (folder / part).unlink()
    elif (folder / part).exists():
        shutil.move(folder / part, whole)
    else:
        whole.write_text("")
    (folder / part).symlink_to(whole)
    client = site()

    [row] = client.runs()

    assert (row["status"], row["points"]) == ("unreadable", 0)
    assert "leads out of the folder" in row["problem"]
    assert client.get(f"/api/runs/{row['id']}/events").status_code == 404


def test_not_even_the_name_of_what_a_link_leads_to_is_shown(site, outside, trained):
    folder = trained("calm")
    (folder / "run.json").unlink()
    (folder / "run.json").symlink_to(outside / "run.json")
    client = site(judging=False)

    told = until(lambda: (answer := client.get("/api/runs")).json()["runs"] and answer.text)

    assert "top_secret" not in told


def test_a_link_that_comes_later_is_not_followed_either(site, outside, trained):
    folder = trained("calm")
    client = site()
    url = f"/api/runs/{client.run('calm')['id']}"
    (folder / "run.json").unlink()
    (folder / "run.json").symlink_to(outside / "run.json")

    told = until(lambda: (answer := client.get(url)).status_code == 404 and answer.text)

    assert "leads out of the folder" in told
    assert "top_secret" not in client.get("/api/runs").text


def test_a_link_within_the_folder_is_followed(site, tmp_path):
    write_log(tmp_path / "real")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "progress.csv").symlink_to(tmp_path / "real" / "progress.csv")
    client = site()

    assert [row["points"] for row in client.runs()] == [9, 9]


def test_a_folder_that_goes_away_and_comes_back_is_followed(site, tmp_path):
    served = tmp_path / "served"
    write_log(served / "run")
    client = site(served)
    [row] = client.runs()
    served.rename(tmp_path / "elsewhere")

    until(lambda: client.get("/api/runs").json()["runs"] == [])
    gone = client.get("/api/runs").json()
    page = client.get(f"/api/runs/{row['id']}")
    (tmp_path / "elsewhere").rename(served)

    assert gone["missing"]
    assert page.status_code == 404
    until(lambda: client.get("/api/runs").json()["missing"] == [])
    assert client.get(f"/api/runs/{row['id']}").json()["points"] == 9


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_told_of(site, tmp_path):
    write_log(tmp_path / "fine")
    locked = write_log(tmp_path / "locked")
    locked.chmod(0)
    client = site()

    names = [row["name"] for row in client.runs()]
    told = client.get("/api/runs").json()["problems"]
    locked.chmod(0o700)

    assert names == ["fine"]
    assert "locked" in told[0]
