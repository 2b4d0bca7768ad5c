"""What a report holds: every spike, every axis, and no more bytes than are quick to send."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import runvitals as rv
from runvitals.diagnosis.judge import Settings
from runvitals.readers.follow import opened
from runvitals.readers.options import ReadOptions
from runvitals.view.html_report.contents import ENOUGH, Contents, contents_of, redacted
from runvitals.view.html_report.document import places_below

STEPS, NAMES = 6_000, 60
SPIKES = range(137, STEPS, 311)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    """A run of noise that cannot be compressed, with spikes of one step each."""
    values = np.random.default_rng(0).normal(size=(STEPS, NAMES))
    values[list(SPIKES), 0] = 1000.0 + np.arange(len(SPIKES))
    values[50, 1] = np.nan
    folder = tmp_path_factory.mktemp("runs")
    quiet = {"console": False, "tensorboard": False, "system": False, "judge": False}
    with rv.init("p", "noise", dir=folder, compact=False, **quiet) as run:
        for step, row in enumerate(values.tolist()):
            run.log({f"n{i}": value for i, value in enumerate(row)}, step=10 * step)
        run.log_histogram("advantages", values[0], step=0)
    [place] = places_below([folder])
    [run] = opened(place.found, ReadOptions())
    return contents_of(run, place, 0, Settings(file="/home/me/runvitals.toml"))


def unpacked(contents: Contents) -> dict[str, dict[str, np.ndarray]]:
    body = gzip.decompress(contents.points)
    length = int.from_bytes(body[4:8], "little")
    header, payload = json.loads(body[8 : 8 + length]), body[8 + length :]
    return {
        one["name"]: one
        | {
            a["key"]: np.frombuffer(payload, np.dtype(a["dtype"]), a["length"], a["offset"])
            for a in one["arrays"]
        }
        for one in header["series"]
    }


def test_a_long_run_is_thinned_until_it_is_small(contents: Contents) -> None:
    noise = unpacked(contents)["n2"]

    assert len(contents.points) <= ENOUGH
    assert len(contents.answers) < 150_000
    assert not noise["raw"]
    assert noise["count"] == STEPS
    assert len(noise["mean"]) >= 500


def test_no_spike_is_lost(contents: Contents) -> None:
    high = unpacked(contents)["n0"]["high"]

    assert set(np.float32(1000.0 + np.arange(len(SPIKES)))) <= set(high)


def test_points_know_their_step_and_their_time(contents: Contents) -> None:
    series = unpacked(contents)
    steps, seconds = series["n0"]["x"], series["n0"]["time"]

    assert 0 <= steps[0] < 10 * STEPS / 500
    assert (np.diff(steps) > 0).all()
    assert (np.diff(seconds) >= 0).all()
    assert 0 <= seconds[-1] < 600
    assert series["n1"]["nonfinite"] == [500.0]


def test_no_link_of_the_page_is_dead(contents: Contents) -> None:
    answers = json.loads(gzip.decompress(contents.answers))["answers"]
    page = contents.page

    for code in (*page["clear"], *(rule["code"] for rule in page["not_checked"])):
        assert answers[f"rules/{code}"]["sections"]
    assert answers[f"runs/{page['id']}"]["name"] == "noise"
    assert answers[f"runs/{page['id']}/histograms?name=advantages"]["total"] == 1


def test_the_report_says_which_settings_were_used(contents: Contents) -> None:
    assert contents.page["settings_file"] == "/home/me/runvitals.toml"
    assert redacted(contents.page, ["paths"])["settings_file"] == "runvitals.toml"
