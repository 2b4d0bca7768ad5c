"""Whether the chance beside a word is how often the word is right.

    python -m benchmarks.judging.calibration                     simulated curves, whose truth is known
    python -m benchmarks.judging.calibration FOLDER ...          and labelled logs (an index.json each)
    python -m benchmarks.judging.calibration --write FOLDER ...  into docs/scoreboard.md

Curves that rise, fall, rise and fall again or stand still, by much or by little, with noise that
remembers and comes unevenly, are read like any outcome. A word is right if the curve without its noise
did what the word says. For a labelled log a good word is right on a healthy one and a bad word on a
sick one. Said and true are compared in five bins of equally many series. Nothing is fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from benchmarks.judging.evidence import LabelledLog, labelled_logs
from benchmarks.judging.page import PAGE, put
from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import FloatArray
from runvitals.rules.outcome.course import GIVEN_BACK, LARGE, Course, course
from runvitals.rules.outcome.health import MIN_CALIBRATED

SERIES = 14_000
BINS = 5
GOOD = ("learning", "learned")
BAD = ("stalled", "not learning", "collapsed", "diverged", "overfitting")
LENGTHS = ((20, MIN_CALIBRATED), (MIN_CALIBRATED, 2_000))  # rows
KINDS: tuple[Literal["return", "rate", "loss"], ...] = ("return", "rate", "loss")


class Said(NamedTuple):
    """A chance, and whether what it stood beside was so."""

    chance: float
    right: bool


class Simulated(NamedTuple):
    """A curve with noise, and without."""

    kind: Literal["return", "rate", "loss"]
    values: FloatArray  # turned, so that more is better
    true: FloatArray


def simulate(rng: np.random.Generator, rows: int) -> Simulated:
    """One curve: its shape, size, noise and memory are drawn."""
    kind = KINDS[rng.integers(len(KINDS))]
    time = np.linspace(0, 1, rows)
    form = rng.integers(5)
    rise = 1 - np.exp(-time / rng.uniform(0.05, 1.0))
    if form == 0:
        rise = np.zeros(rows)
    elif form == 1:
        rise = time
    elif form == 2:
        rise = 1 / (1 + np.exp(-(time - rng.uniform(0.2, 0.8)) / 0.05))
    elif form == 3:
        top = rng.uniform(0.3, 0.9)
        rise = np.where(time < top, time / top, 1 - rng.uniform(0, 1.5) * (time - top) / (1 - top))
    size = 10 ** rng.uniform(-2, 0.3) * rng.choice([1, 1, 1, -1])
    noise = 10 ** rng.uniform(-2.5, 0)
    memory = rng.uniform(0, 0.9)
    steps = rng.normal(size=rows) * np.sqrt(1 - memory**2)
    remembered = np.empty(rows)
    last = rng.normal()
    for i, step in enumerate(steps):
        last = remembered[i] = memory * last + step
    remembered *= noise * np.exp(rng.uniform(-1, 1) * time)
    if kind == "loss":
        true = -np.exp(np.log(2.0) - size * rise)
        return Simulated(kind, true * np.exp(0.5 * remembered), true)
    if kind == "rate":
        true = np.clip(0.4 + 0.5 * size * rise, 0, 1)
        return Simulated(kind, np.clip(true + 0.3 * remembered, 0, 1), true)
    true = 100 * (1 + size * rise)
    return Simulated(kind, true + 100 * remembered, true)


def said_of(one: Simulated) -> tuple[str, Said] | None:
    """What is said of a curve, with its chance; None if it is left open."""
    read = course(one.values, one.kind)
    true = one.true
    if read.good:
        return "good", Said(read.chances["rise"], bool(true[-1] - true[0] > read.matters))
    if read.falls:
        chance = max(read.chances["lost"], read.chances["worse"])
        return "falls", Said(chance, _fell(true, read))
    if read.shape == "flat":
        return "stuck", Said(1 - read.chances["rise"], bool(true[-1] - true[0] <= read.matters))
    return None


def _fell(true: FloatArray, read: Course) -> bool:
    start, best, end = true[0], true.max(), true[-1]
    much = LARGE * read.matters
    lost = best - start > much and best - end > max(GIVEN_BACK * (best - start), much)
    return bool(lost or start - end > much)


def on_curves(series: int = SERIES, seed: int = 0) -> dict[str, list[Said]]:
    """Chances and truths over simulated curves, by what was said and by the number of rows."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[Said]] = {}
    for fewest, most in LENGTHS:
        for _ in range(series // len(LENGTHS)):
            rows = int(np.exp(rng.uniform(np.log(fewest), np.log(most))))
            told = said_of(simulate(rng, rows))
            if told is not None:
                hidden = rows < MIN_CALIBRATED or told[0] == "stuck"
                name = f"{told[0]}, {fewest} to {most:,} rows{', not shown' * hidden}"
                found.setdefault(name, []).append(told[1])
    return dict(sorted(found.items(), key=lambda one: ("not shown" in one[0], one[0])))


def on_logs(logs: Iterable[LabelledLog]) -> list[Said]:
    """Chances and truths over labelled logs: every run with a chance beside its word."""
    found = []
    for log in logs:
        for run in log.runs() if log.kind != "other" else ():
            verdict = judge(run, Settings(), since_when=False).verdict
            if verdict.chance is not None and verdict.word in (*GOOD, *BAD):
                right = (verdict.word in GOOD) == (log.kind == "healthy")
                found.append(Said(verdict.chance, right))
    return found


def bins(said: Sequence[Said]) -> Iterator[tuple[float, float, int]]:
    """Mean chance, share that came true, and number, in five bins of equally many."""
    ordered = sorted(said)
    for part in np.array_split(np.arange(len(ordered)), BINS):
        if len(part):
            ones = [ordered[i] for i in part]
            yield (
                float(np.mean([one.chance for one in ones])),
                float(np.mean([one.right for one in ones])),
                len(ones),
            )


def table(found: dict[str, list[Said]]) -> Iterator[str]:
    """The reliability table in Markdown."""
    yield f"| what is said | {' | '.join(f'bin {i + 1}' for i in range(BINS))} | furthest apart |"
    yield f"|---|{'---|' * BINS}---|"
    for name, said in found.items():
        cells = [f"{chance:.0%}, {true:.0%} of {n}" for chance, true, n in bins(said)]
        cells += [""] * (BINS - len(cells))
        apart = max((abs(chance - true) for chance, true, _ in bins(said)), default=0.0)
        yield f"| {name} | {' | '.join(cells)} | {100 * apart:.0f} points |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--series", type=int, default=SERIES)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    given = parser.parse_args()
    found = on_curves(given.series)
    if given.folders:
        found["labelled logs, every word with a chance"] = on_logs(labelled_logs(given.folders))
    lines = list(table(found))
    print("\n".join(lines))
    if given.write:
        put("reliability", lines)


if __name__ == "__main__":
    main()
