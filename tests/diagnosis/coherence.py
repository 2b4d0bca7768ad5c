"""What has to hold for every judgement: its verdict, findings, vitals, report card and pages agree."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.verdict import NOT_ABOUT_LEARNING
from runvitals.model import Diagnosis, Finding, Run, all_findings
from runvitals.readers.discovery.files import Found
from runvitals.render import ci, text
from runvitals.render.json_ import as_json
from runvitals.render.judged import judged as kept_of
from runvitals.rules.outcome.health import stated_by
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.view.events.shelf import EventShelf
from runvitals.view.places import place_of
from runvitals.view.points.axis_series import AxisSeriesCache
from runvitals.view.run.detail import detail_of
from runvitals.view.run.kept import judgement_of
from runvitals.view.run.open_run import OpenRun
from runvitals.view.schemas.run import RunDetail

BAD = ("stalled", "not learning", "overfitting", "collapsed", "diverged")
GOOD = ("learning", "learned")
ENDINGS = ("END", "PERF006")  # findings that say how a run ended


@dataclass(frozen=True)
class Judged:
    """A run with what is said about it."""

    name: str
    run: Run
    found: Diagnosis

    @property
    def findings(self) -> list[Finding]:
        return list(all_findings(self.found.findings))

    @property
    def alarms(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.is_alarm]

    @property
    def word(self) -> str:
        return self.found.verdict.word

    @property
    def told(self) -> str:
        return f"{self.name}: {self.word}: {self.found.verdict.reason}"

    @cached_property
    def page(self) -> RunDetail:
        """What its page and its HTML report show."""
        place = place_of(Found(self.run.path or Path("nowhere"), ()), Path())
        series, events = AxisSeriesCache(self.run), EventShelf(self.run, place)
        opened = OpenRun(place.id, self.run, series, events, place, 0, place.stamp())
        return detail_of(opened, judgement_of(kept_of(self.run, self.found, self.name)))

    def printed(self) -> str:
        """What `check -v` prints."""
        console = Console(file=io.StringIO(), width=10_000, force_terminal=False)
        console.print(text.report(kept_of(self.run, self.found, self.name), verbose=True))
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()


def judged_by_rules(name: str, run: Run) -> Judged:
    """A run, judged."""
    return Judged(name, run, judge_by_rules(run, since_when=False))


def _of_json(findings: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Codes and severities, with those of consequences."""
    found = {(one["code"], one["severity"]) for one in findings if not one["about_log"]}
    return found.union(*(_of_json(one["follows"]) for one in findings))


class Coherence:
    """Tests for a module that has a fixture `judged`."""

    def test_no_rule_fails(self, judged: list[Judged]) -> None:
        assert [(one.name, one.found.problems) for one in judged if one.found.problems] == []

    def test_a_bad_word_has_a_finding_that_states_it(self, judged: list[Judged]) -> None:
        known, alone = rules(), []
        for one in (one for one in judged if one.word in BAD):
            patient = Patient(one.run)
            # or a finding whose rule has overruled the outcome
            stating = {stated_by(patient)}
            stating |= {f.code for f in one.findings if known[f.code].verdict == one.word}
            if not any(f.is_alarm and f.code in stating for f in one.findings):
                alone.append(one.told)

        assert alone == []

    def test_no_good_word_beside_an_alarm_about_learning(self, judged: list[Judged]) -> None:
        known = rules()

        assert [
            (one.told, f.code, f.message)
            for one in judged
            if one.word in GOOD
            for f in one.alarms
            if known[f.code].area not in NOT_ABOUT_LEARNING
        ] == []

    def test_a_chance_stands_only_beside_the_word_of_the_outcome(
        self, judged: list[Judged]
    ) -> None:
        assert [
            one.told
            for one in judged
            if one.found.verdict.chance is not None and one.word != Patient(one.run).health.word
        ] == []

    def test_a_run_ended_in_one_way(self, judged: list[Judged]) -> None:
        told = {
            one.name: [f.message for f in one.findings if f.code.startswith(ENDINGS)]
            for one in judged
        }

        assert {name: said for name, said in told.items() if len(said) > 1} == {}

    def test_the_grade_of_the_outcome_agrees_with_the_word(self, judged: list[Judged]) -> None:
        wrong = []
        for one in judged:
            marks = {grade.area: grade.mark for grade in one.found.verdict.grades}
            if one.word in BAD and marks.get("outcome") not in ("watch", "bad"):
                wrong.append(one.told)
            if one.word in GOOD and marks.get("outcome") == "bad":
                wrong.append(one.told)

        assert wrong == []

    def test_no_good_grade_beside_an_alarm_of_its_area(self, judged: list[Judged]) -> None:
        known, wrong = rules(), []
        for one in judged:
            marks = {grade.area: grade.mark for grade in one.found.verdict.grades}
            for finding in one.alarms:
                mark = marks[known[finding.code].area]
                wanted = ("bad",) if finding.severity == "critical" else ("bad", "watch")
                if mark not in wanted:
                    wrong.append((one.told, finding.code, finding.severity, mark))

        assert wrong == []

    def test_a_good_grade_has_a_check_that_ran(self, judged: list[Judged]) -> None:
        for one in judged:
            for grade in one.found.verdict.grades:
                assert grade.mark != "good" or not grade.reason.startswith("0 checks"), one.told

    def test_figures_of_the_verdict_are_of_the_series_it_names(self, judged: list[Judged]) -> None:
        for one in judged:
            outcome = one.found.verdict.outcome
            assert (
                outcome is None or one.word == "diverged" or outcome in one.found.verdict.reason
            ), one.told

    def test_no_vital_is_in_range_beside_an_alarm_or_outside_of_it(
        self, judged: list[Judged]
    ) -> None:
        """On the page, in the report and in JSON; MCP answers with the same records."""
        wrong = []
        for one in judged:
            alarmed = {finding.series for finding in one.alarms}
            alarmed |= {b.metric for name, b in one.run.bindings.items() if name in alarmed}
            for vital in as_json([kept_of(one.run, one.found, one.name)])["runs"][0]["vitals"]:
                if vital["state"] == "in range" and (
                    vital["name"] in alarmed or vital["place"] != "inside"
                ):
                    wrong.append((one.told, vital))
            for sign in one.page.vitals:
                if sign.state == "in range" and (
                    sign.place != "inside" or any(sign.name.endswith(name) for name in alarmed)
                ):
                    wrong.append((one.told, sign))

        assert wrong == []

    def test_every_format_says_the_same(self, judged: list[Judged]) -> None:
        wrong = []
        for one in judged:
            seen = kept_of(one.run, one.found, one.name)
            verdict = one.found.verdict
            grave = {(f.code, f.severity) for f in one.findings if not f.about_log}
            [plain] = as_json([seen])["runs"]
            page = one.page
            assert page.verdict is not None
            if {
                (plain["verdict"]["word"], plain["verdict"]["chance"]),
                (page.verdict.word, page.verdict.chance),
            } != {(verdict.word, verdict.chance)}:
                wrong.append((one.told, plain["verdict"], page.verdict))
            shown = {(f.code, f.severity) for f in all_findings(page.findings) if not f.about_log}
            if not grave == shown == _of_json([*plain["findings"], *plain["telemetry"]]):
                wrong.append((one.told, grave, shown))
            if seen.nothing_to_judge is None:
                told, marked = one.printed(), "\n".join(ci.markdown([seen]))
                if verdict.headline not in told or f"**{verdict.headline}**" not in marked:
                    wrong.append((one.told, told))
                wrong += [
                    (one.told, finding.code, finding.severity)
                    for finding in one.found.findings
                    if f"{finding.code} {finding.severity}" not in told
                ]
                wrong += [
                    (one.told, code, severity)
                    for code, severity in grave
                    if code not in told or f"| {code} | {severity} |" not in marked
                ]

        assert wrong == []
