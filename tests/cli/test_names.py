"""`runvitals names`, and what `check` says about names it did not understand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import runvitals as rv
from runvitals.recorder.chores import SystemSampler

DOCS = Path(__file__).parents[2] / "docs" / "reference"
SCHEMA = json.loads((DOCS / "names.schema.json").read_text(encoding="utf-8"))


def write(path: Path, names: list[str], rows: int = 40) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for step in range(rows):
            row = {"step": step, **dict.fromkeys(names, 0.5 + 0.001 * step)}
            file.write(json.dumps(row) + "\n")
    return path


def objects(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "properties" in node:
            yield node
        for child in node.values():
            yield from objects(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects(child)


def test_every_name_is_told_with_its_meaning_or_what_would_bind_it(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/approx_kl", "policy/entropy", "Zorp_buffer_size"])

    done = runvitals("names", "own.jsonl")

    assert done.returncode == 0, done.stderr
    assert re.search(r"policy/approx_kl +policy/approx_kl +Approximate KL.* certain", done.stdout)
    assert "not understood" in done.stdout
    assert re.search(r"Zorp_buffer_size .*replay/size", done.stdout)
    assert "--map " in done.stdout


def test_a_name_that_was_mapped_says_so(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "zorp"])

    done = runvitals("names", "own.jsonl", "--map", "zorp=policy/approx_kl")

    assert re.search(r"zorp +policy/approx_kl .*told by --map +certain", done.stdout)
    assert "not understood" not in done.stdout


def test_the_map_that_is_offered_binds_the_name(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "Zorp buffer [size]"])
    said = json.loads(runvitals("names", "own.jsonl", "--format", "json").stdout)
    offered = said["tables"][0]["names"][-1]["map"]

    again = runvitals("names", "own.jsonl", "--format", "json", "--map", offered)

    assert json.loads(again.stdout)["tables"][0]["names"][-1]["metric"] == offered.split("=")[1]


@pytest.mark.parametrize(
    "name",
    ["[bold]loss[/bold]", "[/]", "a[link=file:///etc]b", "rm -rf 'x'; $(y)", "%s{0}", "损失"],
)
def test_hostile_names_are_printed_as_they_are(runvitals, tmp_path, name):
    write(tmp_path / "own.jsonl", ["policy/entropy", name])

    done = runvitals("names", "own.jsonl")

    assert done.returncode == 0, done.stderr
    assert name in done.stdout


def test_a_name_cannot_steer_the_terminal(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "\x1b[2Jloss"])

    assert "\x1b" not in runvitals("names", "own.jsonl").stdout


def test_runs_that_log_the_same_share_a_table(runvitals, tmp_path):
    for run, rows in (("a", 40), ("b", 50)):
        write(tmp_path / "logs" / run / "metrics.jsonl", ["policy/entropy", "zorp"], rows)
    write(tmp_path / "logs" / "c" / "metrics.jsonl", ["value/loss"])

    said = json.loads(runvitals("names", "logs", "--format", "json").stdout)

    assert sorted(len(table["runs"]) for table in said["tables"]) == [1, 2]


def test_the_json_keeps_to_its_schema(runvitals, tmp_path):
    schema = json.loads(json.dumps(SCHEMA))
    for part in list(objects(schema)):
        part["additionalProperties"] = False
    write(tmp_path / "own.jsonl", ["rollout/ep_rew_mean", "train/approx_kl", "zorp", "loss"])

    said = json.loads(runvitals("names", "own.jsonl", "--format", "json").stdout)

    Draft202012Validator(schema).validate(said)


def test_the_page_shows_every_field():
    page = (DOCS / "names-json.md").read_text(encoding="utf-8")
    example = json.loads(re.search(r"^    \{\n.*?^    \}$", page, re.DOTALL | re.MULTILINE)[0])

    Draft202012Validator(SCHEMA).validate(example)
    for part in objects(SCHEMA):
        for name in part["properties"]:
            assert f'"{name}"' in page


def test_a_folder_without_a_run_is_an_error(runvitals, tmp_path):
    (tmp_path / "empty").mkdir()

    done = runvitals("names", "empty")

    assert done.returncode == 2
    assert "no run" in done.stderr


def test_check_says_which_losses_and_outcomes_it_did_not_understand(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "zorp_frob_loss", "zorp_frob_level"])

    done = runvitals("check", "own.jsonl")

    line = next(line for line in done.stdout.splitlines() if line.startswith("not understood"))
    assert line.startswith("not understood: zorp_frob_loss (runvitals names own.jsonl shows more")
    assert "zorp_frob_level" not in line


def test_check_is_silent_where_all_of_them_are_understood(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "value/loss", "zorp_frob_level"])

    assert "not understood" not in runvitals("check", "own.jsonl").stdout


def test_check_tells_machines_too(runvitals, tmp_path):
    write(tmp_path / "own.jsonl", ["policy/entropy", "zorp_frob_loss", "zorp_frob_level"])

    [run] = json.loads(runvitals("check", "own.jsonl", "--format", "json").stdout)["runs"]

    assert run["names"]["logged"] == 3
    assert run["names"]["not_understood"] == ["zorp_frob_loss"]


def test_check_names_a_few_and_counts_the_rest(runvitals, tmp_path):
    odd = [f"{'zorp' * i}frob_loss" for i in range(1, 9)]
    write(tmp_path / "own.jsonl", ["policy/entropy", *odd])

    assert "and 3 more" in runvitals("check", "own.jsonl").stdout


def test_names_that_runvitals_samples_are_credited_to_runvitals(
    runvitals: Any, tmp_path: Path
) -> None:
    with rv.init(project="p", dir=tmp_path, console=False, system=False) as run:
        run.log({"loss": 1.0, **SystemSampler(tmp_path).sample(), "System/GPU_Utilization": 90.0})

    found = json.loads(runvitals("names", run.folder, "--format", "json").stdout)

    how = {one["name"]: one["how"] for one in found["tables"][0]["names"]}
    for name in ("System/CPU_Percent", "System/GPU_Utilization"):
        assert how[name] == "runvitals logs it under this name"
