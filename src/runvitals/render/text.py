"""What `runvitals check` prints for people."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from runvitals.model import Finding, OutcomeLevels, Series, Verdict, all_findings
from runvitals.model.formatting import number, signs_for, sparkline
from runvitals.model.text import terminal_safe
from runvitals.render import vital_table
from runvitals.render.judged import Judged, serious
from runvitals.render.terminal import safe
from runvitals.render.vital_table import vitals_table

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
        yield finding_line(finding)
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
        yield finding_line(finding, after=f"  ({steps(finding)})")
        if finding.advice:
            yield _remark(f"try: {finding.advice}")


def finding_line(finding: Finding, *, since: str = "", after: str = "") -> Text:
    """Code, severity and message of a finding, with what is said dimly before and after it."""
    return Text.assemble(
        (finding.code, "bold"),
        " ",
        (finding.severity, COLOURS[finding.severity]),
        (since, "dim"),
        f": {terminal_safe(finding.message)}",
        (after, "dim"),
    )


def verdict_line(verdict: Verdict, style: str = "") -> Text:
    """The word of a verdict in its colour, and the reason."""
    colour = VERDICT_COLOURS.get(verdict.word, "dim")
    reason = terminal_safe(verdict.reason)
    return Text.assemble((verdict.headline, f"{style} {colour}".strip()), f": {reason}")


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
    if evidence is not None and finding.metric not in (None, finding.series):
        tool = f" ({evidence.tool})" if evidence.tool else ""
        yield f"logged as: {finding.series}{tool}, which is {finding.metric}"
    if (
        finding.first_seen is not None
        and one.run.last_step
        and finding.first_seen < one.run.last_step
    ):
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


VERDICT_COLOURS = {
    "learning": "green",
    "learned": "green",
    "stalled": "yellow",
    "overfitting": "yellow",
    "not learning": "red",
    "collapsed": "bold red",
    "diverged": "bold red",
}
ABOUT_LOG = "about the log, not the run"
MAX_NAMES = 5  # that were not understood
MAX_WARNINGS = 5
MAX_OUT_OF_RANGE = 6  # vitals
FIXED = 17 + 4 + 4 + 9  # columns of the summary beside names and findings
MARKS = {"good": "green", "watch": "yellow", "bad": "red", "not checked": "dim"}


def report(one: Judged, *, verbose: bool = False) -> RenderableType:
    """Verdict, findings, and what was not checked."""
    warnings = list(data_warnings(one.warnings, None if verbose else MAX_WARNINGS))
    if (why := one.nothing_to_judge) is not None:
        nothing = Text(f"nothing to judge: {terminal_safe(why)}")
        return Group(*warnings, nothing, *_settings(one), *_not_understood(one), *_problems(one))
    found = one.diagnosis
    signs = tuple(notice for notice in found.notices if verbose or not notice.accepted)
    parts: list[RenderableType] = [*warnings, verdict_line(found.verdict), Text()]
    parts += [FindingText(finding, one) for finding in found.alarms]
    if verbose:
        parts += [FindingText(finding, one) for finding in signs]
    elif signs:
        parts += [*map(Briefly, signs), Text()]
    parts += _out_of_range(one, (*found.alarms, *signs), None if verbose else MAX_OUT_OF_RANGE)
    if about_log := found.telemetry if verbose else serious(found.telemetry):
        parts += [
            Text(ABOUT_LOG, style="bold"),
            *(FindingText(finding, one) for finding in about_log),
        ]
    if verbose:
        parts += [*_levels(one), *vitals_table(one.vitals), _card(one), Text()]
    parts.append(_counts(one, verbose=verbose))
    parts += [*_settings(one), *_not_understood(one)]
    if verbose:
        parts += _not_checked(one)
    return Group(*parts, *_problems(one))


def _not_understood(one: Judged) -> list[Text]:
    """One line about names that mention a loss or an outcome and were not understood."""
    names = sorted(one.not_understood, key=len)  # the plainest first
    if not names:
        return []
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    hint = f"runvitals names {shlex.quote(one.shown)} shows more; --map NAME=METRIC binds them"
    return [safe(f"not understood: {', '.join(names[:MAX_NAMES])}{more} ({hint})")]


def data_warnings(warnings: Sequence[str], most: int | None) -> Iterator[Text]:
    """What the recorder and the reader said about the data, before anything is said about the run."""
    shown = warnings[:most]
    for warning in shown:
        yield Text.assemble(("warning", "yellow"), f": {terminal_safe(' '.join(warning.split()))}")
    if len(warnings) > len(shown):
        yield Text(f"{len(warnings) - len(shown)} more warnings (-v lists them)", style="yellow")


def _problems(one: Judged) -> list[Text]:
    return [
        Text(f"problem: {terminal_safe(problem)}", style="red")
        for problem in one.diagnosis.problems
    ]


def _out_of_range(one: Judged, shown: Sequence[Finding], most: int | None) -> list[Text]:
    """A line for each vital that is out of its range, and of which no finding speaks."""
    told = list(vital_table.lines(one.vitals, shown, one.diagnosis.verdict, most))
    if not told:
        return []
    heading = Text("out of range", style="bold")
    return [heading, *(Text(f"  {terminal_safe(line)}") for line in told), Text()]


def _levels(one: Judged) -> list[Text]:
    verdict = one.diagnosis.verdict
    if verdict.levels is None:
        return []
    return [safe(f"{verdict.outcome}: {levels_text(verdict.levels)}"), Text()]


def _card(one: Judged) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for grade in one.diagnosis.verdict.grades:
        table.add_row(grade.area, Text(grade.mark, style=MARKS[grade.mark]), safe(grade.reason))
    return table


def _counts(one: Judged, *, verbose: bool) -> Text:
    found = one.diagnosis
    alarms = found.alarms
    counted = [
        f"{count} {word if count == 1 else plural}"
        for word, plural, count in (
            ("critical", "critical", sum(f.severity == "critical" for f in alarms)),
            ("warning", "warnings", sum(f.severity == "warning" for f in alarms)),
            ("notice", "notices", len(found.notices)),
        )
        if count
    ]
    if found.telemetry:
        counted = [*(counted or ["nothing found"]), f"{len(found.telemetry)} about the log"]
    ran = len(found.clear) + len({f.code for f in found.findings})
    hint = "" if verbose else " (-v lists them)"
    line = ", ".join(counted) if counted else "nothing found"
    skipped = f"; {len(found.not_checked)} not checked{hint}" if found.not_checked else ""
    return Text(f"{line}. {ran} rules ran{skipped}.")


def _settings(one: Judged) -> list[Text]:
    """Which settings the rules went by, if the user has any."""
    file = one.diagnosis.settings_file
    return [] if file is None else [Text(f"settings: {terminal_safe(file)}")]


def _not_checked(one: Judged) -> list[RenderableType]:
    reasons: dict[str, list[str]] = {}
    for rule in one.diagnosis.not_checked:
        reasons.setdefault(rule.reason, []).append(rule.code)
    return [safe(f"not checked, {reason}: {' '.join(codes)}") for reason, codes in reasons.items()]


def concise(judged: Sequence[Judged]) -> Iterator[str]:
    """One line per finding, for grep and editors."""
    for one in judged:
        for warning in one.warnings:
            yield terminal_safe(f"{one.shown}: warning: {warning}")
        for finding in one.diagnosis.findings:
            steps = f"{finding.span.first}-{finding.span.last}"
            kind = f"{finding.severity} about the log" if finding.about_log else finding.severity
            yield terminal_safe(
                f"{one.shown}:{steps}: {finding.code} {kind} {finding.series}: {finding.message}"
            )


@dataclass(frozen=True)
class SummaryTable:
    """Many runs, a line each, and how many there are of each verdict."""

    judged: Sequence[Judged]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table leaves half of the free width to the names of the runs, if they need it."""
        above = common_folder([one.shown for one in self.judged])
        names = [one.shown.removeprefix(above) for one in self.judged]
        free = options.max_width - FIXED
        title = f"run below {above}" if above else "run"
        name = min(max(map(len, (title, *names))), max(20, 3 * free // 5))
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(safe(title), overflow="fold", width=name)
        table.add_column("verdict", no_wrap=True)
        table.add_column("crit", justify="right", no_wrap=True)
        table.add_column("warn", justify="right", no_wrap=True)
        table.add_column("first finding", no_wrap=True, overflow="ellipsis", width=free - name)
        for one, shown in zip(self.judged, names, strict=True):
            table.add_row(safe(shown), *_summary_row(one))
        yield table
        yield Text()
        words = Counter(map(_word, self.judged))
        verdicts = ", ".join(f"{count} {word}" for word, count in words.most_common())
        alarmed = sum(bool(one.diagnosis.alarms) for one in self.judged)
        files = dict.fromkeys(filter(None, (one.diagnosis.settings_file for one in self.judged)))
        yield Text(f"{len(self.judged)} runs: {verdicts}. {alarmed} with findings.")
        for file in files:
            yield Text(f"settings: {terminal_safe(file)}")
        for one in self.judged:
            if one.run.partial:
                yield Text(
                    f"{terminal_safe(one.shown)}: parts of the data are missing", style="yellow"
                )


def common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths begin with, with a slash at its end; empty if there is none.

    >>> common_folder(["runs/a/one", "runs/b"]), common_folder(["one", "/two"])
    ('runs/', '')
    """
    folders = [path.split("/")[:-1] for path in paths]
    levels = zip(*folders, strict=False)
    shared = [names[0] for names in takewhile(lambda names: len(set(names)) == 1, levels)]
    return "/".join(shared) + "/" if shared else ""


def _word(one: Judged) -> str:
    word = one.diagnosis.verdict.word if one.nothing_to_judge is None else "nothing to judge"
    return f"{word}, partial" if one.run.partial else word


def _summary_row(one: Judged) -> Iterator[Text]:
    alarms, word = one.diagnosis.alarms, _word(one)
    yield Text(word, style=VERDICT_COLOURS.get(one.diagnosis.verdict.word, "dim"))
    for severity in ("critical", "warning"):
        yield Text(str(sum(finding.severity == severity for finding in alarms) or ""))
    yield Text(terminal_safe(f"{alarms[0].code} {alarms[0].message}") if alarms else "")
