"""What `runvitals check` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runvitals.exporters.formatting import number, sparkline
from runvitals.model import Finding, Series
from runvitals.reports.judged import Judged

COLOURS = {"critical": "bold red", "warning": "yellow", "notice": "cyan"}
VERDICT_COLOURS = {
    "learning": "green",
    "learned": "green",
    "stalled": "yellow",
    "not learning": "red",
    "collapsed": "bold red",
    "diverged": "bold red",
}
MARKS = {"good": "green", "watch": "yellow", "bad": "red", "not checked": "dim"}
WIDTH = 40  # of a sparkline


def plain(text: str) -> str:
    """Without characters that would steer a terminal: a log may hold anything."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def report(one: Judged, *, verbose: bool = False) -> RenderableType:
    """Verdict, findings, and what was not checked."""
    shown = one.diagnosis.findings if verbose else one.diagnosis.alarms
    parts: list[RenderableType] = [_headline(one), Text(), *_told(shown, one)]
    if verbose:
        parts += [_card(one), Text()]
    parts.append(_counts(one, verbose=verbose))
    if verbose:
        parts += _not_checked(one)
    parts += [Text(f"problem: {plain(problem)}", style="red") for problem in one.diagnosis.problems]
    return Group(*parts)


def findings(some: Sequence[Finding], one: Judged) -> RenderableType:
    """Some findings of a run, each with its evidence, causes and advice."""
    return Group(*_told(some, one))


def _told(some: Sequence[Finding], one: Judged) -> Iterator[Text]:
    for finding in some:
        yield from _finding(finding, one)
        yield Text()


def _headline(one: Judged) -> Text:
    verdict = one.diagnosis.verdict
    colour = VERDICT_COLOURS.get(verdict.word, "dim")
    return Text.assemble((verdict.word, colour), (f": {plain(verdict.reason)}", ""))


def _finding(finding: Finding, one: Judged) -> Iterator[Text]:
    yield Text.assemble(
        (finding.code, "bold"),
        " ",
        (finding.severity, COLOURS[finding.severity]),
        f": {plain(finding.message)}",
    )
    span = finding.span
    where = (
        f"step {span.first:,}"
        if span.first == span.last
        else f"steps {span.first:,} to {span.last:,}"
    )
    yield Text(f"  --> {plain(one.shown)}  {where}")
    evidence = one.evidence.get(finding.series)
    if evidence is not None and len(evidence.series) > 1:
        yield Text("   |")
        yield from _picture(finding, evidence.series)
        yield Text("   |")
    for line in _remarks(finding, one):
        yield Text(f"   = {plain(line)}")


def _picture(finding: Finding, series: Series) -> Iterator[Text]:
    width = min(WIDTH, len(series))
    line = sparkline(series.values, width)
    name = plain(series.name)
    finite = series.finite()
    peak = ""
    if len(finite):
        top = int(np.argmax(np.abs(finite.values)))
        peak = f"  extreme {number(float(finite.values[top]))} at {int(finite.steps[top]):,}"
    yield Text(f"   | {name}  {line}{peak}")
    first = int(np.searchsorted(series.steps, finding.span.first, side="left"))
    last = int(np.searchsorted(series.steps, finding.span.last, side="right"))
    a = min(width - 1, width * first // max(1, len(series)))
    b = max(a + 1, min(width, -(-width * last // max(1, len(series)))))
    marks = " " * a + "^" * (b - a) + " " * (width - b)
    limit = (
        ""
        if finding.limit is None
        else f"  limit {number(finding.limit.value)}: {finding.limit.source}"
    )
    yield Text(f"   | {' ' * len(name)}  {marks}{limit}")


def _remarks(finding: Finding, one: Judged) -> Iterator[str]:
    evidence = one.evidence.get(finding.series)
    if evidence is not None and evidence.metric not in (None, finding.series):
        tool = f" ({evidence.tool})" if evidence.tool else ""
        yield f"logged as: {finding.series}{tool}, which is {evidence.metric}"
    if finding.first_seen is not None and one.last_step and finding.first_seen < one.last_step:
        lead = f", {finding.lead:,} steps before the outcome fell" if finding.lead else ""
        yield f"visible from step {finding.first_seen:,} on{lead}"
    for effect in finding.follows:
        yield f"led to {effect.code}: {effect.message} (from step {effect.span.first:,})"
    if finding.causes:
        yield f"likely: {'; '.join(finding.causes)}"
    if finding.advice:
        yield f"try: {finding.advice}"
    yield f"more: runvitals rule {finding.code}"


def _card(one: Judged) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for grade in one.diagnosis.verdict.grades:
        table.add_row(
            grade.area, Text(grade.mark, style=MARKS[grade.mark]), Text(plain(grade.reason))
        )
    return table


def _counts(one: Judged, *, verbose: bool) -> Text:
    found = one.diagnosis
    alarms = [f for f in found.findings if f.is_alarm]
    counted = [
        f"{count} {word if count == 1 else plural}"
        for word, plural, count in (
            ("critical", "critical", sum(f.severity == "critical" for f in alarms)),
            ("warning", "warnings", sum(f.severity == "warning" for f in alarms)),
            ("notice", "notices", len(found.findings) - len(alarms)),
        )
        if count
    ]
    ran = len(found.clear) + len({f.code for f in found.findings})
    hint = "" if verbose else " (-v lists them)"
    line = ", ".join(counted) if counted else "nothing found"
    skipped = f"; {len(found.not_checked)} not checked{hint}" if found.not_checked else ""
    return Text(f"{line}. {ran} rules ran{skipped}.")


def _not_checked(one: Judged) -> list[RenderableType]:
    reasons: dict[str, list[str]] = {}
    for rule in one.diagnosis.not_checked:
        reasons.setdefault(rule.reason, []).append(rule.code)
    return [Text(f"not checked, {reason}: {' '.join(codes)}") for reason, codes in reasons.items()]


def concise(judged: Sequence[Judged]) -> Iterator[str]:
    """One line per finding, for grep and editors."""
    for one in judged:
        for finding in one.diagnosis.findings:
            steps = f"{finding.span.first}-{finding.span.last}"
            yield plain(
                f"{one.shown}:{steps}: {finding.code} {finding.severity} {finding.series}: "
                f"{finding.message}"
            )


def summary(judged: Sequence[Judged]) -> Table:
    """Many runs, a line each."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("run", "verdict", "critical", "warnings", "first finding"):
        table.add_column(title, overflow="fold" if title == "first finding" else "ellipsis")
    for one in judged:
        alarms = one.diagnosis.alarms
        word = one.diagnosis.verdict.word
        first = f"{alarms[0].code} {alarms[0].message}" if alarms else ""
        table.add_row(
            Text(plain(one.shown)),
            Text(word, style=VERDICT_COLOURS.get(word, "dim")),
            str(sum(f.severity == "critical" for f in alarms) or ""),
            str(sum(f.severity == "warning" for f in alarms) or ""),
            Text(plain(first)),
        )
    return table
