"""The figures as tables, for the terminal and for Markdown alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rich.table import Table as RichTable

from benchmarks.judging.labels import HALVES, SOURCES, Half
from benchmarks.judging.runs import Judgement
from benchmarks.judging.statistics import Estimate, Figures, figures


@dataclass
class Table:
    """Rows of words under a head, with a title and a remark."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    remark: str = ""

    def for_terminal(self) -> RichTable:
        """To be printed with rich."""
        table = RichTable(*self.head, title=self.title, title_justify="left", caption=self.remark)
        for row in self.rows:
            table.add_row(*row)
        return table

    def for_markdown(self) -> str:
        """To be kept in a file."""
        lines = [f"## {self.title}", ""]
        lines += [self.remark, ""] if self.remark else []
        lines.append(_line(self.head))
        lines.append("|" + "---|" * len(self.head))
        return "\n".join([*lines, *map(_line, self.rows)])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def shown(estimate: Estimate | None) -> str:
    """A figure with its interval, or a dash."""
    return "-" if estimate is None else str(estimate)


def fault_table(judged: list[Judgement]) -> Table:
    """How faults that do harm were found and named."""
    table = Table(
        "Faults that do harm",
        (
            "source",
            "half",
            "runs",
            "detected",
            "named",
            "strictly",
            "named or accepted",
            "findings right",
            "delay",
            "lead",
        ),
    )
    for source, half, of in groups(judged):
        table.rows.append(
            (source, half, str(of.sick), *_found(of), shown(of.delay), shown(of.lead))
        )
    return table


def alarm_table(judged: list[Judgement]) -> Table:
    """How often runs without a damaging fault were alarmed."""
    table = Table(
        "Runs without harm: how many have any warning or worse",
        (
            "source",
            "half",
            "healthy runs",
            "healthy alarmed",
            "benign runs",
            "benign alarmed",
            "both alarmed",
        ),
        remark="Benign: a fault that is there but did not measurably hurt. To name it is not wrong.",
    )
    for source, half, of in groups(judged):
        table.rows.append((source, half, *_alarmed(of), shown(of.well_alarmed)))
    return table


def groups(judged: list[Judgement]) -> list[tuple[str, str, Figures]]:
    """Figures by source and half, and over all sources."""
    found: list[tuple[str, str, Figures]] = []
    for source in (*SOURCES, "all"):
        mine = [one for one in judged if source in ("all", one.run.source)]
        for half in (*HALVES, *(("both",) if source == "all" else ())):
            some = [one for one in mine if half in ("both", one.run.half)]
            if some:
                found.append((source, half, figures(some)))
    return found


def table_by(
    title: str, head: str, judged: list[Judgement], key: Callable[[Judgement], str]
) -> Table:
    """The same figures for each trainer, family of faults, ..."""
    table = Table(
        title,
        (
            head,
            "sick runs",
            "detected",
            "named",
            "strictly",
            "named or accepted",
            "findings right",
            "healthy runs",
            "alarmed",
            "benign runs",
            "alarmed",
        ),
    )
    for name in sorted({key(one) for one in judged} - {""}):
        of = figures([one for one in judged if key(one) == name])
        table.rows.append((name, str(of.sick), *_found(of), *_alarmed(of)))
    return table


def _found(of: Figures) -> tuple[str, ...]:
    named = of.named, of.named_strictly, of.named_or_accepted
    return tuple(map(shown, (of.detected, *named, of.precision)))


def _alarmed(of: Figures) -> tuple[str, ...]:
    return (str(of.healthy), shown(of.healthy_alarmed), str(of.benign), shown(of.benign_alarmed))


def mistake_table(judged: list[Judgement], half: Half) -> Table:
    """One row per program and kind of mistake, with what was said instead."""
    table = Table(
        f"What goes wrong in the half {half!r}",
        ("mistake", "runs", "program", "verdict and alarms instead", "truth"),
    )
    programs: dict[str, list[Judgement]] = {}
    for one in judged:
        if one.run.half == half:
            programs.setdefault(one.run.program, []).append(one)
    for name, runs in programs.items():
        for kind, found in _mistakes(runs).items():
            if found:
                said = Counter((j.verdict, " ".join(j.codes[:5])) for j in found).most_common(3)
                heard = "; ".join(f"{verdict}: {codes or 'none'}" for (verdict, codes), _ in said)
                row = (kind, f"{len(found)} of {len(runs)}", name, heard, _truth(runs[0]))
                table.rows.append(row)
    table.rows.sort()
    return table


def _mistakes(runs: list[Judgement]) -> dict[str, list[Judgement]]:
    sick = runs[0].run.label == "sick"
    return {
        "missed": [j for j in runs if sick and not j.alarmed],
        "misnamed": [j for j in runs if sick and j.run.expect and j.alarmed and not j.named],
        "false alarm": [j for j in runs if not sick and j.alarmed],
    }


def _truth(one: Judgement) -> str:
    expected = " ".join(one.run.expect)
    return f"expected {expected}" if one.run.label == "sick" and expected else one.run.label
