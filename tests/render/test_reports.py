from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest
from rich.console import Console

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import Finding, Hit, Limit, Span
from runvitals.render import ci, text
from runvitals.render.json_ import as_json
from runvitals.render.judged import Judged, judged
from runvitals.rules.needs import Need
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule
from runvitals.testing import make_run


def high(patient: Patient) -> Iterator[Hit]:
    """The KL is high."""
    kl = patient["policy/approx_kl"]
    yield Hit(
        kl.name,
        Span(43_008, 81_920, 20),
        "policy KL above 0.03",
        advice="lower the learning rate",
        causes=("learning rate too high",),
        limit=Limit(0.03, "1.5 x this run's target_kl 0.02"),
    )


def nothing(patient: Patient) -> Iterator[Hit]:
    """Never finds anything."""
    return iter(())


def made_up_rule(code: str, check: Any, *needs: str) -> Rule:
    return Rule(
        code,
        f"rule-{code.lower()}",
        "warning",
        check,
        tuple(map(Need.parse, needs)),
        (),
        (),
        "policy",
    )


@pytest.fixture
def sick() -> Judged:
    run = make_run(
        {"policy/approx_kl": [0.01] * 20 + [0.06] * 20, "outcome/return_mean": range(40)},
        every=2048,
        algorithm="PPO",
    )
    rules = [
        made_up_rule("ZZ001", high),
        made_up_rule("ZZ002", nothing),
        made_up_rule("ZZ003", nothing, "policy/kl_ref"),
    ]
    return judged(run, judge_by_rules(run, Choice(select=("ZZ",)), extra=rules), "runs/ppo")


def shown(one: Judged, *, verbose: bool = False) -> str:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(text.report(one, verbose=verbose))
    return console.export_text()


def test_the_text_has_verdict_evidence_and_advice(sick: Judged) -> None:
    lines = shown(sick)

    assert lines.startswith("cannot tell: outcome/return_mean rose from")
    assert "ZZ001 warning: policy KL above 0.03" in lines
    assert "--> runs/ppo  steps 43,008 to 81,920" in lines
    assert "^^^" in lines
    assert "1.5 x this run's target_kl 0.02" in lines
    assert "= try: " in lines
    assert "= more: runvitals rule ZZ001" in lines
    assert "1 warning. 2 rules ran; 1 not checked (-v lists them)." in lines


def test_verbose_adds_the_card_and_what_was_not_checked(sick: Judged) -> None:
    lines = shown(sick, verbose=True)

    assert "policy" in lines
    assert "watch" in lines
    assert "ZZ003" in lines


def test_the_json_is_plain_data_of_the_documented_shape(sick: Judged) -> None:
    data = orjson.loads(orjson.dumps(as_json([sick])))

    [run] = data["runs"]
    assert run["path"] == "runs/ppo"
    assert run["verdict"]["word"] == "cannot tell"  # beside an alarm
    [finding] = run["findings"]
    assert finding["code"] == "ZZ001"
    assert finding["span"] == {"first": 43_008, "last": 81_920, "count": 20}
    assert finding["limit"]["value"] == 0.03
    assert run["clear"] == ["ZZ002"]
    assert run["not_checked"][0]["code"] == "ZZ003"


def test_one_line_per_finding_is_concise(sick: Judged) -> None:
    [line] = text.concise([sick])

    assert line.startswith("runs/ppo:43008-81920: ZZ001 warning policy/approx_kl: policy KL above")


def test_sarif_has_a_result_per_finding(sick: Judged) -> None:
    data = ci.sarif([sick])

    [result] = data["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("ZZ001", "warning")
    assert data["runs"][0]["tool"]["driver"]["rules"] == [{"id": "ZZ001", "name": "rule-zz001"}]


def test_junit_counts_failures_and_skipped(sick: Judged) -> None:
    [suite] = ElementTree.fromstring(ci.junit([sick]))

    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")


def test_a_log_that_could_not_be_read_is_in_every_file_for_build_servers(sick: Judged) -> None:
    unread = ["cannot read a.csv: damaged\n  hint: <is> it | whole?"]

    [invocation] = ci.sarif([sick], unread)["runs"][0]["invocations"]
    suites = ElementTree.fromstring(ci.junit([sick], unread))
    [error] = suites.findall(".//error")

    assert not invocation["executionSuccessful"]
    assert "cannot read a.csv" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert suites[0].get("errors") == "1"
    assert "cannot read a.csv" in str(error.get("message"))
    assert next(ci.github([sick], unread)).startswith("::error title=data::cannot read a.csv")
    assert "cannot read a.csv: damaged" in next(ci.markdown([sick], unread))
    assert "<is>" not in next(ci.markdown([sick], unread))


def test_github_lines_escape_what_github_would_read(sick: Judged) -> None:
    finding = Finding("ZZ001", "odd", "critical", "x", Span(1, 1, 1), "100 % gone\nreally")
    hostile = replace(sick, diagnosis=replace(sick.diagnosis, findings=(finding,)))

    [line] = ci.github([hostile])

    assert line == "::error title=ZZ001 odd::runs/ppo: 100 %25 gone%0Areally (step 1)"


def test_github_shows_ten_causes_the_worst_first_and_counts_the_rest(sick: Judged) -> None:
    effect = Finding("KL001", "kl", "critical", "kl", Span(1, 1, 1), "high")
    notices = [Finding(f"ZZ{i:03}", "odd", "notice", "x", Span(1, 1, 1), "seen") for i in range(11)]
    cause = Finding("LR001", "rate", "critical", "lr", Span(1, 1, 1), "jumped", follows=(effect,))
    found = replace(sick, diagnosis=replace(sick.diagnosis, findings=(*notices, cause)))

    lines = list(ci.github([found]))

    assert lines[0] == "::error title=LR001 rate::runs/ppo: jumped (step 1); led to KL001"
    assert len(lines) == 11
    assert not any("title=KL001" in line for line in lines)
    assert "2 more findings" in lines[-1]


def test_markdown_cannot_be_broken_by_names(sick: Judged) -> None:
    finding = Finding("ZZ001", "odd", "notice", "x", Span(1, 1, 1), "a|b <script>")
    hostile = replace(sick, diagnosis=replace(sick.diagnosis, findings=(finding,)))

    lines = "\n".join(ci.markdown([hostile]))

    assert "a\\|b &lt;script&gt;" in lines


def test_control_characters_in_a_log_do_not_reach_the_terminal(sick: Judged) -> None:
    finding = Finding(
        "ZZ001", "odd", "warning", "x", Span(1, 1, 1), "\x1b[31mred[bold]", limit=Limit(1.0, "x")
    )
    hostile = replace(sick, diagnosis=replace(sick.diagnosis, findings=(finding,)))

    lines = shown(hostile)

    assert "\x1b" not in lines
    assert "[bold]" in lines


def test_a_run_on_which_no_rule_ran_is_never_called_healthy() -> None:
    run = make_run({})
    one = judged(run, judge_by_rules(run, Choice(select=("KL",))), "empty")

    assert one.nothing_to_judge == "no metrics were logged"
    assert one.diagnosis.verdict.word == "cannot tell"


def test_many_runs_get_a_table(sick: Judged) -> None:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(text.SummaryTable([sick, sick]))

    lines = console.export_text()
    assert "run below runs/" in lines
    assert lines.count("ppo ") == 2
    assert "2 runs: 2 cannot tell. 2 with findings." in lines
