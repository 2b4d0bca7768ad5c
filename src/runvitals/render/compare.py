"""What `runvitals compare` prints: for people, for a wiki, for machines."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from runvitals.comparison.compare import Comparison, Difference, Measure, conclude
from runvitals.model.formatting import UNICODE, Signs, duration, number, sparkline
from runvitals.render.ci import markdown_text
from runvitals.render.judged import fields
from runvitals.render.terminal import safe, table

MAX_VALUES = 3  # of one setting on one side
ABOUT = 0.02  # a share by which nobody is first
MAX_LENGTH = 32  # characters of one value
PACES = {
    "steps_per_second": "steps per second",
    "tokens_per_second": "tokens per second",
    "seconds": "training time",
}
LEVELS = {"end": "at the end", "best": "best", "mean": "mean over the run"}


@dataclass(frozen=True)
class Section:
    """One table. The first column names what the others compare."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sections(found: Comparison) -> Iterator[Section]:
    """Settings, outcome, health, speed: those in which there is something to show."""
    letters = tuple(side.letter for side in found.sides)
    if found.settings:
        rows = [(one.key, *map(_values, one.values)) for one in found.settings]
        yield Section(("settings", *letters), tuple(rows))
    levels = tuple(_levels(found))
    gaps = tuple(_gaps(found))
    if len(letters) == 2:  # side by side; more sides get a table of their own
        rows = [(*row, gap[1]) for row, gap in zip(levels, gaps, strict=True)]
        yield Section((found.metric, *letters, f"{letters[1]} - {letters[0]}"), tuple(rows))
    else:
        yield Section((found.metric, *letters), levels)
        yield Section((f"against {letters[0]}", *letters[1:]), gaps)
    yield Section(("health", *letters), tuple(_health(found)))
    if found.pace:
        against = tuple(f"{letter} to {letters[0]}" for letter in letters[1:])
        yield Section(("speed", *letters, *against), tuple(_pace(found)))


def notes(found: Comparison) -> Iterator[str]:
    """What to know when reading the tables."""
    if not found.settings and found.sides[0].members[0].config:
        yield "settings: the same on all sides, as far as they were recorded"
    first, last = found.within.first, found.within.last
    if found.beyond:
        where = " and ".join(found.beyond)
        yield f"compared from step {first:,} to {last:,}, which all runs have; {where} went on"
    kinds = {d.interval.kind for d in found.differences if d.interval is not None}
    if "within" in kinds:
        yield (
            "the interval is from the noise within each run alone (block bootstrap of its last "
            "points); it says nothing about other seeds"
        )
    if kinds & {"pairs", "seeds"}:
        fewest = min(len(side.members) for side in found.sides)
        few = "; with so few runs it is wide" if fewest < 5 else ""
        yield f"intervals: 95%, bootstrap over runs, widened for small numbers of them{few}"
    if any(one.first_step for one in found.health.differing):
        yield "more about a finding: runvitals check RUN, runvitals rule CODE"
    judged_by = (one.diagnosis.settings_file for side in found.sides for one in side.members)
    for file in dict.fromkeys(filter(None, judged_by)):
        yield f"judged with the settings in {file}"


def _values(values: tuple[str, ...]) -> str:
    if len(values) > MAX_VALUES:
        return f"{_short(values[0])} and {len(values) - 1} others"
    return ", ".join(map(_short, values))


def _short(value: str) -> str:
    return value if len(value) <= MAX_LENGTH else f"{value[: MAX_LENGTH - 3]}..."


def _levels(found: Comparison) -> Iterator[tuple[str, ...]]:
    sides = range(len(found.sides))
    for level in found.levels:
        yield (LEVELS[level.name], *(_level(level, i) for i in sides))
    for measure in _known(found):
        yield (_reach_title(found, measure), *(_reached(measure, i) for i in sides))


def _gaps(found: Comparison) -> Iterator[tuple[str, ...]]:
    others = range(1, len(found.sides))
    for level in found.levels:
        gaps = (found.difference(i, level.name) for i in others)
        yield (LEVELS[level.name], *map(_gap, gaps))
    for measure in _known(found):
        yield (_reach_title(found, measure), *(_first(measure, i, found) for i in others))


def _known(found: Comparison) -> list[Measure]:
    """How long it took to the threshold, as far as the logs tell."""
    return [one for one in found.reached if not any(np.isnan(v).all() for v in one.values)]


def _reach_title(found: Comparison, measure: Measure) -> str:
    assert found.threshold is not None
    what = "at step" if measure.name == "steps" else "after"
    return f"reaches {number(found.threshold)} {what}"


def _level(level: Measure, side: int) -> str:
    values = level.values[side]
    middle = number(level.centre(side))
    if len(values) == 1:
        return middle
    around = float(values.std(ddof=1))
    return f"{middle} ± {number(around, 2) if around > 1e-9 * abs(values).max() else 0}"


def _gap(gap: Difference) -> str:
    amount = number(gap.amount) if gap.amount < 0 else f"+{number(gap.amount)}"
    if gap.interval is None:
        return amount
    what = " within runs" if gap.interval.kind == "within" else ""
    return f"{amount} ({number(gap.interval.low)} to {number(gap.interval.high)}{what})"


def _reached(measure: Measure, side: int) -> str:
    values = measure.values[side]
    known = values[~np.isnan(values)]
    if not len(known):
        return ""
    count = int(np.isfinite(known).sum())
    middle = float(np.median(known))
    several = f" ({count} of {len(known)})" if len(known) > 1 and count < len(known) else ""
    if math.isinf(middle):
        return f"never{several}"
    return (f"{middle:,.0f}" if measure.name == "steps" else duration(middle)) + several


def _first(measure: Measure, side: int, found: Comparison) -> str:
    """Which of two came to the threshold first."""
    mine, base = float(np.median(measure.values[side])), float(np.median(measure.values[0]))
    if math.isnan(mine) or math.isnan(base) or math.isclose(mine, base, rel_tol=ABOUT):
        return ""
    return f"{found.sides[side].letter if mine < base else found.sides[0].letter} first"


def _health(found: Comparison) -> Iterator[tuple[str, ...]]:
    health = found.health
    sizes = [len(side.members) for side in found.sides]
    yield ("verdict", *(_verdicts(v, n) for v, n in zip(health.verdicts, sizes, strict=True)))
    if max(sizes) > 1:
        counts = zip(health.alarms, sizes, strict=True)
        yield ("runs with warnings", *(f"{count} of {size}" for count, size in counts))
    for one in health.differing:
        cells = [
            _sick(count, size, step if len(sizes) == 2 else None)
            for count, size, step in zip(one.runs, sizes, one.first_step, strict=True)
        ]
        yield (f"{one.code} {one.name}", *cells)
    if health.shared:
        codes = " ".join(one.code for one in health.shared)
        yield ("on all sides alike", codes, *("" for _ in sizes[1:]))


def _verdicts(words: object, size: int) -> str:
    counted = dict(words)  # type: ignore[call-overload]
    if size == 1:
        return str(next(iter(counted)))
    return ", ".join(f"{word} {count}" for word, count in counted.items())


def _sick(count: int, size: int, step: int | None) -> str:
    since = "" if step is None else f"from step {step:,}"
    if size == 1:
        return (since or "yes") if count else "-"
    return f"{count} of {size}" + (f", {since}" if since else "")


def _pace(found: Comparison) -> Iterator[tuple[str, ...]]:
    sides = range(len(found.sides))
    for pace in found.pace:
        middles = [float(np.median(pace.values[i])) for i in sides]
        write = duration if pace.name == "seconds" else number
        ratios = [f"x {number(m / middles[0], 3)}" if middles[0] > 0 else "" for m in middles[1:]]
        yield (PACES[pace.name], *map(write, middles), *ratios)


VERSION = 1
COLOURS = {"better": "green", "worse": "red", "higher": "cyan", "lower": "cyan"}
CURVE = 50  # characters


def text(found: Comparison, signs: Signs = UNICODE) -> RenderableType:
    """For the terminal."""
    parts: list[RenderableType] = [safe(f"warning: {told}", "yellow") for told in _missing(found)]
    parts += [_legend(found), Text()]
    for side in range(1, len(found.sides)):
        end = conclude(found, side)
        parts.append(safe(end.sentence, COLOURS.get(end.word, "yellow")))
    parts.append(Text())
    for section in sections(found):
        parts += [_table(section), Text()]
        if section.header[0] == found.metric and len(found.curves[0].values) > 1:
            parts += [_curves(found, signs), Text()]
    parts += [safe(note, "dim") for note in notes(found)]
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
        table.add_row(Text(side.letter, style="bold"), safe(side.shown), Text(runs))
    return table


def _table(section: Section) -> Table:
    made = table(*section.header, overflow="fold", justify="right")
    made.columns[0].justify = "left"
    for row in section.rows:
        made.add_row(*map(safe, row))
    return made


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
                **fields(one, "measure amount"),
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
            fields(one, "code name severity message runs first_step")
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
                **fields(m, "path name seed"),
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
