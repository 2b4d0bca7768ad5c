"""On how many real runs each rule has something to say.

    python -m benchmarks.judging.rule_coverage        the lab's runs and the reference logs, if there
    python -m benchmarks.judging.rule_coverage --only public sb3

A rule that never spoke about a run that somebody trained is only known from made-up series. Counts are
of runs: alarms (warnings and worse) on sick and on healthy ones, and notices on any.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.judging.labels import CORPUS, SOURCES, Labelled, labelled_runs

UNLABELLED = "other"


@dataclass
class Coverage:
    """Numbers of runs by rule; `checked`: those on which it could be run."""

    runs: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    sick: Counter[str] = field(default_factory=Counter)
    healthy: Counter[str] = field(default_factory=Counter)
    other: Counter[str] = field(default_factory=Counter)
    notices: Counter[str] = field(default_factory=Counter)

    def add(self, label: str, said: dict[str, str]) -> None:
        """Count what the rules said about one run: by code, how bad it is at worst."""
        counts = {"sick": self.sick, "healthy": self.healthy, "benign": self.healthy}
        self.runs += 1
        for code, worst in said.items():
            self.checked[code] += 1
            if worst in ("critical", "warning"):
                counts.get(label, self.other)[code] += 1
            elif worst == "notice":
                self.notices[code] += 1

    def spoke(self, code: str) -> int:
        """On how many runs a rule said anything."""
        every = (self.sick, self.healthy, self.other, self.notices)
        return sum(counts[code] for counts in every)


def findings_of(path: Path) -> list[dict[str, str]]:
    """Of each run below a path: the rules that were run, and the worst that each of them said."""
    import runvitals as rv
    from runvitals.diagnosis.engine import Choice
    from runvitals.diagnosis.judge import Settings, judge
    from runvitals.model import SEVERITIES, RunvitalsError

    try:
        opened = rv.open_runs(path)
    except RunvitalsError:
        return []
    found = []
    for run in opened:
        diagnosis = judge(run, Settings(Choice(preview=True)), since_when=False)
        said = dict.fromkeys(diagnosis.clear, "")
        for finding in diagnosis.all_findings:
            before = said.get(finding.code) or "notice"
            said[finding.code] = min(before, finding.severity, key=SEVERITIES.index)
        found.append(said)
    return found


def unlabelled(known: list[Labelled], corpus: Path) -> list[Labelled]:
    """The reference logs about which nobody said how they went."""
    paths = {run.path for run in known}
    folders = [path for path in sorted(corpus.glob("*")) if path.is_dir() and path.name != "public"]
    return [
        Labelled(path, UNLABELLED, path.name, UNLABELLED)  # type: ignore[arg-type]
        for path in folders
        if path not in paths
    ]


def table_of(coverage: Coverage, codes: dict[str, str]) -> Table:
    """A line for each rule."""
    table = Table(title=f"What the rules said about {coverage.runs:,} runs", title_justify="left")
    for head in ("rule", "name", "checked", "sick", "healthy", "unlabelled", "notices"):
        table.add_column(head, justify="left" if head in ("rule", "name") else "right")
    for code, name in codes.items():
        counts = (coverage.checked, coverage.sick, coverage.healthy, coverage.other)
        table.add_row(code, name, *(f"{c[code]:,}" for c in counts), f"{coverage.notices[code]:,}")
    return table


def main() -> None:
    """Print the table, and the rules that never spoke."""
    from runvitals.rules.registry import rules

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=(*SOURCES, UNLABELLED))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    known = labelled_runs()
    runs = [run for run in (*known, *unlabelled(known, CORPUS)) if run.source in options.only]
    console, coverage = Console(width=120), Coverage()
    with (
        Progress(console=console, transient=True) as bar,
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
    ):
        task = bar.add_task("looking", total=len(runs))
        said = pool.map(findings_of, [run.path for run in runs], chunksize=8)
        for run, found in zip(runs, said, strict=True):
            bar.advance(task)
            for one in found[-1:]:
                coverage.add(run.label, one)
    codes = {rule.code: rule.name for rule in rules().values()}
    console.print(table_of(coverage, codes))
    silent = [code for code in codes if not coverage.spoke(code)]
    never = [code for code in silent if not coverage.checked[code]]
    console.print(f"never spoke ({len(silent)}): {' '.join(silent)}")
    console.print(f"of these, never had what they need ({len(never)}): {' '.join(never)}")


if __name__ == "__main__":
    main()
