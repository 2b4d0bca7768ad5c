"""`check --format json` keeps to docs/reference/check.schema.json."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import runvitals as rv
from runvitals.model.finding import Mark, Severity, VerdictWord

DOCS = Path(__file__).parents[2] / "docs" / "reference"
SCHEMA = json.loads((DOCS / "check.schema.json").read_text(encoding="utf-8"))


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """All parts of a schema that describe an object."""
    if isinstance(node, dict):
        if "properties" in node:
            yield node
        for child in node.values():
            yield from objects(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects(child)


@pytest.fixture
def strict() -> Draft202012Validator:
    """The schema, without room for fields that it does not name."""
    schema = json.loads(json.dumps(SCHEMA))
    for part in list(objects(schema)):
        part["additionalProperties"] = False
    return Draft202012Validator(schema)


def checked(path: Path, *words: str) -> Any:
    command = [sys.executable, "-m", "runvitals.cli.main", "check", str(path), "--format", "json"]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_a_recorded_run_that_went_wrong(
    start: Callable[..., rv.LiveRun], strict: Draft202012Validator, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    run = start(config={"algo": "PPO", "gamma": 0.0, "target_kl": 0.02})
    run.expect("outcome/return_mean", above=1000)
    for step in range(80):
        run.log(
            {
                "outcome/return_mean": 200 - 2 * step + rng.normal(),
                "policy/approx_kl": 0.2 + 0.01 * rng.normal(),
                "policy/clip_fraction": 0.6 + 0.01 * rng.normal(),
                "value/loss": float("nan") if step > 60 else 1.0,
            },
            step=100 * step,
        )
    run.finish()

    said = checked(tmp_path)

    strict.validate(said)
    [one] = said["runs"]
    assert {finding["severity"] for finding in one["findings"]} >= {"critical"}
    assert any(finding["follows"] for finding in one["findings"])
    assert one["not_checked"]
    assert one["clear"]


def test_a_log_of_another_tool_and_a_rule_that_fails(
    strict: Draft202012Validator, tmp_path: Path
) -> None:
    rows = [f"{100 * i},{10 + i},0.01" for i in range(50)]
    text = "\n".join(["step,rollout/ep_rew_mean,train/approx_kl", *rows])
    (tmp_path / "progress.csv").write_text(text)
    (tmp_path / "own.py").write_text(
        "from runvitals.rules.registry import rule\n"
        "@rule('OWN001', 'raises', severity='warning')\n"
        "def raises(patient):\n"
        "    raise ValueError('no')\n"
    )

    said = checked(tmp_path / "progress.csv", "--rules", str(tmp_path / "own.py"))

    strict.validate(said)
    assert "OWN001" in said["runs"][0]["problems"][0]


def test_the_schema_knows_every_word() -> None:
    parts = SCHEMA["$defs"]
    grade = parts["verdict"]["properties"]["grades"]["items"]["properties"]

    assert set(parts["finding"]["properties"]["severity"]["enum"]) == set(get_args(Severity))
    assert set(parts["verdict"]["properties"]["word"]["enum"]) == set(get_args(VerdictWord))
    assert set(grade["mark"]["enum"]) == set(get_args(Mark))


def test_the_page_shows_every_field() -> None:
    page = (DOCS / "check-json.md").read_text(encoding="utf-8")
    example = json.loads(re.search(r"^    \{\n.*?^    \}$", page, re.DOTALL | re.MULTILINE)[0])

    Draft202012Validator(SCHEMA).validate(example)
    for part in objects(SCHEMA):
        for name in part["properties"]:
            assert f'"{name}"' in page
