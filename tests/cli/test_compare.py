"""`runvitals compare` from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from runvitals.model import Loss


@pytest.fixture
def runs(start, tmp_path):
    """Three seeds of a good and of a bad setting."""
    for name, top in (("good", 400.0), ("bad", 60.0)):
        for seed in range(3):
            rng = np.random.default_rng(seed)
            config = {"seed": seed, "learning_rate": 3e-4 if name == "good" else 0.1}
            run = start(project=name, id=f"{name}-{seed}", config=config, algorithm="PPO")
            for i in range(1, 61):
                reward = 20.0 + (top - 20.0) * (1.0 - np.exp(-i / 12.0)) + rng.normal()
                run.log({"outcome/return_mean": reward, "policy/approx_kl": 0.01}, step=1000 * i)
            run.finish()
    return tmp_path


def test_two_folders_of_seeds(runvitals, runs):
    done = runvitals("compare", "good", "bad")

    assert done.returncode == 0, done.stderr
    assert "B is worse: outcome/return_mean ends" in done.stdout
    assert "3 pairs of runs with the same seed" in " ".join(done.stdout.split())
    assert done.stderr == ""
    assert "learning_rate" in done.stdout
    assert "A first" in done.stdout
    assert (
        "seed " not in done.stdout.partition("outcome/return_mean  ")[2]
    )  # the same on both sides


def test_a_pattern_is_one_side_and_json_has_a_number_per_run(runvitals, runs):
    done = runvitals("compare", "good/good-[01]", "bad/*", "--format", "json")

    data = json.loads(done.stdout)
    assert [len(side["runs"]) for side in data["sides"]] == [2, 3]
    assert len(data["sides"][1]["outcome"]["end"]) == 3
    assert data["differences"][0]["interval"]["of"] == "seeds"
    assert data["conclusions"][0]["side"] == "B"
    assert {one["key"] for one in data["settings"]} == {"seed", "learning_rate"}


def test_two_runs_as_markdown_claim_nothing(runvitals, runs):
    done = runvitals("compare", "good/good-0", "bad/bad-0", "--format", "markdown")

    assert "with one run per side this is inconclusive" in done.stdout
    assert "noise within each run alone" in done.stdout
    assert r"| learning\_rate | 0.0003 | 0.1 |" in done.stdout


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_what_a_run_lost_is_said_before_anything_is_compared(runvitals, runs, form):
    run_file = runs / "good" / "good-0" / "run.json"
    lost = Loss("store", "disk full", rows=5, points=5, first_step=30, last_step=34)
    content = json.loads(run_file.read_text())
    run_file.write_text(json.dumps({**content, "lost": [lost.as_dict()]}))

    done = runvitals("compare", "good/good-0", "bad/bad-0", "--format", form)

    said = " ".join(done.stdout.split())
    assert said.index("were lost: disk full") < said.index("inconclusive")
    if form == "json":
        assert [side["runs"][0]["partial"] for side in json.loads(said)["sides"]] == [True, False]


def test_another_metric(runvitals, runs):
    done = runvitals("compare", "good", "bad", "--metric", "policy/approx_kl")

    assert done.returncode == 0, done.stderr
    assert "policy/approx_kl ends as in A" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["good"], "needs at least two sides"),
        (["good", "nothing*"], "no files match it as a pattern"),
        (["good", "empty"], "no runs found in this folder"),
        (["good", "bad", "--metric", "value/loss"], "value/loss was not logged in"),
        (["good", "bad", "--metric", "aprox_kl"], "did you mean policy/approx_kl"),
        (["good"] * 9, "put a pattern in quotes"),
    ],
    ids=[
        "one side",
        "no match",
        "an empty folder",
        "a metric nobody has",
        "a misspelt metric",
        "too many",
    ],
)
def test_a_side_that_cannot_be_compared_is_named(runvitals, runs, words, says):
    (runs / "empty").mkdir()

    done = runvitals("compare", *words)

    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
