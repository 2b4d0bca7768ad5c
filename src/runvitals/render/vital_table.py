"""All vitals of a run as a table for the terminal, and those that are out of range."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from runvitals.catalog import group_title
from runvitals.model import Finding, Verdict, all_findings
from runvitals.model.formatting import number
from runvitals.render.terminal import safe
from runvitals.vitals import Vital

COLOURS = {"in range": "green", "out of range": "yellow", "alarm": "yellow"}


def vitals_table(vitals: Sequence[Vital], *, without_range: bool = False) -> list[RenderableType]:
    """Each vital that has a range, then the names of the others; these in the table too, if asked."""
    shown = [vital for vital in vitals if without_range or vital.range is not None]
    parts: list[RenderableType] = [_table(shown), Text()] if shown else []
    rest = [vital.name for vital in vitals if vital.range is None]
    if rest and not without_range:
        parts += [safe(f"no range here for: {', '.join(rest)}", "dim"), Text()]
    return parts


def _table(vitals: Iterable[Vital]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", "vital", "level", "range", "", "whose range"):
        right = title == "level"
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    above = ""
    for vital in vitals:
        group, above = ("" if vital.group == above else vital.group), vital.group
        table.add_row(
            Text(group_title(group), style="bold"),
            safe(vital.shown_name),
            Text(number(vital.level)),
            Text(_range(vital), style="dim"),
            _state(vital),
            safe(vital.source or "", "dim"),
        )
    return table


def _range(vital: Vital) -> str:
    """The range, and where it is only a limit also what is usual."""
    usual = vital.ranges.usual
    if vital.range is None:
        return "" if usual is None else f"usually {usual}"
    beside = f", usually {usual}" if vital.range.kind == "limit" and usual is not None else ""
    return f"{vital.range}{beside}"


def _state(vital: Vital) -> Text:
    state = vital.state
    if vital.since is not None:
        since = "all along" if vital.all_along else f"since step {vital.since:,}"
        return Text(f"{vital.side} it {since}", style=COLOURS[state])
    text = f"see {vital.alarm}" if state == "alarm" else state
    return Text(text, style=COLOURS.get(state, "dim"))


WELL = ("learning", "learned")
UNDECIDED = ("cannot tell", "too early to tell")


def out_of_range(vitals: Iterable[Vital], shown: Iterable[Finding]) -> list[tuple[Vital, int]]:
    """One vital a metric, and how many more series of it there are.

    Left out are those of which a finding that is shown speaks already, also under another name.
    """
    spoken = {name for one in all_findings(shown) for name in (one.series, *one.also)}
    outside: dict[str, list[Vital]] = {}
    told = set()
    for vital in vitals:
        if vital.name in spoken or vital.metric in spoken:
            told.add(vital.metric)
        if vital.out_of_range:
            outside.setdefault(vital.metric, []).append(vital)
    return [(ones[0], len(ones) - 1) for metric, ones in outside.items() if metric not in told]


def lines(
    vitals: Iterable[Vital], shown: Sequence[Finding], verdict: Verdict, most: int | None = None
) -> Iterator[str]:
    """A line each, and what the outcome makes of it; of more than `most` only their number is told."""
    found = out_of_range(vitals, shown)
    suffers = so_far(verdict)
    for vital, others in found[:most]:
        more = f" (and {others} more of {vital.metric})" if others else ""
        yield f"{vital.in_words}{more}{suffers}"
    if most is not None and len(found) > most:
        yield f"{len(found) - most} more (runvitals vitals shows them)"


def so_far(verdict: Verdict) -> str:
    """What a line adds about the outcome; empty where that suffers, for then other lines tell."""
    if verdict.word in WELL:
        return "; the outcome is holding up so far"
    if verdict.outcome is None and verdict.word in UNDECIDED:
        return "; no outcome was logged to compare with"
    return ""
