"""What a reader of the verdicts gets: how runs were called, what strictness costs, what was there.

Natural logs and runs made with real frameworks are told apart; the lab's runs have more tables of their
own. Of the held-out half there are totals only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.judging.labels import CORPUS, HALVES, LAB, NATURAL, SOURCES, Labelled, place_of
from benchmarks.judging.runs import HYGIENE, Judgement
from benchmarks.judging.tables import Table

HOW_TO_GET = {
    "lab": "`make scoreboard`",
    "made": "`make scoreboard-made`",
    "sb3": "reference logs beside the project",
    "public": "reference logs beside the project",
    "public2": "reference logs beside the project",
}
WHAT = {
    "lab": "small NumPy trainers",
    "made": "real frameworks, made here",
    "sb3": "Stable-Baselines3, made elsewhere",
    "public": "natural logs the rules were shaped on",
    "public2": "natural logs of other repositories",
}
CURVE = ("sick found", "healthy alarmed")
MAX_NOTICES = 8  # rows of the trade-off for notices, most useful first


def parts_table(runs: Iterable[Labelled], lab: Path = LAB, corpus: Path = CORPUS) -> Table:
    """Which sources of labelled runs are there, and where to get the others."""
    table = Table(
        "What was there",
        ("source", "what", "tune: sick, healthy, benign", "held out", "where from"),
        remark="Runs whose truth is unclear are left out.",
    )
    counts = Counter((run.source, run.half, run.label) for run in runs)
    for source in SOURCES:
        cells = [
            ", ".join(str(counts[source, half, label]) for label in ("sick", "healthy", "benign"))
            for half in HALVES
        ]
        if not place_of(source, lab, corpus).exists():
            cells = ["absent", "absent"]
        table.rows.append((source, WHAT[source], *cells, HOW_TO_GET[source]))
    return table


def verdict_table(judged: list[Judgement]) -> Table:
    """How runs were called, by source and half; plain counts of runs."""
    table = Table(
        "How runs were called",
        (
            "runs",
            "half",
            "sick found",
            "sick praised",
            "named",
            "healthy alarmed",
            "healthy called learning or learned",
            "verdict right",
            "wrong",
            "unsure",
        ),
        remark=(
            "Found and alarmed: a warning or worse that is not about the log itself, or a bad word. "
            "Praised: learning or learned, and no alarm. Verdict: the word alone, on sick and healthy "
            "runs; right is a bad word for a sick run and a good one for a healthy run. Named: the "
            "expected rule is among the first three stories, where the fault has a name."
        ),
    )
    for name, belongs in _groups(judged):
        for half in HALVES:
            some = [one for one in judged if belongs(one) and one.run.half == half]
            if some:
                table.rows.append((name, half, *_called(some)))
    return table


def _groups(judged: list[Judgement]) -> list[tuple[str, Callable[[Judgement], bool]]]:
    """Natural logs, made runs by who made them, and the lab."""
    found: list[tuple[str, Callable[[Judgement], bool]]] = [
        *((f"natural: {name}", _from(name)) for name in NATURAL),
        ("natural, all", lambda one: one.run.source in NATURAL),
    ]
    makers = sorted({one.run.family for one in judged if one.run.source == "made"})
    found += [(f"made: {maker}", _by(maker)) for maker in makers]
    return [
        *found,
        ("made: sb3, elsewhere", _from("sb3")),
        ("made, all", lambda one: one.run.source in ("made", "sb3")),
        ("lab", _from("lab")),
    ]


def _from(source: str) -> Callable[[Judgement], bool]:
    return lambda one: one.run.source == source


def _by(maker: str) -> Callable[[Judgement], bool]:
    return lambda one: one.run.source == "made" and one.run.family == maker


def _called(some: list[Judgement]) -> tuple[str, ...]:
    sick = [one for one in some if one.run.label == "sick"]
    healthy = [one for one in some if one.run.label == "healthy"]
    both = [*sick, *healthy]
    right = [one for one in both if one.called == ("bad" if one.run.label == "sick" else "good")]
    unsure = [one for one in both if one.called == "unsure"]
    named = [one for one in sick if one.run.expect]
    return (
        of(sum(one.alarmed for one in sick), len(sick)),
        of(sum(one.praised for one in sick), len(sick)),
        of(sum(one.named for one in named), len(named)),
        of(sum(one.alarmed for one in healthy), len(healthy)),
        of(sum(one.praised for one in healthy), len(healthy)),
        of(len(right), len(both)),
        of(len(both) - len(right) - len(unsure), len(both)),
        of(len(unsure), len(both)),
    )


def of(count: int, total: int) -> str:
    """A share as it is read: 7 of 9 (78%)."""
    return f"{count} of {total} ({count / total:.0%})" if total else "-"


# what strictness costs


@dataclass(frozen=True)
class Level:
    """One way to count alarms."""

    name: str
    alarms: Callable[[Judgement], bool]


def levels(tune: list[Judgement]) -> list[Level]:
    """From the strictest to the most eager: findings first, then the notices that pay best.

    Which notices pay is decided on the half that may be looked at.
    """
    found = [
        Level("critical findings only", lambda one: any(map(one.counts, one.critical))),
        Level(
            "critical findings and bad words",
            lambda one: one.called == "bad" or any(map(one.counts, one.critical)),
        ),
        Level("warnings, too (as it is)", lambda one: one.alarmed),
    ]
    chosen: list[str] = []
    for code in _by_worth(tune)[:MAX_NOTICES]:
        chosen.append(code)
        found.append(Level(f"and notices of {code}", _with(frozenset(chosen))))
    every = frozenset(code for one in tune for code in one.notices)
    found.append(Level("and all notices", _with(every)))
    found.append(Level("all that is not called good", lambda one: not one.praised))
    return found


def _with(notices: frozenset[str]) -> Callable[[Judgement], bool]:
    return lambda one: one.alarmed or bool(notices.intersection(one.notices) - _hygiene(one))


def _hygiene(one: Judgement) -> set[str]:
    return {code for code in one.notices if code.startswith(HYGIENE)}


def _by_worth(tune: list[Judgement]) -> list[str]:
    """Codes of notices, those first that find many sick runs for each healthy one."""
    gains: Counter[str] = Counter()
    costs: Counter[str] = Counter()
    for one in tune:
        if not one.alarmed:
            counts = {"sick": gains, "healthy": costs}.get(one.run.label, Counter())
            counts.update(set(one.notices) - _hygiene(one))
    return sorted(gains, key=lambda code: (-gains[code] / (1 + costs[code]), code))


def trade_off_table(title: str, judged: list[Judgement]) -> Table:
    """What each step towards more alarms finds, and what it costs, in both halves."""
    table = Table(
        title,
        (
            "what counts",
            *(f"{what}, {half}" for half in HALVES for what in ("sick found", "healthy alarmed")),
        ),
        remark=(
            "Each row counts more than the one above. The steps were chosen on the half 'tune'; the "
            "other half shows what they are worth."
        ),
    )
    for level in levels([one for one in judged if one.run.half == "tune"]):
        cells = []
        for half in HALVES:
            for label in ("sick", "healthy"):
                some = [one for one in judged if (one.run.half, one.run.label) == (half, label)]
                cells.append(of(sum(map(level.alarms, some)), len(some)))
        table.rows.append((level.name, *cells))
    return table


def price_table(judged: list[Judgement]) -> Table:
    """Of the half that may be looked at: rules that alarm on healthy runs, and what they find."""
    table = Table(
        "Rules that alarm on healthy runs, half 'tune'",
        ("rule", "healthy alarmed", "by it alone", "sick found", "by it alone"),
        remark="By it alone: nothing else says so, neither a rule nor the word.",
    )
    tune = [one for one in judged if one.run.half == "tune"]
    seen = {code for one in tune if one.run.label == "healthy" for code in one.codes}
    for code in sorted(code for code in seen if not code.startswith(HYGIENE)):
        row = [code]
        for label in ("healthy", "sick"):
            mine = [one for one in tune if one.run.label == label and code in one.codes]
            alone = [one for one in mine if one.called != "bad" and _others(one, code) == 0]
            row += [str(len(mine)), str(len(alone))]
        table.rows.append(tuple(row))
    return table


def _others(one: Judgement, code: str) -> int:
    return sum(other != code and one.counts(other) for other in one.codes)


def outcome_tables(judged: list[Judgement]) -> list[Table]:
    """How runs were called, and the trade-off for natural logs and for made runs."""
    natural = [one for one in judged if one.run.source in NATURAL]
    made = [one for one in judged if one.run.source in ("made", "sb3")]
    found = [verdict_table(judged)] if judged else []
    if natural:
        found.append(trade_off_table("What strictness costs: natural logs", natural))
    if made:
        found.append(trade_off_table("What strictness costs: made runs", made))
    return found
