"""How well the rules judge runs whose truth is known.

    python -m benchmarks.judge                     the lab's runs and the reference logs, if there
    python -m benchmarks.judge --only lab --list   every miss and every false alarm of the tuning half
    python -m benchmarks.judge --fast --programs 'grpo-.*'   without since-when; some programs only

- detection: a warning or worse on a run with a damaging fault;
- diagnosis: an expected rule among its first three findings (consequences counted);
- precision: findings on sick runs that are expected or acceptable;
- false alarms: healthy and benign runs with any warning or worse.

Programs (trainer, task, fault) are split in two halves by name. Intervals are bootstrap intervals over
programs, since seeds of one program are alike.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared" / "corpus"


@dataclass(frozen=True)
class Labelled:
    """A run and the truth about it."""

    path: Path
    source: str  # lab, sb3 or public
    program: str
    label: str  # sick, healthy or benign
    expect: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    onset: int | None = None
    half: str = "tune"


@dataclass(frozen=True)
class Judgement:
    """What the rules said about it."""

    run: Labelled
    codes: tuple[str, ...]  # of alarms, in order; consequences after their cause
    verdict: str
    first_seen: int | None
    last_step: int
    lead: int | None

    @property
    def alarmed(self) -> bool:
        return bool(self.codes)

    @property
    def named(self) -> bool:
        return any(code in self.run.expect for code in self.codes[:3])

    @property
    def named_or_accepted(self) -> bool:
        return any(code in (*self.run.expect, *self.run.accept) for code in self.codes[:3])


def lab_runs(folder: Path) -> list[Labelled]:
    index = folder / "index.json"
    if not index.exists():
        return []
    return [
        Labelled(
            folder / run["folder"],
            "lab",
            run["program"],
            run["label"],
            tuple(run["expect"]),
            tuple(run["accept"]),
            run["onset_step"],
            half_of(f"{run['task']}/{run['code'] or run['variant']}"),
        )
        for run in orjson.loads(index.read_bytes())["runs"]
        if run["label"] != "untested"
    ]


def sb3_runs(folder: Path) -> list[Labelled]:
    index = folder / "sb3-index.json"
    if not index.exists():
        return []
    labels = {"healthy": "healthy", "harmless": "benign", "faulty": "sick"}
    return [
        Labelled(
            folder / run["name"],
            "sb3",
            run["name"].rsplit("-s", 1)[0],
            labels[run["label"]],
            onset=run["onset_step"],
            half=half_of(run["name"].rsplit("-s", 1)[0]),
        )
        for run in orjson.loads(index.read_bytes())["runs"]
        if run["label"] in labels
    ]


def public_runs(folder: Path) -> list[Labelled]:
    index = folder / "public" / "index.json"
    if not index.exists():
        return []
    found = []
    for run in orjson.loads(index.read_bytes()):
        label = run["label"].split(":")[0]
        if label in ("healthy", "sick"):
            found.append(
                Labelled(
                    folder / "public" / run["dir"],
                    "public",
                    run["dir"],
                    label,
                    half=half_of(run["dir"]),
                )
            )
    return found


def half_of(name: str) -> str:
    """Which half a program belongs to: one to tune on, one to report."""
    return "tune" if hashlib.sha256(name.encode()).digest()[0] % 2 else "held out"


def judge(run: Labelled, *, since_when: bool = True) -> Judgement | str:
    import runvitals as rv
    from runvitals.diagnosis.engine import diagnose
    from runvitals.model import RunvitalsError
    from runvitals.reports.judged import all_findings

    try:
        opened = rv.open_runs(run.path)
    except RunvitalsError as error:
        return f"{run.path.name}: {error}"
    if not opened:
        return f"{run.path.name}: no run"
    found = diagnose(opened[-1], since_when=since_when)
    alarms = [f for story in found.alarms for f in all_findings((story,)) if f.is_alarm]
    seen = [f.first_seen for f in alarms if f.first_seen is not None]
    leads = [f.lead for f in alarms if f.lead is not None]
    return Judgement(
        run,
        tuple(f.code for f in alarms),
        found.verdict.word,
        min(seen, default=None),
        opened[-1].last_step or 0,
        max(leads, default=None),
    )


def share(runs: list[Judgement], hit: Any) -> str:
    """Mean over programs of the share of their runs, with a bootstrap interval over programs."""
    programs: dict[str, list[bool]] = {}
    for one in runs:
        programs.setdefault(one.run.program, []).append(bool(hit(one)))
    if not programs:
        return "-"
    means = np.array([np.mean(values) for values in programs.values()])
    rng = np.random.default_rng(0)
    draws = rng.choice(means, (2000, len(means))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return f"{means.mean():.1%} ({low:.0%} to {high:.0%})"


def table_of(judged: list[Judgement]) -> Table:
    table = Table(title="How well the rules judge", title_justify="left")
    for head in ("source", "half", "sick", "detected", "named", "named or accepted"):
        table.add_column(head)
    for head in ("findings right", "healthy", "alarmed"):
        table.add_column(head)
    for source in ("lab", "sb3", "public"):
        for half in ("tune", "held out"):
            mine = [j for j in judged if j.run.source == source and j.run.half == half]
            sick = [j for j in mine if j.run.label == "sick"]
            well = [j for j in mine if j.run.label != "sick"]
            labelled = [j for j in sick if j.run.expect or j.run.accept]
            codes = [(c, j) for j in labelled for c in j.codes]
            right = [c in (*j.run.expect, *j.run.accept) for c, j in codes]
            table.add_row(
                source,
                half,
                str(len(sick)),
                share(sick, lambda j: j.alarmed),
                share(labelled, lambda j: j.named),
                share(labelled, lambda j: j.named_or_accepted),
                f"{np.mean(right):.1%}" if right else "-",
                str(len(well)),
                share(well, lambda j: j.alarmed),
            )
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dir", type=Path, default=ROOT / ".scoreboard")
    parser.add_argument("--only", nargs="*", default=("lab", "sb3", "public"))
    parser.add_argument("--list", action="store_true", help="every miss, misnaming and false alarm")
    parser.add_argument("--half", default="tune", help="which half to list; not the untouched one")
    parser.add_argument("--programs", help="a pattern; only programs whose name matches it")
    parser.add_argument("--fast", action="store_true", help="leave out since when, and leads")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    runs = [*lab_runs(options.dir), *sb3_runs(SHARED), *public_runs(SHARED)]
    runs = [run for run in runs if run.source in options.only]
    if options.programs:
        runs = [run for run in runs if re.search(options.programs, run.program)]
    console = Console(width=170)
    judged: list[Judgement] = []
    with (
        Progress(console=console, transient=True) as bar,
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
    ):
        shown = bar.add_task("judging", total=len(runs))
        for found in pool.map(partial(judge, since_when=not options.fast), runs, chunksize=8):
            bar.advance(shown)
            if isinstance(found, str):
                console.print(f"not judged: {found}")
            else:
                judged.append(found)
    if options.list:
        listing([one for one in judged if one.run.half == options.half], console)
    console.print(table_of(judged))


def listing(judged: list[Judgement], console: Console) -> None:
    """One line per program and kind of mistake."""
    programs: dict[str, list[Judgement]] = {}
    for one in judged:
        programs.setdefault(one.run.program, []).append(one)
    lines = []
    for name, runs in programs.items():
        sick = runs[0].run.label == "sick"
        mistakes = {
            "missed": [j for j in runs if sick and not j.alarmed],
            "misnamed": [j for j in runs if sick and j.run.expect and j.alarmed and not j.named],
            "false alarm": [j for j in runs if not sick and j.alarmed],
        }
        for kind, found in mistakes.items():
            if found:
                said = Counter((j.verdict, " ".join(j.codes[:5])) for j in found).most_common(3)
                heard = "; ".join(f"{verdict}: {codes or '-'}" for (verdict, codes), _ in said)
                truth = f"expected {' '.join(runs[0].run.expect)}" if sick else runs[0].run.label
                lines.append(f"{kind:11} {len(found)} of {len(runs)} {name} | {heard} | {truth}")
    for line in sorted(lines):
        console.print(line, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
