"""Formats that build servers read: SARIF, JUnit XML, GitHub annotations; and Markdown.

Names of runs and metrics come from folders and logs of anybody: each format gets them in a form that
is nothing but text to it. `problems` are logs that could not be read: a build server that looks at
nothing but the file has to see them too.
"""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from runvitals.model import SEVERITIES, Finding, Severity, all_findings
from runvitals.model.text import terminal_safe
from runvitals.render.judged import Judged

SARIF_LEVELS = {"critical": "error", "warning": "warning", "notice": "note"}
GITHUB_LEVELS = {"critical": "error", "warning": "warning", "notice": "notice"}
MAX_ANNOTATIONS = 10  # GitHub shows ten of each kind for a step of a workflow
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# what XML 1.0 cannot hold, in no way of writing
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_\[\]|~])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}


def sarif(judged: Sequence[Judged], problems: Sequence[str] = ()) -> dict[str, Any]:
    """SARIF 2.1.0: a result per finding, located at the run's path and its steps."""
    results = []
    names: dict[str, str] = {}
    for one in judged:
        for finding in one.diagnosis.all_findings:
            names[finding.code] = finding.name
            results.append(
                {
                    "ruleId": finding.code,
                    "level": SARIF_LEVELS[_level(finding)],
                    "message": {"text": terminal_safe(f"{finding.message} ({_steps(finding)})")},
                    "locations": [_location(one)],
                    "properties": {
                        "series": terminal_safe(finding.series),
                        "firstStep": finding.span.first,
                    },
                }
            )
    notes: list[dict[str, Any]] = [
        {"level": "error", "message": {"text": terminal_safe(" ".join(problem.split()))}}
        for problem in problems
    ]
    notes += [
        {
            "level": "warning",
            "message": {"text": terminal_safe(warning)},
            "locations": [_location(one)],
        }
        for one in judged
        for warning in one.warnings
    ]
    rules = [{"id": code, "name": name} for code, name in sorted(names.items())]
    driver = {"name": "runvitals", "version": version("runvitals"), "rules": rules}
    invocation = {"executionSuccessful": not problems, "toolExecutionNotifications": notes}
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "invocations": [invocation], "results": results}],
    }


def _location(one: Judged) -> dict[str, Any]:
    path = one.shown.encode("utf-8", "replace")
    return {"physicalLocation": {"artifactLocation": {"uri": quote(path, safe="/")}}}


def junit(judged: Sequence[Judged], problems: Sequence[str] = ()) -> str:
    """JUnit XML: a suite per run, a case per rule that ran or was skipped."""
    root = ElementTree.Element("testsuites", name="runvitals")
    if problems:
        count = str(len(problems))
        unread = ElementTree.SubElement(
            root, "testsuite", name="logs", tests=count, failures="0", errors=count, skipped="0"
        )
        for problem in problems:
            case = ElementTree.SubElement(unread, "testcase", classname="logs", name="can be read")
            ElementTree.SubElement(
                case, "error", message=_xml(terminal_safe(" ".join(problem.split())))
            )
    for one in judged:
        found, of = one.diagnosis, _xml(one.run.name)
        by_code: dict[str, list[Finding]] = {}
        for finding in found.all_findings:
            by_code.setdefault(finding.code, []).append(finding)
        failed = {code for code, group in by_code.items() if any(f.is_alarm for f in group)}
        total = len(by_code) + len(found.clear) + len(found.not_checked)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_xml(one.shown),
            tests=str(total),
            failures=str(len(failed)),
            skipped=str(len(found.not_checked)),
        )
        for code, group in sorted(by_code.items()):
            case = ElementTree.SubElement(suite, "testcase", classname=of, name=code)
            for finding in group:
                if finding.is_alarm:
                    text = f"{finding.severity}: {finding.message} ({_steps(finding)})"
                    failure = ElementTree.SubElement(case, "failure", message=_xml(text))
                    failure.text = _xml(finding.advice)
        for code in found.clear:
            ElementTree.SubElement(suite, "testcase", classname=of, name=code)
        for rule in found.not_checked:
            case = ElementTree.SubElement(suite, "testcase", classname=of, name=rule.code)
            ElementTree.SubElement(case, "skipped", message=_xml(rule.reason))
        if one.warnings:
            told = ElementTree.SubElement(suite, "system-err")
            told.text = "\n".join(
                f"warning: {_xml(terminal_safe(warning))}" for warning in one.warnings
            )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _xml(text: str) -> str:
    """What XML can hold; the library escapes the rest.

    >>> _xml("bell\\a & co") == "bell\\N{REPLACEMENT CHARACTER} & co"
    True
    """
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def github(judged: Sequence[Judged], problems: Sequence[str] = ()) -> Iterator[str]:
    """Workflow commands that GitHub shows as annotations: causes, the worst first, then the rest."""
    for problem in problems:
        yield f"::error title=data::{_data(problem)}"
    for one in judged:
        for warning in one.warnings:
            yield f"::warning title=data::{_data(f'{one.shown}: {warning}')}"
    causes = [(one, finding) for one in judged for finding in one.diagnosis.findings]
    causes.sort(key=lambda cause: SEVERITIES.index(_level(cause[1])))
    for one, finding in causes[:MAX_ANNOTATIONS]:
        title = _property(f"{finding.code} {finding.name}")
        effects = dict.fromkeys(effect.code for effect in all_findings(finding.follows))
        led_to = f"; led to {', '.join(effects)}" if effects else ""
        text = _data(f"{one.shown}: {finding.message} ({_steps(finding)}){led_to}")
        yield f"::{GITHUB_LEVELS[_level(finding)]} title={title}::{text}"
    if len(causes) > MAX_ANNOTATIONS:
        more = len(causes) - MAX_ANNOTATIONS
        count = "1 more finding" if more == 1 else f"{more} more findings"
        yield f"::notice title=runvitals::{count}; `runvitals check` prints all of them"


def _level(finding: Finding) -> Severity:
    """How loud a finding is for a build: one about the log is only worth knowing."""
    return "notice" if finding.about_log else finding.severity


def _data(text: str) -> str:
    """What stands behind the second `::` of a workflow command.

    >>> _data("100%\\n::error::no")
    '100%25%0A::error::no'
    """
    return terminal_safe(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(judged: Sequence[Judged], problems: Sequence[str] = ()) -> Iterator[str]:
    """For a pull request or a wiki."""
    for problem in problems:
        yield f"**not judged**: {markdown_text(' '.join(problem.split()))}\n"
    for one in judged:
        found = one.diagnosis
        yield f"## {markdown_text(one.run.name)}\n"
        for warning in one.warnings:
            yield f"- warning: {markdown_text(warning)}"
        if one.warnings:
            yield ""
        if one.nothing_to_judge is not None:
            yield f"**nothing to judge**: {markdown_text(one.nothing_to_judge)}\n"
            continue
        yield f"**{found.verdict.headline}**: {markdown_text(found.verdict.reason)}\n"
        yield from _table((*found.alarms, *found.notices))
        if found.telemetry:
            yield "About the log, not the run:\n"
            yield from _table(found.telemetry)
        ran = len(found.clear) + len({f.code for f in found.all_findings})
        by = (
            ""
            if found.settings_file is None
            else f" Settings: {markdown_text(found.settings_file)}"
        )
        yield f"{ran} rules ran, {len(found.not_checked)} not checked.{by}\n"


def _table(findings: tuple[Finding, ...]) -> Iterator[str]:
    if not findings:
        return
    yield "| code | severity | what | steps | try |\n|---|---|---|---|---|"
    for one in all_findings(findings):
        cells = (one.code, one.severity, one.message, _steps(one), one.advice)
        yield f"| {' | '.join(map(markdown_text, cells))} |"
    yield ""


def markdown_text(text: str) -> str:
    """Text that Markdown takes for nothing else: no link, no mention, no HTML, no end of a cell.

    >>> markdown_text("a|b <i> [x](y) @me")
    'a\\\\|b &lt;i&gt; \\\\[x\\\\](y) &#64;me'
    """
    escaped = "".join(_ENTITIES.get(c, c) for c in terminal_safe(text))
    return _MARKDOWN.sub(r"\\\1", escaped)


def _steps(finding: Finding) -> str:
    span = finding.span
    return (
        f"step {span.first:,}"
        if span.first == span.last
        else f"steps {span.first:,} to {span.last:,}"
    )
