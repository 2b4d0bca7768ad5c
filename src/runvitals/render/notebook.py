"""A run or a diagnosis as static HTML: for notebooks, and for readers that run no scripts.

No script and no style sheet, since notebooks strip them; colours that read well on light and dark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape

import numpy as np

from runvitals.diagnosis.judge import Settings, judge, settings_for
from runvitals.model import (
    ConfigError,
    Diagnosis,
    Finding,
    FloatArray,
    IntArray,
    Run,
    Series,
    Verdict,
    all_findings,
)
from runvitals.model.formatting import number
from runvitals.model.run import with_code
from runvitals.model.text import terminal_safe
from runvitals.readers.open import open_run
from runvitals.recorder.live import LiveRun
from runvitals.render.judged import judged
from runvitals.render.panel import PanelLine, panel
from runvitals.render.text import levels_text, steps

GOOD, WATCH, BAD, NOTE = "#2f8f5b", "#b97a1a", "#d8483c", "#4d86c6"
SEVERITIES = {"critical": BAD, "warning": WATCH, "notice": NOTE}
MARKS = {"good": ("✓", GOOD), "watch": ("▲", WATCH), "bad": ("■", BAD)}
WORDS = {
    "learning": GOOD,
    "learned": GOOD,
    "stalled": WATCH,
    "overfitting": WATCH,
    "not learning": BAD,
    "collapsed": BAD,
    "diverged": BAD,
}
ROWS = 8  # curves
MAX_FINDINGS = 12
MAX_LENGTH = 400  # characters of a text
FRAME = "max-width:60em;padding:.4em 0;line-height:1.45;text-align:left"
QUIET = "opacity:.72"
TABLE = (
    "border-collapse:collapse;margin:.4em 0;font:inherit;font-variant-numeric:tabular-nums;"
    "color:inherit"
)


def html(thing: object) -> str:
    """A run, also one that is being recorded, a diagnosis or a verdict, drawn."""
    if isinstance(thing, LiveRun):
        thing.flush()
        return run_html(open_run(thing.folder))
    if isinstance(thing, Run):
        return run_html(thing)
    if isinstance(thing, Diagnosis):
        return _framed([*_verdict(thing.verdict), *_findings_html(thing)])
    if isinstance(thing, Verdict):
        return _framed(_verdict(thing))
    raise TypeError(f"{type(thing).__name__} is nothing that can be drawn")


def run_html(run: Run, diagnosis: Diagnosis | None = None) -> str:
    """A run with its verdict, judged here and now unless it was."""
    found = _judged_here(run) if diagnosis is None else diagnosis
    parts = [_heading(run)]
    nothing = judged(run, found, "").nothing_to_judge
    if nothing is not None:
        parts.append(f'<div style="{QUIET}">Nothing to judge: {_text(nothing)}</div>')
        return _framed([*parts, *_curves(run, found)])
    return _framed([*parts, *_verdict(found.verdict), *_curves(run, found), *_findings_html(found)])


def _judged_here(run: Run) -> Diagnosis:
    """By the user's settings; a mistake in them is told beside what can be said without them."""
    try:
        return judge(run, settings_for(), since_when=False)
    except ConfigError as error:
        found = judge(run, Settings(plugins=True), since_when=False)
        return replace(found, problems=(*found.problems, f"your settings were not used: {error}"))


def _framed(parts: Sequence[str] | Iterator[str]) -> str:
    return f'<div style="{FRAME}">{"".join(parts)}</div>'


def _text(text: str) -> str:
    text = terminal_safe(text)
    return escape(text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…")


def _heading(run: Run) -> str:
    last = run.last_step
    facts = [with_code(run.status, run.exit_code), run.algorithm, run.framework]
    facts += [] if last is None else [f"step {last:,}"]
    facts.append(f"{len(run):,} series, {run.points.count:,} points")
    told = " · ".join(_text(fact) for fact in facts if fact)
    return (
        f"<div><strong>{_text(run.name or run.id)}</strong> "
        f'<span style="{QUIET}">{told}</span></div>'
    )


def _verdict(verdict: Verdict) -> Iterator[str]:
    colour = WORDS.get(verdict.word)
    tint = f";color:{colour}" if colour else ""
    yield (
        f'<div style="margin:.25em 0"><strong style="font-size:1.45em{tint}">{_text(verdict.headline)}'
        f"</strong> &nbsp;{_text(verdict.reason)}</div>"
    )
    if verdict.levels is not None:
        told = f"{verdict.outcome}: {levels_text(verdict.levels)}"
        yield f'<div style="{QUIET}">{_text(told)}</div>'
    marks = [
        f'<span style="white-space:nowrap;margin-right:1em" title="{_text(grade.reason)}">'
        f'<span style="color:{MARKS[grade.mark][1]}">{MARKS[grade.mark][0]}</span> '
        f"{_text(grade.area)}</span>"
        for grade in verdict.grades
        if grade.mark in MARKS
    ]
    unchecked = ", ".join(grade.area for grade in verdict.grades if grade.mark not in MARKS)
    if unchecked:
        marks.append(f'<span style="{QUIET}">– not checked: {_text(unchecked)}</span>')
    if marks:
        yield f'<div style="margin:.25em 0">{" ".join(marks)}</div>'


def _curves(run: Run, diagnosis: Diagnosis) -> Iterator[str]:
    verdict = diagnosis.verdict
    chosen = panel(run, verdict.outcome, rows=ROWS)
    if not chosen:
        return
    found = diagnosis.all_findings
    levels = {} if verdict.levels is None else {verdict.outcome: verdict.levels.now}
    rows = "".join(_row(run, line, found, levels.get(line.name, line.last)) for line in chosen)
    yield f'<table style="{TABLE}"><tbody>{rows}</tbody></table>'


def _row(run: Run, line: PanelLine, findings: Sequence[Finding], now: float) -> str:
    alarms = [finding for finding in findings if finding.series == line.name and finding.is_alarm]
    spans = [(f.span.first, f.span.last, SEVERITIES[f.severity]) for f in alarms]
    codes = " ".join(dict.fromkeys(finding.code for finding in alarms))
    healthy = f"healthy {line.range}" if line.range else ""
    cell = "padding:.1em .9em .1em 0;text-align:left;vertical-align:middle;background:none"
    return (
        f'<tr style="background:none"><td style="{cell}">{_text(line.name)}</td>'
        f'<td style="{cell}">{curve(run[line.name], spans)}</td>'
        f'<td style="{cell};text-align:right"><strong>{number(now)}</strong></td>'
        f'<td style="{cell};{QUIET}">{_text(codes or healthy)}</td></tr>'
    )


def _findings_html(diagnosis: Diagnosis) -> Iterator[str]:
    alarms, about_run = diagnosis.alarms, (*diagnosis.alarms, *diagnosis.notices)
    for finding in about_run[:MAX_FINDINGS]:
        yield _finding(finding)
    more = len(about_run) - MAX_FINDINGS
    ran = len(diagnosis.clear) + len({finding.code for finding in diagnosis.findings})
    counts = [f"{more} more findings" if more > 0 else "" if alarms else "No alarms"]
    counts += [f"{ran} rules ran", f"{len(diagnosis.not_checked)} not checked"]
    by = "" if diagnosis.settings_file is None else f" Settings: {_text(diagnosis.settings_file)}"
    yield f'<div style="{QUIET}">{", ".join(filter(None, counts))}.{by}</div>'
    if diagnosis.telemetry:
        yield f'<div style="{QUIET};margin-top:.5em">About the log, not the run:</div>'
        yield from map(_finding, diagnosis.telemetry[:MAX_FINDINGS])
    for problem in diagnosis.problems:
        yield f'<div style="color:{WATCH}">{_text(problem)}</div>'


def _finding(finding: Finding) -> str:
    colour = NOTE if finding.about_log else SEVERITIES[finding.severity]
    lines = [("Try", finding.advice), ("Usual causes", "; ".join(finding.causes))]
    lines += [("Leads to", f"{f.code}: {f.message}") for f in all_findings(finding.follows)]
    lines.append(("Evidence", f"{finding.series}, {steps(finding)}"))
    told = "".join(
        f'<div><span style="{QUIET}">{title}:</span> {_text(text)}</div>'
        for title, text in lines
        if text
    )
    opened = " open" if finding.severity == "critical" and not finding.about_log else ""
    return (
        f'<details{opened} style="margin:.25em 0;border-left:3px solid {colour};padding-left:.7em">'
        f'<summary style="cursor:pointer"><strong>{_text(finding.code)}</strong> '
        f'<span style="color:{colour}">{finding.severity}</span>: {_text(finding.message)}</summary>'
        f'<div style="padding:.15em 0 .3em 1.1em">{told}</div></details>'
    )


COLUMNS = 120  # of lowest and highest values


def curve(
    series: Series,
    spans: Sequence[tuple[int, int, str]] = (),
    *,
    width: int = 180,
    height: int = 28,
) -> str:
    """The course of a series in the colour of the text; stretches of steps are shaded in theirs."""
    kept = series.finite()
    if not len(kept):
        return ""
    first, last = float(kept.steps[0]), float(kept.steps[-1])

    def across(steps: IntArray | FloatArray | float) -> FloatArray:
        share = (np.asarray(steps, np.float64) - first) / ((last - first) or 1.0)
        return np.clip(share, 0.0, 1.0) * (width - 4) + 2

    shades = []
    for begin, end, colour in spans:
        left, right = float(across(begin)), float(across(end))
        shades.append(
            f'<rect x="{left:.1f}" y="0" width="{max(1.5, right - left):.1f}" height="{height}" '
            f'fill="{colour}" fill-opacity="0.22"/>'
        )
    x, y = _ends(across(kept.steps), kept.values)
    low, high = float(y.min()), float(y.max())
    room = (high - low) or 1.0
    down = height - 3 - (y / room - low / room) * (height - 6)
    if low == high:
        down = np.full(len(y), height / 2)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, down, strict=True))
    line = (
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.2" '
        'stroke-linejoin="round"/>'
        if len(x) > 1
        else f'<circle cx="{x[0]:.1f}" cy="{down[0]:.1f}" r="2" fill="currentColor"/>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">{"".join(shades)}{line}</svg>'
    )


def _ends(x: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The points, or of many the lowest and the highest of each column in their order."""
    if len(values) <= 2 * COLUMNS:
        return x, values
    parts = np.array_split(np.arange(len(values)), COLUMNS)
    chosen = sorted(
        {
            int(place)
            for part in parts
            for place in (part[0] + values[part].argmin(), part[0] + values[part].argmax())
        }
    )
    return x[chosen], values[chosen]
