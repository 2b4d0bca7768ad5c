"""`runvitals mcp`, asked by the real client of the protocol."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from mcp import Client, StdioServerParameters, stdio_client

import runvitals as rv
from runvitals.diagnosis.judge import settings_for
from runvitals.fleet.cache import RunCache
from runvitals.fleet.judging import Job, judge_all
from runvitals.model import ReadError
from runvitals.render.json_ import as_json
from runvitals.server.mcp.allowed_runs import AllowedRuns
from runvitals.server.mcp.server import make_server

TOOLS = {
    *("list_runs", "verdict", "findings", "vitals", "series"),
    *("explain", "rule", "compare", "names"),
}
STEPS = 400
SPIKE = 217

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("mcp") / "runs"
    record(top, "healthy", 0.01)
    record(top, "sick", 0.6)
    return top


def record(top: Path, name: str, kl: float) -> None:
    noise = np.random.default_rng(0).normal(size=STEPS)
    quiet = {"console": False, "tensorboard": False, "judge": False, "system": False}
    with rv.init(project="agents", name=name, dir=top, config={"kl": kl}, **quiet) as run:
        for step in range(STEPS):
            reward = min(step, 250) if kl < 0.1 else 250 - step / 2
            values = {"policy/approx_kl": kl * (1 + noise[step] / 10), "my_thing": step == SPIKE}
            run.log({"outcome/return_mean": reward + 5 * noise[step], **values}, step=step)


def run_apart(talk: Callable[[], Awaitable[Any]]) -> Any:
    """In a thread of its own: tests in a browser leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, talk).result()


@pytest.fixture(scope="module")
def ask(folder: Path) -> Ask:
    """Call a tool of a server in this process, through the protocol."""
    server = make_server(AllowedRuns([folder], RunCache(None)))

    def call(tool: str, *, wrong: bool = False, **arguments: Any) -> dict[str, Any]:
        async def talk() -> Any:
            async with Client(server) as client:
                return await client.call_tool(tool, arguments)

        told = run_apart(talk)
        assert told.is_error is wrong, told.content
        return {"error": told.content[0].text} if wrong else told.structured_content

    return call


def test_a_client_over_stdio_lists_the_tools_and_judges_as_check_does(folder):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "runvitals.cli.main", "mcp", str(folder)],
        env=environment,
        cwd=folder.parent,
    )

    async def talk() -> tuple[Any, Any, Any]:
        async with Client(stdio_client(started)) as client:
            tools = (await client.list_tools()).tools
            said = await client.call_tool("verdict", {"run": "sick"})
            return tools, said, await client.call_tool("findings", {"run": "sick"})

    tools, said, found = run_apart(talk)
    judged, _ = judge_all(Job((folder,), settings_for()), workers=1)
    [same] = [run for run in as_json(judged)["runs"] if run["name"] == "sick"]

    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert said.structured_content["verdict"] == same["verdict"]
    assert [one["code"] for one in found.structured_content["findings"]] == [
        one["code"] for one in (*same["findings"], *same["telemetry"])
    ]
    assert json.loads(said.content[0].text) == said.structured_content


def test_the_list_has_every_run_with_its_verdict(ask):
    told = ask("list_runs")

    assert told["count"] == 2
    words = {run["name"]: run["verdict"]["word"] for run in told["runs"]}
    assert words == {"healthy": "learned", "sick": "not learning"}
    assert ask("list_runs", limit=1, offset=1)["runs"] == told["runs"][1:]


def test_a_run_is_found_by_id_path_and_name(ask):
    [row] = [run for run in ask("list_runs")["runs"] if run["name"] == "sick"]

    told = [ask("verdict", run=row[key]) for key in ("run", "path", "name")]

    assert told[0] == told[1] == told[2]


def test_findings_can_be_limited_by_severity(ask):
    every = ask("findings", run="sick", not_checked=True)
    grave = ask("findings", run="sick", severity="critical")

    assert {one["severity"] for one in grave["findings"]} <= {"critical"}
    assert len(every["findings"]) > len(grave["findings"])
    assert len(every["not_checked"]) == grave["not_checked_count"]


def test_downsampled_series_keep_a_spike_of_one_step(ask):
    [one] = ask("series", run="sick", names=["my_thing"], points=20)["series"]

    assert one["count"] == STEPS
    assert len(one["step"]) <= 20
    assert max(one["high"]) == 1.0
    assert max(one["mean"]) < 1.0


def test_a_short_stretch_comes_as_its_points(ask):
    [one] = ask(
        "series", run="sick", names=["my_thing"], first_step=SPIKE, last_step=SPIKE, points=10
    )["series"]

    assert dict(zip(one["step"], one["value"], strict=True))[SPIKE] == 1.0


def test_vitals_names_rule_explain_and_compare_answer(ask):
    vitals = ask("vitals", run="sick", only_out_of_range=True)
    names = ask("names", run="sick")
    compared = ask("compare", sides=[["healthy"], ["sick"]])

    assert "policy/approx_kl" in {one["metric"] for one in vitals["vitals"]}
    assert {one["name"]: one["metric"] for one in names["names"]}["my_thing"] is None
    assert compared["metric"] == "outcome/return_mean"
    assert ask("compare", sides=["healthy", "sick"]) == compared
    assert ask("rule", code="kl001")["code"] == "KL001"
    assert ask("explain", name="train/approx_kl")["metric"] == "policy/approx_kl"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("verdict", {"run": "sik"}, "did you mean sick"),
        ("verdict", {"run": "/etc/passwd"}, "no run found"),
        ("verdict", {"run": "../sick"}, "no run found"),
        ("series", {"run": "sick", "names": ["policy/aprox_kl"]}, "policy/approx_kl"),
        ("rule", {"code": "KL999"}, "KL"),
        ("explain", {"name": "nonsense-of-mine"}, "no metric or term"),
        ("compare", {"sides": [["sick"]]}, "2 to 8"),
        ("findings", {"run": "sick", "severity": "awful"}, "severity"),
    ],
)
def test_a_wrong_request_says_what_is_wrong(ask, tool, arguments, said):
    assert said in ask(tool, wrong=True, **arguments)["error"]


def test_a_run_whose_link_leads_out_of_the_folder_is_not_read(tmp_path):
    secret = tmp_path / "elsewhere.csv"
    secret.write_text("step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(50)))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "progress.csv").symlink_to(secret)
    reach = AllowedRuns([tmp_path / "runs"], RunCache(None))

    [row] = reach.rows()

    with pytest.raises(ReadError, match="leads out"):
        reach.judged(row.id)


def test_a_run_that_goes_on_is_judged_anew(tmp_path):
    reach = AllowedRuns([tmp_path], RunCache(None))
    log = tmp_path / "progress.csv"
    log.write_text("step,loss\n0,1.0\n1,0.9\n")
    [row] = reach.rows()
    before = reach.judged(row.id)

    log.write_text("step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(300)))
    after = reach.judged(row.id)

    assert (before.row.last_step, after.row.last_step) == (1, 299)
