"""How long each rule takes on a run with 10,000 points of every metric that the catalog knows.

    python -m benchmarks.judging.rules_speed --points 10000 --top 15

Times are the best of three, for the kind of training on which the rule takes longest, and in
multiples of what NumPy takes for the median of one such series.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from runvitals import catalog
from runvitals.model import Run
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule, rules
from runvitals.testing import make_run

ALGORITHMS = ("PPO", "DQN", "GRPO", "DPO", "Reward model", "SFT")


def best_of_three(work: Callable[[], object]) -> float:
    """Seconds."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def long_run(algorithm: str, points: int) -> Run:
    """Every metric, wandering upwards."""
    rng = np.random.default_rng(0)
    course = np.linspace(0.1, 0.6, points)
    series = {
        metric: course + 0.05 * rng.normal(size=points)
        for metric in (*catalog.METRICS, "eval/return_mean", "eval/lm/loss", "eval/rm/accuracy")
    }
    return make_run(series, algorithm=algorithm)


def seconds_of(rule: Rule, run: Run) -> float:
    """What the rule itself takes; the outcome and the series it needs are there already."""
    patient = Patient(run)
    if rule.missing(patient) is not None:
        return 0.0
    patient.outcome  # noqa: B018  computed once for all rules
    return best_of_three(lambda: rule.hits(patient))


def main() -> None:
    """Print the slowest rules."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--top", type=int, default=15)
    options = parser.parse_args()
    slowest: dict[str, tuple[float, str]] = dict.fromkeys(rules(), (0.0, ""))
    total: dict[str, float] = {}
    for algorithm in ALGORITHMS:
        run = long_run(algorithm, options.points)
        times = {code: seconds_of(rule, run) for code, rule in rules().items()}
        total[algorithm] = sum(times.values())
        for code, seconds in times.items():
            slowest[code] = max(slowest[code], (seconds, algorithm))
    median = best_of_three(lambda: np.median(np.random.default_rng(0).normal(size=options.points)))
    table = Table(title=f"The slowest rules, {options.points:,} points", title_justify="left")
    for head in ("rule", "ms", "medians", "on"):
        table.add_column(head, justify="right" if head in ("ms", "medians") else "left")
    for code, (seconds, algorithm) in sorted(slowest.items(), key=lambda one: -one[1][0])[
        : options.top
    ]:
        table.add_row(code, f"{1e3 * seconds:.2f}", f"{seconds / median:,.0f}", algorithm)
    console = Console(width=100)
    console.print(table)
    longest = max(total, key=lambda one: total[one])
    console.print(f"all {len(slowest)} rules: {1e3 * total[longest]:.0f} ms on {longest}, at most")


if __name__ == "__main__":
    main()
