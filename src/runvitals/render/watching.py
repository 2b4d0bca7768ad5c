"""The picture that `runvitals watch` draws: how far, how well, the vital numbers, what is wrong."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from runvitals.catalog import group_title
from runvitals.diagnosis.open_findings import TrackedFinding
from runvitals.model import Diagnosis, Finding, all_findings
from runvitals.model.formatting import ASCII, Signs, duration, number, short_names, sparkline
from runvitals.model.run import ENDED, with_code
from runvitals.model.text import terminal_safe
from runvitals.render import vital_table
from runvitals.render.judged import serious
from runvitals.render.panel import PanelLine
from runvitals.render.terminal import safe
from runvitals.render.text import COLOURS, data_warnings, finding_line, verdict_line
from runvitals.vitals import Vital

STATUS_COLOURS = {
    "running": "cyan",
    "finished": "green",
    "failed": "red",
    "crashed": "red",
    "killed": "yellow",
}
WIDE = 100
MAX_OPEN, MAX_CLOSED, MAX_WARNINGS = 5, 2, 3
MAX_NOTICES, MAX_OUT_OF_RANGE = 3, 3


@dataclass(frozen=True)
class WatchFrame:
    """All that one frame shows."""

    title: str
    status: str
    algorithm: str | None
    step: int | None
    total: int | None
    steps_per_second: float
    age: float  # seconds since something was logged
    lines: Sequence[PanelLine]
    diagnosis: Diagnosis | None
    open: Sequence[TrackedFinding]
    closed: Sequence[TrackedFinding]
    warnings: Sequence[str] = ()  # about the data
    vitals: Sequence[Vital] = ()  # all of them
    stopped_by: str | None = None  # the finding that ended the run
    exit_code: int | None = None


def frame(view: WatchFrame, width: int, signs: Signs) -> RenderableType:
    """The whole picture."""
    warnings = data_warnings(view.warnings, MAX_WARNINGS)
    parts: list[RenderableType] = [_head(view), *warnings, _progress(view), Text()]
    if view.stopped_by is not None:
        parts.insert(1, Text(f"stopped by {terminal_safe(view.stopped_by)}", style="yellow"))
    if view.diagnosis is None or not view.lines:
        parts.append(Text("waiting for the first metrics", style="dim"))
        return Group(*parts)
    parts += [verdict_line(view.diagnosis.verdict, "bold"), Text()]
    parts += [_table(view, width, signs), Text()]
    parts += list(_findings(view, signs))
    return Group(*parts)


def _head(view: WatchFrame) -> Table:
    line = Table.grid(expand=True, padding=(0, 2))
    line.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    line.add_column(justify="right", no_wrap=True)
    status = Text(with_code(view.status, view.exit_code), style=STATUS_COLOURS.get(view.status, ""))
    if view.algorithm:
        status.append(f"  {terminal_safe(view.algorithm)}", style="bold")
    if view.status not in ENDED and math.isfinite(view.age):
        status.append(f"  last row {_ago(view.age)} ago", style="dim")
    line.add_row(safe(view.title, "bold"), status)
    return line


def _progress(view: WatchFrame) -> Table:
    line = Table.grid(padding=(0, 2))
    cells: list[RenderableType] = [_step(view)]
    if view.total and view.step is not None:
        share = min(1.0, view.step / view.total)
        cells += [ProgressBar(total=1.0, completed=share, width=24), Text(f"{share:.0%}")]
    if math.isfinite(view.steps_per_second):
        cells.append(Text(f"{number(view.steps_per_second)} steps/s"))
        running = view.status not in ENDED and view.step is not None
        if view.total and running and view.step is not None and view.steps_per_second > 0:
            left = max(0, view.total - view.step) / view.steps_per_second
            cells.append(Text(f"{duration(left)} left"))
    line.add_row(*cells)
    return line


def _step(view: WatchFrame) -> Text:
    step = "no step yet" if view.step is None else f"step {view.step:,}"
    return Text(f"{step} of {view.total:,}" if view.total else step)


def _table(view: WatchFrame, width: int, signs: Signs) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    names = short_names([terminal_safe(line.name) for line in view.lines])
    longest = min(max(map(len, names)), 18 if width < WIDE else 30)
    spark = max(8, min(40, width - longest - 44))
    table.add_column("", min_width=10)
    table.add_column("", no_wrap=True, overflow="ellipsis", width=longest)
    table.add_column("last", no_wrap=True, justify="right", min_width=8)
    table.add_column("", no_wrap=True, width=spark)
    table.add_column("healthy", no_wrap=True, overflow="ellipsis", min_width=14)
    sick = {entry.finding.series: entry for entry in reversed(view.open)}
    above = ""
    for line, name in zip(view.lines, names, strict=True):
        group, above = ("" if line.group == above else line.group), line.group
        table.add_row(
            Text(group_title(group), style="bold"),
            Text(name),
            Text(number(line.last), style="bold" if math.isfinite(line.last) else "bold red"),
            Text(sparkline(line.values, spark, signs)),
            _mark(line, sick.get(line.name), signs),
        )
    return table


def _mark(line: PanelLine, entry: TrackedFinding | None, signs: Signs) -> Text:
    """The finding that points here, or else how it lies in its range."""
    usual = f" {line.range}" if line.range else ""
    if entry is not None:
        return Text.assemble((entry.finding.code, COLOURS[entry.finding.severity]), (usual, "dim"))
    vital = line.vital
    if vital is None or vital.side is None:
        return Text("")
    if vital.out_of_range:
        return Text.assemble((vital.side, COLOURS["notice"]), (usual, "dim"))
    if vital.side == "inside":
        return Text.assemble(("ok" if signs is ASCII else "✓", "green"), (usual, "dim"))
    return Text(f"{vital.side}{usual}", style="dim")


def _findings(view: WatchFrame, signs: Signs) -> Iterator[Text]:
    assert view.diagnosis is not None
    began = {(entry.finding.code, entry.finding.series): entry.opened for entry in view.open}
    alarms = view.diagnosis.alarms
    for finding in alarms[:MAX_OPEN]:
        opened = began.get((finding.code, finding.series))
        since = "" if opened is None else f" since step {opened:,}"
        led_to = f"; led to {' '.join(_effects(finding))}" if finding.follows else ""
        yield finding_line(finding, since=since, after=led_to)
    if len(alarms) > MAX_OPEN:
        yield Text(f"and {len(alarms) - MAX_OPEN} more", style="dim")
    notices = [notice for notice in view.diagnosis.notices if not notice.accepted]
    yield from map(finding_line, notices[:MAX_NOTICES])
    if len(notices) > MAX_NOTICES:
        more = len(notices) - MAX_NOTICES
        yield Text(f"and {more} more notice{'s' * (more > 1)}", style="dim")
    shown = (*alarms, *notices)
    for told in vital_table.lines(view.vitals, shown, view.diagnosis.verdict, MAX_OUT_OF_RANGE):
        yield Text.assemble(("out of range", COLOURS["notice"]), f": {terminal_safe(told)}")
    for entry in view.closed[:MAX_CLOSED]:
        yield Text(f"{_past(entry)}: {terminal_safe(entry.finding.message)}", style="dim")
    ran = len(view.diagnosis.clear) + len({f.code for f in view.diagnosis.findings})
    nothing = "" if shown else f"nothing found {signs.flat} "
    apart = len(serious(view.diagnosis.telemetry))
    about_log = f", {apart} about the log" if apart else ""
    skipped = len(view.diagnosis.not_checked)
    yield Text(f"{nothing}{ran} rules ran, {skipped} not checked{about_log}", style="dim")
    if (file := view.diagnosis.settings_file) is not None:
        yield Text(f"settings: {terminal_safe(file)}", style="dim")


def _effects(finding: Finding) -> Iterator[str]:
    codes = dict.fromkeys(one.code for one in all_findings(finding.follows))
    yield from (code for code in codes if code != finding.code)


def _past(entry: TrackedFinding) -> str:
    return f"{entry.finding.code} closed, steps {entry.opened:,} to {entry.closed or 0:,}"


def line(view: WatchFrame) -> str:
    """One frame as one line, for logs and pipes."""
    step = "no step yet" if view.step is None else f"step {view.step:,}"
    names = short_names([terminal_safe(one.name) for one in view.lines[:5]])
    numbers = (f"{n} {number(v.last)}" for n, v in zip(names, view.lines, strict=False))
    word = "" if view.diagnosis is None else view.diagnosis.verdict.word
    pace = f"{number(view.steps_per_second)} steps/s" if view.steps_per_second > 0 else ""
    return "  ".join(part for part in (step, word, *numbers, pace) if part)


def event(entry: TrackedFinding) -> str:
    """A finding that opened or closed, as one line."""
    if entry.closed is not None:
        return f"{_past(entry)}: {terminal_safe(entry.finding.message)}"
    finding = entry.finding
    message = terminal_safe(finding.message)
    return f"{finding.code} {finding.severity} since step {entry.opened:,}: {message}"


def _ago(seconds: float) -> str:
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"
