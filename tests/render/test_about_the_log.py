"""What is about the log is told apart, and makes no run sick: in every output, and in the exit code."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from runvitals.diagnosis.fold import fold
from runvitals.model import Diagnosis, Finding, Span, Verdict
from runvitals.render import ci, text
from runvitals.render.json_ import as_json
from runvitals.render.judged import Judged, exit_code, facts_of
from runvitals.render.notebook import html
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.testing import make_run
from runvitals.view.run.row import alarms_of


def finding(code: str, severity: str = "warning", *follows: Finding, first: int = 10) -> Finding:
    rule = rules()[code]
    return Finding(
        code,
        rule.name,
        severity,
        "loss",
        Span(first, 20, 5),
        f"{code} speaks",
        area=rule.area,
        follows=follows,
    )


def judged(*findings: Finding, **options) -> Judged:
    verdict = Verdict("learned", "loss fell", "loss")
    found = Diagnosis(verdict, findings, (), ("KL001",), **options)
    return Judged(facts_of(make_run({}), found), "runs/a", found, names=("loss",), known=1, rows=30)


LOG_ONLY = judged(finding("DATA003"), finding("DATA007", "critical"), finding("DATA001", "notice"))
SICK = judged(finding("KL001"), finding("DATA003"))


def printed(one: Judged, **options) -> str:
    console = Console(file=StringIO(), width=200)
    console.print(text.report(one, **options))
    return console.file.getvalue()


def test_findings_about_the_log_are_no_alarms():
    found = LOG_ONLY.diagnosis

    assert found.alarms == ()
    assert found.notices == ()
    assert [one.code for one in found.telemetry] == ["DATA003", "DATA007", "DATA001"]
    assert [one.code for one in SICK.diagnosis.alarms] == ["KL001"]


def test_the_exit_code_is_about_the_run_unless_asked_for_the_log():
    assert exit_code([LOG_ONLY]) == 0
    assert exit_code([LOG_ONLY], fail_on_telemetry=True) == 1
    assert exit_code([judged(finding("DATA001", "notice"))], fail_on_telemetry=True) == 0
    assert exit_code([SICK]) == 1


@pytest.mark.parametrize(
    ("judgements", "options", "code"),
    [
        ([], {}, 2),
        ([SICK], {"unread": True}, 2),
        ([replace(SICK, run=replace(SICK.run, partial=True))], {}, 1),
        ([replace(LOG_ONLY, run=replace(LOG_ONLY.run, partial=True))], {}, 2),
        ([judged(problems=("MY001 failed: boom",))], {}, 2),
        ([replace(LOG_ONLY, names=()), SICK], {}, 2),
    ],
    ids=[
        "nothing",
        "unread",
        "sick and partial",
        "partial",
        "a rule failed",
        "one without metrics",
    ],
)
def test_the_exit_code_says_what_could_not_be_checked(judgements, options, code):
    assert exit_code(judgements, **options) == code


def test_a_cause_in_the_log_that_made_the_run_sick_counts_with_what_it_led_to():
    story = finding("DATA005", "warning", finding("KL002"))

    assert not story.about_log
    assert exit_code([judged(story)]) == 1


def test_a_finding_about_the_log_does_not_make_a_notice_an_alarm():
    effect, cause = finding("DATA006", "warning", first=15), finding("NUM003", "notice")

    [story] = fold([effect, cause], rules(), Patient(make_run({"loss": [1.0] * 30})))

    assert story.code == "NUM003"
    assert not story.is_alarm


def test_text_has_a_section_of_its_own_and_counts_apart():
    shown = printed(SICK)

    assert shown.index("KL001 warning") < shown.index("about the log, not the run")
    assert shown.index("about the log, not the run") < shown.index("DATA003 warning")
    assert "1 warning, 1 about the log." in shown
    assert "nothing found, 3 about the log." in printed(LOG_ONLY)
    assert "DATA001" not in printed(LOG_ONLY)
    assert "DATA001" in printed(LOG_ONLY, verbose=True)


def test_json_has_a_list_of_its_own():
    [told] = as_json([SICK])["runs"]

    assert [(one["code"], one["about_log"]) for one in told["findings"]] == [("KL001", False)]
    assert [(one["code"], one["area"]) for one in told["telemetry"]] == [("DATA003", "telemetry")]


def test_builds_do_not_fail_for_the_log():
    levels = {r["ruleId"]: r["level"] for r in ci.sarif([LOG_ONLY])["runs"][0]["results"]}

    assert set(levels.values()) == {"note"}
    assert 'failures="0"' in ci.junit([LOG_ONLY])
    assert not any("::error" in line or "::warning" in line for line in ci.github([LOG_ONLY]))
    assert "about the log" in next(text.concise([LOG_ONLY]))


def test_markdown_and_notebooks_tell_it_apart():
    lines = "\n".join(ci.markdown([SICK]))
    drawn = html(SICK.diagnosis)

    assert lines.index("KL001") < lines.index("About the log, not the run") < lines.index("DATA003")
    assert drawn.index("KL001") < drawn.index("About the log, not the run") < drawn.index("DATA003")


def test_the_list_of_runs_counts_it_apart():
    counts = alarms_of(LOG_ONLY.diagnosis.findings)

    assert (counts.critical, counts.warning, counts.notice, counts.about_log) == (0, 0, 0, 3)
