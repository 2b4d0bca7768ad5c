"""One finding for people: what, where, a picture of it, likely causes, what to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from runvitals.model import Finding, OutcomeLevels, Series, all_findings
from runvitals.model.formatting import number, signs_for, sparkline
from runvitals.model.terminal_safe import terminal_safe
from runvitals.render.judged import Judged

COLOURS = {"critical": "bold red", "warning": "yellow", "notice": "cyan"}
NARROWEST, WIDEST = 12, 40  # of a sparkline


@dataclass(frozen=True)
class FindingText:
    """A finding of a run, drawn for the width and the characters of the terminal it meets."""

    finding: Finding
    of: Judged

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, the last one blank."""
        finding = self.finding
        yield Text.assemble(
            (finding.code, "bold"),
            " ",
            (finding.severity, COLOURS[finding.severity]),
            f": {terminal_safe(finding.message)}",
        )
        yield _hanging("  --> ", Text(f"{terminal_safe(self.of.shown)}  {steps(finding)}"))
        evidence = self.of.evidence.get(finding.series)
        if evidence is not None and len(evidence.series) > 1:
            yield Text("   |")
            yield from _picture(finding, evidence.series, options.max_width, console.encoding)
            yield Text("   |")
        if finding.limit is not None:
            yield _remark(f"limit: {number(finding.limit.value)}, {finding.limit.source}")
        for line in _remarks(finding, self.of):
            yield _remark(line)
        yield Text()


@dataclass(frozen=True)
class Briefly:
    """A notice in two lines: what and where, and what to try."""

    finding: Finding

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, without a blank one."""
        del console, options
        finding = self.finding
        yield Text.assemble(
            (finding.code, "bold"),
            " ",
            (finding.severity, COLOURS[finding.severity]),
            f": {terminal_safe(finding.message)}",
            (f"  ({steps(finding)})", "dim"),
        )
        if finding.advice:
            yield _remark(f"try: {finding.advice}")


def steps(finding: Finding) -> str:
    """Where it is, in words."""
    first, last = finding.span.first, finding.span.last
    return f"step {first:,}" if first == last else f"steps {first:,} to {last:,}"


def levels_text(levels: OutcomeLevels) -> str:
    """`start 0.2, best 0.97, now 0.95`, to as many digits as the verdict's sentence has."""
    return f"start {levels.start:.4g}, best {levels.best:.4g}, now {levels.now:.4g}"


def _remark(line: str) -> RenderableType:
    word, colon, rest = terminal_safe(line).partition(":")
    return _hanging("   = ", Text.assemble((word + colon, "dim"), rest))


def _hanging(sign: str, text: Text) -> RenderableType:
    """Further lines begin below the text, not below the sign."""
    line = Table.grid(padding=0)
    line.add_column(no_wrap=True, width=len(sign))
    line.add_column(overflow="fold")
    line.add_row(Text(sign, style="dim"), text)
    return line


def _picture(finding: Finding, series: Series, room: int, encoding: str) -> Iterator[Text]:
    name = terminal_safe(series.name)
    finite = series.finite()
    peak = ""
    if len(finite):
        top = int(np.argmax(np.abs(finite.values)))
        peak = f"  extreme {number(float(finite.values[top]))} at {int(finite.steps[top]):,}"
    free = room - len(name) - len(peak) - 8
    width = min(max(NARROWEST, free), WIDEST, len(series))
    line = sparkline(series.values, width, signs_for(encoding))
    yield Text(f"   | {name}  {line}{peak}", no_wrap=True, overflow="ellipsis")
    first = int(np.searchsorted(series.steps, finding.span.first, side="left"))
    last = int(np.searchsorted(series.steps, finding.span.last, side="right"))
    a = min(width - 1, width * first // max(1, len(series)))
    b = max(a + 1, min(width, -(-width * last // max(1, len(series)))))
    marks = Text(f"   | {' ' * len(name)}  {' ' * a}", no_wrap=True, overflow="ellipsis")
    yield marks.append("^" * (b - a), style=COLOURS[finding.severity])


def _remarks(finding: Finding, one: Judged) -> Iterator[str]:
    evidence = one.evidence.get(finding.series)
    if evidence is not None and evidence.metric not in (None, finding.series):
        tool = f" ({evidence.tool})" if evidence.tool else ""
        yield f"logged as: {finding.series}{tool}, which is {evidence.metric}"
    if finding.first_seen is not None and one.last_step and finding.first_seen < one.last_step:
        lead = f", {finding.lead:,} steps before the outcome fell" if finding.lead else ""
        yield f"detectable from step {finding.first_seen:,}{lead}"
    for effect in all_findings(finding.follows):
        yield f"led to {effect.code}: {effect.message} (from step {effect.span.first:,})"
    for quote in finding.quotes:
        yield f"written at {quote.text}"
    if finding.causes:
        yield f"likely: {'; '.join(finding.causes)}"
    if finding.advice:
        yield f"try: {finding.advice}"
    yield f"more: runvitals rule {finding.code}"
