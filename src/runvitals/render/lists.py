"""Lists as the terminal shows them: runs, a fleet, what names mean, the answer to a query."""

import shlex
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.text import Text

from runvitals.model.run import with_code
from runvitals.model.text import terminal_safe
from runvitals.render.judged import RunFacts
from runvitals.render.names import Named, NameTable, lines
from runvitals.render.terminal import safe, table
from runvitals.render.text import MAX_WARNINGS, VERDICT_COLOURS, data_warnings
from runvitals.render.watching import STATUS_COLOURS

if TYPE_CHECKING:
    import pyarrow  # slow to import, and only queries need it

FEW_RUNS = 3  # that are named above a common table of names
MAX_RULES = 3  # shown of a run; CSV and JSON have all
MIN_MESSAGE = 20  # columns; with fewer left a message says nothing


def print_runs(found: Sequence[dict[str, Any]]) -> None:
    """What `runvitals runs` lists."""
    console = Console()
    wide, widest = console.width >= 120, console.width >= 160
    shown = table()
    room = max(24, console.width - (64 if not wide else 112 if not widest else 134))
    shown.add_column("run", no_wrap=True, overflow="ellipsis", max_width=room)
    shown.add_column("status", no_wrap=True, min_width=8)
    shown.add_column("age", no_wrap=True, min_width=3)
    shown.add_column("tool", no_wrap=True, overflow="ellipsis", max_width=17)
    if wide:
        shown.add_column("algorithm", no_wrap=True, overflow="ellipsis", max_width=10)
        shown.add_column("format", no_wrap=True, overflow="ellipsis", max_width=28)
    for title in ("last step", *(("series", "points", "size") if widest else ())):
        shown.add_column(title, justify="right", no_wrap=True, min_width=6)
    read = any(run["bytes"] is not None for run in found)  # else a list was all there is
    if read:
        shown.add_column("outcome now", no_wrap=True, min_width=18)
    for run in found:
        outcome = run["outcome"]
        size = "" if run["bytes"] is None else _bytes(run["bytes"])
        sizes = (str(run["series"]), f"{run['points']:,}", size)
        shown.add_row(
            safe(f"{run['project']}/{run['id']}" if run["project"] else run["id"]),
            safe(with_code(run["status"], run["exit_code"]), STATUS_COLOURS.get(run["status"], "")),
            _age(time.time() - run["started"]) if run["started"] else "",
            safe(run["framework"] or ""),
            *((safe(run["algorithm"] or ""), Text(_short(run["format"]))) if wide else ()),
            f"{run['last_step']:,}" if run["last_step"] is not None else "",
            *(sizes if widest else ()),
            *((_outcome_text(outcome) if run["bytes"] is not None else "",) if read else ()),
        )
    for run in found:
        name = f"{run['id']}: "
        told = [w if w.startswith(name) else name + w for w in run["warnings"]]
        for text in data_warnings(told, MAX_WARNINGS):
            console.print(text)
    console.print(shown)


def _outcome_text(outcome: dict[str, Any] | None) -> str:
    if outcome is None:
        return "none logged"
    return f"{outcome['metric'].removeprefix('outcome/')} {outcome['now']:.4g}"


def _short(format: str) -> str:
    """The first of several sources, and how many more there are."""
    first, *others = format.split(" + ")
    first = first if len(first) <= 24 else f"{first[:23]}…"
    return f"{first} +{len(others)}" if others else first


def _age(seconds: float) -> str:
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{max(seconds, 0.0):.0f} s"


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def print_fleet(found: Sequence[RunFacts], keys: Sequence[str]) -> None:
    """What `runvitals fleet` lists, with these settings."""
    console = Console(highlight=False)
    made = table()
    names = [terminal_safe(f"{run.project}/{run.id}" if run.project else run.id) for run in found]
    name = min(max(map(len, names), default=3), max(20, console.width // 3))
    rules = max([5, *(len(" ".join(run.rules[:MAX_RULES])) for run in found)])
    fixed = (
        name
        + rules
        + sum(2 + max(len(key), 8) for key in keys)
        + len("collapsed  2026-01-01 00:00")
        + 6
    )
    made.add_column("run", overflow="ellipsis", no_wrap=True, width=name)
    made.add_column("verdict", no_wrap=True)
    made.add_column("rules", no_wrap=True, width=rules)
    for key in keys:
        made.add_column(safe(key), justify="right", no_wrap=True, min_width=8)
    made.add_column("ended", no_wrap=True)
    room = console.width - fixed
    if room >= MIN_MESSAGE:
        made.add_column("first finding", no_wrap=True, overflow="ellipsis", width=room)
    for run, shown in zip(found, names, strict=True):
        made.add_row(
            Text(shown),
            safe(run.verdict, VERDICT_COLOURS.get(run.verdict, "dim")),
            safe(" ".join(run.rules[:MAX_RULES])),
            *(safe(_cell(run.setting(key))) for key in keys),
            _moment(run.ended or run.started),
            *([safe(run.message)] if room >= MIN_MESSAGE else []),
        )
    if found:
        console.print(made)
        console.print()
    words = ", ".join(
        f"{n:,} {word}" for word, n in Counter(r.verdict for r in found).most_common()
    )
    console.print(
        f"{len(found):,} run{'' if len(found) == 1 else 's'}{f': {words}' if words else ''}"
    )


def _moment(when: float | None) -> str:
    return "" if when is None else datetime.fromtimestamp(when).strftime("%Y-%m-%d %H:%M")


def print_rows(found: "pyarrow.Table") -> None:
    """The answer to a query."""
    shown = table()
    for field in found.schema:
        number = str(field.type).startswith(("int", "uint", "float", "double"))
        shown.add_column(safe(field.name), justify="right" if number else "left")
    for row in found.to_pylist():
        shown.add_row(*(safe(_cell(value)) for value in row.values()))
    console = Console(highlight=False)
    console.print(shown)
    count = found.num_rows
    console.print(f"{count:,} row{'' if count == 1 else 's'}")


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return str(value)


def names_parts(found: NameTable) -> Iterator[RenderableType]:
    """What the names of some runs mean, and what else they may mean."""
    yield safe(_heading(found), "bold")
    if found.understood:
        yield Text()
        yield _understood(found.understood)
    if found.not_understood:
        yield Text()
        yield _not_understood(found.not_understood)
        yield Text()
        yield Text(
            '--map "NAME=METRIC" says what a name means; runvitals explain METRIC what that is'
        )


def _heading(found: NameTable) -> str:
    shown = [str(run.path or "-") for run in found.runs]
    where = ", ".join(shown[:FEW_RUNS]) + (", ..." if len(shown) > FEW_RUNS else "")
    count = f"{len(shown)} runs ({where})" if len(shown) > 1 else where
    first = found.runs[0]
    tool = first.framework or "tool unknown"
    algorithm = f", {first.algorithm}" if first.algorithm else ""
    known, every = len(found.understood), len(found.names)
    return f"{count}: {tool}{algorithm}; {known} of {every} names understood"


def _understood(names: Sequence[Named]) -> RenderableType:

    shown = table("name", "means", "", "found by", "sure", overflow="fold")
    for line in lines(names):
        one = line.named
        name = (
            f"{terminal_safe(line.shown)}  ({line.count} names)" if line.count > 1 else line.shown
        )
        labels = ", ".join(f"{key}={value}" for key, value in one.labels.items())
        means = f"{one.metric} [{labels}]" if labels and line.count == 1 else str(one.metric)
        shown.add_row(
            safe(name),
            safe(means),
            Text(one.title, style="dim"),
            safe(one.how),
            Text(one.sure, style="" if one.sure == "certain" else "yellow"),
        )
    return shown


def _not_understood(names: Sequence[Named]) -> RenderableType:

    shown = table("not understood", "nearest", "to bind it", overflow="fold")
    for line in lines(names):
        near = ", ".join(one.metric for one in line.named.candidates) or "nothing like it"
        name = f"{line.shown}  ({line.count} names)" if line.count > 1 else line.shown
        bind = f"--map {shlex.quote(line.named.map)}" if line.named.map and line.count == 1 else ""
        shown.add_row(safe(name), Text(near, style="dim"), safe(bind))
    return shown
