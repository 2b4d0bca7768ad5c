from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

DOCS = Path(__file__).parents[2] / "docs" / "reference"


@pytest.fixture
def clipped(tmp_path: Path) -> Path:
    """A run whose clip fraction left its range half way, while its return rises."""
    log = tmp_path / "progress.csv"
    rows = [
        f"{100 * i},{10 + 3 * i},{0.008 + 0.001 * (i % 3)},{0.1 if i < 60 else 0.45}"
        for i in range(120)
    ]
    header = "time/total_timesteps,rollout/ep_rew_mean,train/approx_kl,train/clip_fraction"
    log.write_text("\n".join([header, *rows]))
    return log


def test_the_table_shows_each_metric_with_its_level_range_and_source(runvitals, clipped):
    done = runvitals("vitals", str(clipped))

    assert done.returncode == 0, done.stderr
    assert "1 of 2 vitals out of range" in done.stdout
    [clip] = [line for line in done.stdout.splitlines() if "train/clip_fraction" in line]
    assert re.search(r"0\.45 +<= 0\.3 +above it since step 6,000 +Training Monitoring Guide", clip)
    [kl] = [line for line in done.stdout.splitlines() if "train/approx_kl" in line]
    assert "in range" in kl
    [outcome] = [line for line in done.stdout.splitlines() if "rollout/ep_rew_mean" in line]
    assert "no range" in outcome


def test_the_json_is_that_of_check_and_of_the_page(runvitals, clipped):
    schema = json.loads((DOCS / "check.schema.json").read_text(encoding="utf-8"))
    page = (DOCS / "vitals-json.md").read_text(encoding="utf-8")
    example = json.loads(re.search(r"^    \{\n.*?^    \}$", page, re.DOTALL | re.MULTILINE)[0])

    alone = json.loads(runvitals("vitals", str(clipped), "--format", "json").stdout)
    judged = json.loads(runvitals("check", str(clipped), "--format", "json").stdout)

    assert alone["runs"][0]["vitals"] == judged["runs"][0]["vitals"]
    assert alone["runs"][0].keys() == example["runs"][0].keys()
    vital = Draft202012Validator({"$ref": "#/$defs/vital", "$defs": schema["$defs"]})
    for one in (*alone["runs"][0]["vitals"], *example["runs"][0]["vitals"]):
        vital.validate(one)
    [clip] = [one for one in alone["runs"][0]["vitals"] if one["out_of_range"]]
    assert (clip["name"], clip["since"], clip["high"]) == ("train/clip_fraction", 6000, 0.3)


def test_a_log_that_is_not_there_is_an_error(runvitals, tmp_path):
    done = runvitals("vitals", str(tmp_path / "none"))

    assert done.returncode == 2


def test_check_shows_the_sign_of_a_healthy_outcome_by_default(runvitals, clipped):
    done = runvitals("check", str(clipped))

    said = [line for line in done.stdout.splitlines() if "clip fraction" in line]
    assert len(said) == 1, done.stdout
    assert "is holding up so far" in " ".join(said)
    assert done.returncode == 0


def test_check_shows_every_vital_if_asked(runvitals, clipped):
    done = runvitals("check", str(clipped), "-v")

    assert "whose range" in done.stdout
    assert "no range here for: rollout/ep_rew_mean" in done.stdout
