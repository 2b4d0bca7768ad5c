"""Samples, histograms, console and events of a run."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import Histogram
from runvitals.server.app import create_app
from runvitals.view.events.heatmap import heatmap_of
from runvitals.view.events.lines import EventLines

from .conftest import Site, until


@pytest.fixture(scope="module")
def talkative(tmp_path_factory):
    """A site with one run that logged more than numbers, and the address of that run."""
    folder = tmp_path_factory.mktemp("talkative")
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init(name="talker", dir=folder, **quiet) as run:
        for step in range(4):
            run.log({"reward/mean": float(step)}, step=step)
            run.log_samples(
                [
                    {"prompt": f"p{step}", "completion": "Same answer", "reward": float(step)},
                    {"prompt": f"q{step}", "completion": "other", "reward": -float(step)},
                ],
                step=step,
            )
            run.log_histogram("weights", np.linspace(0, 1 + step, 100), step=step)
            run.log_text("note", f"hello {step}", step=step)
        run.log_image("frame", np.full((4, 4), 7, np.uint8), step=1, caption="<b>level</b>")
        run.log_audio("voice", np.zeros(400), step=2)
        run.log_table("scores", ["level", "return"], [[1, "3|4"], [2, 5]], step=3)
    (run.folder / "training.log").write_bytes(
        b"first\n\x1b[31mred\x1b[0m\nprogress 1%\rprogress 99%\n\xff\x00bad\nlast\n"
    )
    with Site(create_app([folder], workers=0), base_url="http://localhost:6060") as client:
        yield client, f"/api/runs/{client.id_of('talker')}"


def test_samples_come_in_pages(talkative):
    client, url = talkative

    page = client.get(f"{url}/samples", params={"limit": 3, "offset": 6}).json()

    assert page["total"] == 8
    assert page["fields"] == ["prompt", "completion", "reward"]
    assert page["steps"] == [0, 1, 2, 3]
    assert [sample["fields"]["prompt"] for sample in page["samples"]] == ["p3", "q3"]
    assert client.get(url).json()["has_samples"] is True


def test_samples_can_be_sorted_searched_and_picked_by_step(talkative):
    client, url = talkative

    def prompts(**query):
        page = client.get(f"{url}/samples", params=query).json()
        return [sample["fields"]["prompt"] for sample in page["samples"]]

    assert prompts(sort="-reward", limit=2) == ["p3", "p2"]
    assert prompts(sort="reward", limit=2) == ["q3", "q2"]
    assert prompts(step=1) == ["p1", "q1"]
    assert prompts(search="SAME") == ["p0", "p1", "p2", "p3"]
    assert prompts(sort="nothing", step=0) == ["p0", "q0"]
    assert prompts(sort="-step", limit=2) == ["p3", "q3"]
    assert prompts(sort="prompt", limit=2) == ["p0", "p1"]
    assert prompts(from_step=1, to_step=2) == ["p1", "q1", "p2", "q2"]
    assert prompts(low=1.5) == ["p2", "p3"]
    assert prompts(low=-2, high=-1, sort="reward") == ["q2", "q1"]
    assert prompts(number="nothing", low=0) == []
    assert prompts(search="answer", from_step=3) == ["p3"]
    assert prompts(search='"') == []


def test_named_samples_come_along_from_any_step(talkative):
    """A finding leads to its samples, however long ago they were written."""
    client, url = talkative
    every = client.get(f"{url}/samples", params={"limit": 1000}).json()["samples"]
    early = next(sample for sample in every if sample["id"])

    page = client.get(
        f"{url}/samples", params={"sort": "-step", "limit": 1, "sample": early["id"]}
    ).json()

    assert page["samples"][-1] == early
    assert len(page["samples"]) == 2
    assert client.get(f"{url}/samples", params={"sample": "x-1"}).status_code == 422


def test_samples_that_come_later_are_found(site, start):
    run = start(name="grows")
    run.log({"loss": 1.0}, step=0)
    run.log_samples({"prompt": "first", "reward": 1.0}, step=5)
    run.flush()
    client = site()
    url = f"/api/runs/{client.id_of('grows')}/samples?sort=-reward"
    before = client.get(url).json()
    run.log_samples({"prompt": "ünder", "reward": 2.0, "extra": {"a": [1]}}, step=2)
    run.flush()
    [file] = (run.folder / "samples").iterdir()
    with open(file, "ab") as torn:
        torn.write(b'{"step":9,"time":1.0,"fields":{"prompt":"torn')

    after = client.get(url).json()
    with open(file, "ab") as torn:
        torn.write(b'"}}\nnonsense\n')
    last = client.get(url).json()
    file.write_bytes(b'{"step":1,"time":1.0,"fields":{"prompt":"other","reward":0}}\n')
    other = client.get(url).json()

    assert [s["fields"]["prompt"] for s in before["samples"]] == ["first"]
    assert [s["fields"]["prompt"] for s in after["samples"]] == ["ünder", "first"]
    assert after["fields"] == ["prompt", "reward", "extra"]
    assert after["steps"] == [2, 5]
    assert client.get(f"{url}&search=ÜNDER").json()["total"] == 0  # of the file that is gone
    assert [s["fields"]["prompt"] for s in last["samples"]] == ["ünder", "first", "torn"]
    assert [s["fields"]["prompt"] for s in other["samples"]] == ["other"]


def test_a_page_of_a_long_file_needs_only_its_own_lines(tmp_path):
    (tmp_path / "samples").mkdir()
    with open(tmp_path / "samples" / "rank0.jsonl", "wb") as file:
        for i in range(3_000):
            text = "x" * 3_000
            file.write(
                b'{"step":%d,"time":1.0,"fields":{"prompt":"%d %s"}}\n' % (i, i, text.encode())
            )
        file.write(b'{"step":1,"time":1.0,"fields":{"prompt":"' + b"y" * (30 * 2**20) + b'"}}\n')
        file.write(b'{"step":7,"time":1.0,"fields":{"prompt":"last"}}\n')
    os.mkfifo(tmp_path / "samples" / "rank1.jsonl")
    lines = EventLines(tmp_path)
    lines.update()

    numbers = lines.numbers(("sample", ""))
    read = [event.fields["prompt"] for _, event in lines.read(numbers[[7, 8, 9]])]

    assert len(numbers) == 3_001  # but for the line that is too long
    assert [text.split(" ")[0] for text in read] == ["7", "last", "8"]


def test_what_a_resumed_run_logs_again_is_there_once(start):
    def log_all(run, steps):
        for step in steps:
            run.log_histogram("h", [float(step)], step=step)
            run.log_samples({"prompt": str(step)}, step=step)
        run.finish()

    run = start(id="one", judge=False)
    log_all(run, range(6))
    lines = EventLines(run.folder)
    lines.update()
    before = lines.steps(lines.numbers(("histogram", "h")))
    log_all(start(id="one", judge=False, resume=True), range(3, 5))
    lines.update()

    assert before.tolist() == [0, 1, 2, 3, 4, 5]
    for label in (("histogram", "h"), ("sample", "")):
        assert lines.steps(lines.numbers(label)).tolist() == [0, 1, 2, 3, 4]
    assert lines.steps_by_name("histogram")["h"].tolist() == [0, 1, 2, 3, 4]


def test_a_histogram_over_time_has_common_edges(talkative):
    client, url = talkative

    got = client.get(f"{url}/histograms", params={"name": "weights"}).json()

    assert got["steps"] == [0, 1, 2, 3]
    assert len(got["edges"]) == 65
    assert (got["edges"][0], got["edges"][-1]) == (0.0, 4.0)
    assert [round(sum(column)) for column in got["counts"]] == [100] * 4
    assert sum(got["counts"][0][17:]) < 2  # all of it lies below 1
    [chart] = [c for c in client.get(url).json()["charts"] if c["kind"] == "heatmap"]
    assert chart["names"][0]["name"] == "weights"
    assert client.get(f"{url}/histograms", params={"name": "no"}).status_code == 404


def test_what_differs_in_a_number_only_is_one_chart(site, start):
    run = start(name="families")
    for step in range(10):
        run.log({f"layer_{i}/gain": float(i) for i in range(20)}, step=step)
        run.log_actions([8, 1, 0], step, name="arm")
        for i in range(12):
            run.log_histogram(f"layers.{i}.weight", np.full(50, float(i)), step=step)
    run.finish()
    client = site()

    page = client.run("families")
    charts = {chart["key"]: chart for chart in page["charts"]}
    url = f"/api/runs/{page['id']}/histograms"
    arms = client.get(url, params={"name": "Actions/arm_*"}).json()
    layers = client.get(url, params={"name": "layers.*.weight"}).json()
    one = client.get(url, params={"name": "layers.3.weight"}).json()

    heatmaps = [key for key, chart in charts.items() if chart["kind"] == "heatmap"]
    assert heatmaps == ["histogram:layers.*.weight"]
    assert charts["histogram:layers.*.weight"]["meaning"] == "12 histograms in one"
    assert len(charts["policy/action_share"]["names"]) == 3  # which need no second picture
    assert charts["layer_*/gain"]["kind"] == "spread"
    assert [n["name"] for n in charts["layer_*/gain"]["names"]] == [
        f"layer_{i}/gain" for i in range(20)
    ]
    assert arms["edges"] == [-0.5, 0.5, 1.5, 2.5]
    assert arms["counts"] == [[8.0, 1.0, 0.0]] * 10
    assert layers["steps"] == list(range(10))
    assert [sum(column) for column in layers["counts"]] == [600.0] * 10
    assert sum(one["counts"][0]) == 50.0


def test_many_histograms_are_added_up():
    edges = np.array([0.0, 1.0, 2.0])
    many = [Histogram("h", i, 0.0, edges, np.array([1.0, 2.0])) for i in range(900)]

    made = heatmap_of("h", many)

    assert len(made.steps) == 300
    assert made.counts[0] == [3.0, 6.0]


@pytest.mark.parametrize(
    ("edges", "counts"),
    [
        ([-np.inf, 0.0, np.inf], [1.0, 1.0]),
        ([0.0, 0.0], [5.0]),
        ([1.0, 0.0, 2.0], [1.0, 1.0]),
        ([0.0, 1.0], [np.nan]),
        ([], []),
    ],
    ids=["open ends", "one value", "out of order", "not a number", "empty"],
)
def test_odd_histograms_break_nothing(edges, counts):
    good = Histogram("h", 0, 0.0, np.array([0.0, 1.0, 3.0]), np.array([4.0, 2.0]))
    odd = Histogram("h", 1, 0.0, np.array(edges), np.array(counts))

    made = heatmap_of("h", [good, odd])

    assert sum(made.counts[0]) == pytest.approx(6.0)
    assert np.isfinite(made.edges).all()


def test_the_console_is_plain_text(talkative):
    client, url = talkative

    told = client.get(f"{url}/console").json()

    assert told["lines"] == ["first", "red", "progress 99%", "\ufffdbad", "last"]
    assert told["source"] == "training.log"
    assert client.get(f"{url}/console", params={"tail": 1}).json() == {
        "source": "training.log",
        "lines": ["last"],
        "truncated": True,
    }


def test_the_log_that_a_trainer_wrote_itself_is_the_console(site, start):
    run = start(name="own log")
    run.log({"loss": 1.0}, step=0)
    run.finish()
    (run.folder / "ppo_training.log").write_text("[PPO:update] step=128 entropy=1.2\n")
    client = site()

    told = client.get(f"/api/runs/{client.id_of('own log')}/console").json()

    assert (told["source"], told["lines"]) == (
        "ppo_training.log",
        ["[PPO:update] step=128 entropy=1.2"],
    )


def test_only_the_end_of_a_long_console_is_read(site, start):
    run = start(name="chatty")
    run.log({"loss": 1.0}, step=0)
    run.finish()
    client = site()
    url = f"/api/runs/{client.id_of('chatty')}"
    with open(run.folder / "training.log", "wb") as file:
        file.truncate(50 * 2**30)  # nothing but a hole
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + b"".join(b"line %d\n" % i for i in range(30_000)) + b"z" * 30_000)

    short = client.get(f"{url}/console", params={"tail": 3}).json()
    long = client.get(f"{url}/console", params={"tail": 20_000}).json()

    assert short["lines"][:2] == ["line 29998", "line 29999"]
    assert len(short["lines"][2]) == 20_003
    assert (len(long["lines"]), long["lines"][0]) == (20_000, "line 10001")
    assert short["truncated"] is long["truncated"] is True


def test_events_tell_of_starts_texts_findings_and_the_end(site, start):
    for _ in range(2):
        run = start(name="again", id="again", resume=True, judge=True)
        for i in range(5):
            run.log({"policy/loss": 1.0}, step=i + 10)
        run.log_text("note", "hello", step=12)
        run.finish()
    client = site()

    told = client.get(f"/api/runs/{client.id_of('again')}/events").json()["events"]

    kinds = [event["kind"] for event in told]
    assert (kinds[0], told[0]["step"]) == ("start", 10)
    assert kinds.count("text") == 2
    [restart] = [event for event in told if event["kind"] == "restart"]
    assert (restart["step"], restart["text"]) == (10, "resumed at step 10 (start number 2)")
    finding = next(event for event in told if event["name"] == "DATA001")
    assert (finding["kind"], finding["change"], finding["step"]) == ("finding", "opened", 14)
    [end] = [event for event in told if event["kind"] == "end"]
    assert (end["step"], end["text"]) == (14, "the run ended: finished")


def test_the_history_of_a_log_without_times_begins_and_ends_with_its_steps(site, tmp_path):
    rows = "".join(f"{step},{step}\n" for step in range(5, 80))
    (tmp_path / "progress.csv").write_text(f"step,rollout/ep_rew_mean\n{rows}")
    client = site()

    told = client.get(f"/api/runs/{client.runs()[0]['id']}/events").json()["events"]

    assert (told[0]["kind"], told[0]["step"]) == ("start", 5)
    assert (told[-1]["kind"], told[-1]["step"]) == ("end", 79)


def test_a_finding_stands_in_the_history_where_it_began(site, start):
    run = start(name="late", judge=True, config={"algo": "PPO"})
    for i in range(80):
        run.log({"outcome/return_mean": 10.0, "policy/approx_kl": 1.5 if i > 40 else 0.01}, step=i)
    run.finish()
    client = site()

    told = client.get(f"/api/runs/{client.id_of('late')}/events").json()["events"]

    [finding] = [one for one in told if one["name"] == "KL001" and one["change"] == "opened"]
    assert 35 < finding["step"] <= 41
    assert "(told at step " in finding["text"]


def test_a_run_that_was_resumed_tells_of_its_lives_and_when_it_will_end(site, start):
    for first in (0, 8):
        run = start(name="long", id="long", resume=True, config={"total_timesteps": 100})
        run.progress(completed_chunks=first)
        for i in range(first, first + 10):
            run.log({"outcome/return_mean": 1.0}, step=i)
            time.sleep(0.002)
        if first == 0:
            run.finish("crashed")
    run.flush()
    client = site()

    page = client.run("long")

    lives = [(life["number"], life["first_step"], life["last_step"]) for life in page["lives"]]
    assert lives == [(1, 0, 9), (2, 8, 17)]
    assert page["lives"][0]["ended"] <= page["lives"][1]["began"]
    assert page["progress"]["completed_chunks"] == 8
    assert (page["status"], page["planned_steps"]) == ("running", 100)
    assert page["eta_seconds"] == pytest.approx((100 - 17) / page["steps_per_second"])
    run.finish()
    assert until(lambda: client.run("long")["status"] == "finished")
    assert client.run("long")["eta_seconds"] is None


def test_media_come_with_their_files_and_tables_with_their_cells(talkative):
    client, url = talkative

    frame, voice, scores = client.get(f"{url}/media").json()["items"]

    assert (frame["name"], frame["step"], frame["kind"]) == ("frame", 1, "image")
    answer = client.get(f"{url}/media/{frame['file']}")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.content.startswith(b"\x89PNG")
    assert voice["kind"] == "audio"
    assert scores["rows"] == [["level", "return"], ["1", "3|4"], ["2", "5"]]
    assert client.get(url).json()["has_media"]


def test_a_player_gets_the_part_that_it_asks_for(talkative):
    client, url = talkative
    voice = client.get(f"{url}/media").json()["items"][1]["file"]
    whole = client.get(f"{url}/media/{voice}").content

    part = client.get(f"{url}/media/{voice}", headers={"Range": "bytes=10-19"})
    beyond = client.get(f"{url}/media/{voice}", headers={"Range": f"bytes={len(whole)}-"})

    assert (part.status_code, part.content) == (206, whole[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole)}"
    assert beyond.status_code == 416


@pytest.mark.parametrize("name", ["0" * 20 + ".png", "0" * 20 + ".svg", "..%2frun.json"])
def test_other_files_are_not_given_as_media(talkative, name):
    client, url = talkative

    assert client.get(f"{url}/media/{name}").status_code in (404, 422)


def test_a_link_among_the_media_leads_nowhere(start, site):
    run = start(name="linked")
    run.log({"loss": 1.0}, step=0)
    run.log_image("frame", np.zeros((4, 4), np.uint8), step=0)
    run.finish()
    [file] = (run.folder / "media").iterdir()
    kept = file.rename(run.folder / "kept.png")
    file.symlink_to(kept)
    client = site(run.folder)

    answer = client.get(f"/api/runs/{client.id_of('linked')}/media/{file.name}")

    assert answer.status_code == 404


def test_the_history_of_any_log_has_findings_rates_and_checkpoints(tmp_path, site):
    folder = tmp_path / "log"
    folder.mkdir()
    rows = ["step,time,rollout/ep_rew_mean,train/learning_rate,train/approx_kl"]
    for i in range(200):
        rate = 1e-3 if i < 100 else 1e-4
        rows.append(
            f"{i * 100},{1.7e9 + i},{i if i < 120 else 0},{rate},{0.01 if i < 120 else 0.4}"
        )
    (folder / "progress.csv").write_text("\n".join(rows) + "\n")
    (folder / "checkpoint-5000").mkdir()
    client = site(folder)
    [run] = client.runs()

    events = client.get(f"/api/runs/{run['id']}/events").json()["events"]

    [rate] = [event for event in events if event["kind"] == "rate"]
    assert (rate["step"], rate["text"]) == (10_000, "learning rate from 0.001 to 0.0001")
    [checkpoint] = [event for event in events if event["kind"] == "checkpoint"]
    assert checkpoint["step"] == 5_000
    findings = [event for event in events if event["kind"] == "finding"]
    assert any(event["severity"] == "critical" and event["step"] > 11_000 for event in findings)
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)


def test_settings_are_held_against_the_defaults_of_the_framework(start, site):
    run = start(
        name="tuned",
        framework="stable-baselines3",
        algorithm="PPO",
        config={"learning_rate": "3e-4", "n_steps": 1024, "gamma": 0.99, "seed": 7, "own": 1},
    )
    run.log({"loss": 1.0}, step=0)
    run.finish()
    client = site(run.folder)

    told = client.run("tuned")["defaults"]

    assert (told["framework"], told["compared"]) == ("stable-baselines3", 3)
    assert told["changed"] == [{"key": "n_steps", "value": 1024, "default": 2048}]


def test_ppo_of_trl_is_held_against_the_last_version_that_is_known_to_have_it(start, site):
    run = start(
        name="rlhf",
        framework="trl",
        algorithm="PPO",
        config={"cliprange": 0.3, "kl_coef": 0.05, "num_ppo_epochs": 4},
    )
    run.log({"loss": 1.0}, step=0)
    run.finish()

    told = site(run.folder).run("rlhf")["defaults"]

    assert (told["version"], told["compared"]) == ("0.23.0", 3)
    assert told["changed"] == [{"key": "cliprange", "value": 0.3, "default": 0.2}]
