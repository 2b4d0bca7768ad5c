"""What `runvitals compare` prints: for people, for a wiki, for machines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runvitals.comparison.compare import Comparison, Measure, conclude
from runvitals.model.formatting import UNICODE, Signs, number, sparkline
from runvitals.model.terminal_safe import terminal_safe
from runvitals.render.ci import markdown_text
from runvitals.render.compare_tables import Section, notes, sections

VERSION = 1
COLOURS = {"better": "green", "worse": "red", "higher": "cyan", "lower": "cyan"}
CURVE = 50  # characters


def text(found: Comparison, signs: Signs = UNICODE) -> RenderableType:
    """For the terminal."""
    parts: list[RenderableType] = [
        Text(terminal_safe(f"warning: {told}"), style="yellow") for told in _missing(found)
    ]
    parts += [_legend(found), Text()]
    for side in range(1, len(found.sides)):
        end = conclude(found, side)
        parts.append(Text(terminal_safe(end.sentence), style=COLOURS.get(end.word, "yellow")))
    parts.append(Text())
    for section in sections(found):
        parts += [_table(section), Text()]
        if section.header[0] == found.metric and len(found.curves[0].values) > 1:
            parts += [_curves(found, signs), Text()]
    parts += [Text(terminal_safe(note), style="dim") for note in notes(found)]
    return Group(*parts)


def _missing(found: Comparison) -> Iterator[str]:
    """What the compared runs lack: nothing below can be better than that."""
    for side in found.sides:
        for member in side.members:
            for told in member.missing:
                yield f"{side.letter}, {member.name}: {told}"


def _legend(found: Comparison) -> Table:
    table = Table.grid(padding=(0, 2))
    for side in found.sides:
        count = len(side.members)
        runs = "1 run" if count == 1 else f"{count} runs"
        table.add_row(Text(side.letter, style="bold"), Text(terminal_safe(side.shown)), Text(runs))
    return table


def _table(section: Section) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, title in enumerate(section.header):
        table.add_column(
            Text(terminal_safe(title)), overflow="fold", justify="left" if i == 0 else "right"
        )
    for row in section.rows:
        table.add_row(*(Text(terminal_safe(cell)) for cell in row))
    return table


def _curves(found: Comparison, signs: Signs) -> Table:
    low = min(float(one.values.min()) for one in found.curves)
    high = max(float(one.values.max()) for one in found.curves)
    table = Table.grid(padding=(0, 2))
    for i, (side, curve) in enumerate(zip(found.sides, found.curves, strict=True)):
        scale = f"{number(low)} to {number(high)}" if i == 0 else ""
        line = sparkline(curve.values, CURVE, signs, span=(low, high))
        table.add_row(Text(side.letter, style="bold"), Text(line), Text(scale, style="dim"))
    return table


def markdown(found: Comparison) -> Iterator[str]:
    """For a pull request or a wiki."""
    for told in _missing(found):
        yield f"- warning: {markdown_text(told)}"
    for side in found.sides:
        yield f"- **{side.letter}** {markdown_text(side.shown)} ({len(side.members)})"
    yield ""
    for i in range(1, len(found.sides)):
        yield f"**{markdown_text(conclude(found, i).sentence)}**\n"
    for section in sections(found):
        yield f"| {' | '.join(map(markdown_text, section.header))} |"
        yield "|---|" + "---:|" * (len(section.header) - 1)
        for row in section.rows:
            yield f"| {' | '.join(map(markdown_text, row))} |"
        yield ""
    for note in notes(found):
        yield f"{markdown_text(note)}\n"


def as_json(found: Comparison) -> dict[str, Any]:
    """For machines: all numbers, a list per run where there is one; what never happens is null."""
    health = found.health
    return {
        "version": VERSION,
        "warnings": list(_missing(found)),
        "metric": found.metric,
        "better": {1: "higher", -1: "lower", 0: None}[found.sign],
        "steps": {"first": found.within.first, "last": found.within.last},
        "threshold": found.threshold,
        "sides": [_side(found, i) for i in range(len(found.sides))],
        "differences": [
            {
                "side": found.sides[one.side].letter,
                "against": found.sides[0].letter,
                "measure": one.measure,
                "amount": one.amount,
                "interval": None
                if one.interval is None
                else {"low": one.interval.low, "high": one.interval.high, "of": one.interval.kind},
            }
            for one in found.differences
        ],
        "conclusions": [
            {"side": found.sides[i].letter, "word": end.word, "sentence": end.sentence}
            for i in range(1, len(found.sides))
            if (end := conclude(found, i))
        ],
        "settings": [
            {"key": one.key, "values": [list(values) for values in one.values]}
            for one in found.settings
        ],
        "findings": [
            {
                "code": one.code,
                "name": one.name,
                "severity": one.severity,
                "message": one.message,
                "runs": list(one.runs),
                "first_step": list(one.first_step),
            }
            for one in (*health.differing, *health.shared)
        ],
        "notes": list(notes(found)),
    }


def _side(found: Comparison, i: int) -> dict[str, Any]:
    side = found.sides[i]
    measures: tuple[Measure, ...] = (*found.levels, *found.reached)
    return {
        "side": side.letter,
        "given": side.shown,
        "runs": [
            {
                "path": m.path,
                "name": m.name,
                "seed": m.seed,
                "verdict": m.diagnosis.verdict.word,
                "partial": bool(m.missing),
            }
            for m in side.members
        ],
        "paired_with_first": found.paired[i],
        "outcome": {one.name: _numbers(one, i) for one in measures},
        "speed": {one.name: _numbers(one, i) for one in found.pace},
        "verdicts": dict(found.health.verdicts[i]),
    }


def _numbers(measure: Measure, side: int) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in measure.values[side].tolist()]
