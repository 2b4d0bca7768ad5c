"""How rivals are asked. The rivals themselves are not installed here: that takes a network."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from benchmarks.judging.beside_rivals import rival_table
from benchmarks.judging.labels import Labelled
from benchmarks.judging.runs import Judgement
from benchmarks.rivals import inside
from benchmarks.rivals.asking import Answer, Rival
from benchmarks.rivals.exchange import key_of, log_of, metrics_read, tools, write_logs
from benchmarks.rivals.install import InstallError, python_of
from benchmarks.rivals.log import Log, rows

import runvitals as rv
from runvitals.catalog import METRICS

LOG = Log("a", "sft", "SFT", series={"lm/loss": ([1, 2, 3], [1.0, math.nan, 0.5])})


@pytest.fixture
def run(tmp_path: Path) -> Labelled:
    with rv.init(
        project="p", dir=tmp_path, id="r", console=False, tensorboard=False, system=False,
        framework="trl", algorithm="GRPO", config={"num_generations": 8},
    ) as live:  # fmt: skip
        for step in range(1, 21):
            values = {"reward": 0.1 * step, "entropy": 1.0, "rewards/format/mean": 0.5}
            live.log(values, step=step)
    return Labelled(live.folder, "lab", "p", "healthy")


@pytest.mark.parametrize("name", list(tools()))
def test_a_rival_reads_metrics_of_the_catalog_and_has_a_version(name: str) -> None:
    tool = tools()[name]
    mentioned = {*tool.NEEDS, *(metric for metrics in tool.NAMES.values() for metric in metrics)}

    assert {
        m for m in mentioned if m.removeprefix("eval/") not in METRICS and m not in METRICS
    } == set()
    assert tool.PACKAGE.count("==") == 1


def test_a_log_survives_the_way_to_the_rival_with_its_nan() -> None:
    back = Log.from_json(LOG.to_json())

    assert [str(value) for value in back.series["lm/loss"][1]] == ["1.0", "nan", "0.5"]
    assert rows(back.named({"loss": ("optim/loss", "lm/loss")}))[0] == {"step": 1, "loss": 1.0}


def test_a_run_is_handed_over_under_the_names_of_the_catalog(run: Labelled) -> None:
    log = log_of(run)

    assert log is not None
    assert log.kind == "llm-rl"
    assert log.series["policy/entropy"] == (list(range(1, 21)), [1.0] * 20)
    assert log.settings["group_size"] == 8
    assert list(log.components) == ["format"]
    assert set(log.series) <= set(metrics_read())


def test_a_run_that_cannot_be_read_is_left_out(run: Labelled, tmp_path: Path) -> None:
    path = tmp_path / "logs.jsonl"

    write_logs([run, replace(run, path=tmp_path / "nowhere")], path)

    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == [key_of(run)]


def test_the_key_of_a_run_changes_with_its_files(run: Labelled) -> None:
    before = key_of(run)

    (run.path / "more.txt").write_text("more")

    assert key_of(run) != before


# inside the rival's environment


def tool_that(ask) -> ModuleType:
    tool = ModuleType("tool")
    tool.NEEDS, tool.ask, tool.in_scope = ("lm/loss",), ask, lambda log: log.kind == "sft"
    return tool


def test_a_rival_answers_with_its_alarms(capsys: pytest.CaptureFixture[str]) -> None:
    def ask(log: Log) -> list[str]:
        print("noise")
        return ["loss", "loss"]

    found = inside.answer(tool_that(ask), LOG)

    assert found == {"key": "a", "fits": True, "in_scope": True, "alarms": ["loss"]}
    assert capsys.readouterr().out == ""


def test_a_rival_that_raises_has_said_nothing() -> None:
    def ask(log: Log) -> list[str]:
        raise ValueError("no such column")

    assert inside.answer(tool_that(ask), LOG)["error"] == "ValueError: no such column"


def test_a_log_without_what_a_rival_needs_does_not_fit() -> None:
    assert not inside.answer(tool_that(list), replace(LOG, series={}))["fits"]


def test_zen_rl_gets_the_entropy_loss_with_its_sign() -> None:
    log = Log("a", "on-policy", "PPO", series={"policy/entropy": ([1], [0.7])})

    assert tools()["zen_rl"].tags(log) == {"train/entropy_loss": [(1, -0.7)]}


# what becomes of the answers


def test_a_rival_stands_next_to_the_rules_on_the_runs_it_can_read() -> None:
    runs = [Labelled(Path(name), "lab", name, "healthy") for name in ("one", "two", "three")]
    judged = [Judgement(run, (), "learning") for run in runs]
    answers = (Answer(runs[0], True, ("loss",)), Answer(runs[1], True), Answer(runs[2], False))
    here = Rival("tool", "1.0", "anything", answers)
    absent = Rival("other", "2.0", "anything", absent="not installed: no network")

    table = rival_table("Rivals", judged, [here, absent], lambda one: one.in_scope)

    assert table.rows[0][:3] == ("tool 1.0", "anything", "0, 2, 0")
    assert table.rows[0][4].startswith("50.0%")
    assert table.rows[0][7].startswith("0.0%")
    assert table.rows[1][:3] == ("other 2.0", "not installed: no network", "-")
    assert all(len(row) == len(table.head) for row in table.rows)


def test_a_rival_that_cannot_be_had_says_why(tmp_path: Path, monkeypatch) -> None:
    for name, value in {
        "NO_INDEX": "1",
        "FIND_LINKS": str(tmp_path),
        "CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(f"PIP_{name}", value)

    with pytest.raises(InstallError, match="No matching distribution found for no-such-tool"):
        python_of("no-such-tool==1.0", tmp_path / "tool")
