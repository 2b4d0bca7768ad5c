"""Formats that build servers read: SARIF, JUnit XML, GitHub annotations; and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any
from xml.etree import ElementTree

from runvitals.model import Finding
from runvitals.reports.judged import Judged, all_findings

SARIF_LEVELS = {"critical": "error", "warning": "warning", "notice": "note"}
GITHUB_LEVELS = {"critical": "error", "warning": "warning", "notice": "notice"}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(judged: Sequence[Judged]) -> dict[str, Any]:
    """SARIF 2.1.0: a result per finding, located at the run's path and its steps."""
    results = []
    names: dict[str, str] = {}
    for one in judged:
        for finding in all_findings(one.diagnosis.findings):
            names[finding.code] = finding.name
            results.append(
                {
                    "ruleId": finding.code,
                    "level": SARIF_LEVELS[finding.severity],
                    "message": {"text": f"{finding.message} ({_steps(finding)})"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"uri": one.shown}}}],
                    "properties": {"series": finding.series, "firstStep": finding.span.first},
                }
            )
    rules = [{"id": code, "name": name} for code, name in sorted(names.items())]
    driver = {"name": "runvitals", "version": version("runvitals"), "rules": rules}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def junit(judged: Sequence[Judged]) -> str:
    """JUnit XML: a suite per run, a case per rule that ran or was skipped."""
    root = ElementTree.Element("testsuites", name="runvitals")
    for one in judged:
        found = one.diagnosis
        by_code: dict[str, list[Finding]] = {}
        for finding in all_findings(found.findings):
            by_code.setdefault(finding.code, []).append(finding)
        failed = {code for code, group in by_code.items() if any(f.is_alarm for f in group)}
        total = len(by_code) + len(found.clear) + len(found.not_checked)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=one.shown,
            tests=str(total),
            failures=str(len(failed)),
            skipped=str(len(found.not_checked)),
        )
        for code, group in sorted(by_code.items()):
            case = ElementTree.SubElement(suite, "testcase", classname=one.name, name=code)
            for finding in group:
                if finding.is_alarm:
                    message = f"{finding.severity}: {finding.message} ({_steps(finding)})"
                    ElementTree.SubElement(case, "failure", message=message).text = finding.advice
        for code in found.clear:
            ElementTree.SubElement(suite, "testcase", classname=one.name, name=code)
        for rule in found.not_checked:
            case = ElementTree.SubElement(suite, "testcase", classname=one.name, name=rule.code)
            ElementTree.SubElement(case, "skipped", message=rule.reason)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def github(judged: Sequence[Judged]) -> Iterator[str]:
    """Workflow commands that GitHub shows as annotations."""
    for one in judged:
        for finding in all_findings(one.diagnosis.findings):
            title = f"{finding.code} {finding.name}"
            text = _escape(f"{one.shown}: {finding.message} ({_steps(finding)})")
            yield f"::{GITHUB_LEVELS[finding.severity]} title={_escape(title)}::{text}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def markdown(judged: Sequence[Judged]) -> Iterator[str]:
    """For a pull request or a wiki."""
    for one in judged:
        found = one.diagnosis
        yield f"## {_cell(one.name)}\n"
        if one.nothing_to_judge is not None:
            yield f"**nothing to judge**: {_cell(one.nothing_to_judge)}\n"
            continue
        yield f"**{found.verdict.word}**: {_cell(found.verdict.reason)}\n"
        if found.findings:
            yield "| code | severity | what | steps | try |\n|---|---|---|---|---|"
            for finding in all_findings(found.findings):
                cells = (
                    finding.code,
                    finding.severity,
                    finding.message,
                    _steps(finding),
                    finding.advice,
                )
                yield f"| {' | '.join(map(_cell, cells))} |"
            yield ""
        ran = len(found.clear) + len({f.code for f in all_findings(found.findings)})
        yield f"{ran} rules ran, {len(found.not_checked)} not checked.\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _steps(finding: Finding) -> str:
    span = finding.span
    return (
        f"step {span.first:,}"
        if span.first == span.last
        else f"steps {span.first:,} to {span.last:,}"
    )
