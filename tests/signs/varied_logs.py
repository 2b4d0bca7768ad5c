"""Plays signs in logs of very different make: short and long, quiet and wild, early and late.

python -m tests.signs.varied_logs [-v] [--turn=N] [DOCUMENT OR SIGN ...]

`--turn`: other sizes and outcomes for each make, and other random numbers.

A second opinion on `table.py`, and made on its own: lengths of 40 to 3,000 rows, white,
autocorrelated and heavy-tailed noise, onsets between 5% and 90% of the run, other cadences, sizes
drawn anew, and names of other frameworks. A sign counts as spoken of if a finding names one of its
series (or has one of its codes); where the outcome fell or never rose, that finding must be an alarm.
Each log has a healthy twin of the same make, without the sign, which must not be alarmed.
"""

from __future__ import annotations

import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import (
    Diagnosis,
    FloatArray,
    Histogram,
    PointTable,
    RowBlock,
    Run,
    all_findings,
)
from runvitals.readers.bind import bind

BAD = ("stalled", "not learning", "collapsed", "diverged", "overfitting")


@dataclass(frozen=True)
class Make:
    """How a log is made."""

    rows: int
    noise: str  # white, memory or tails
    onset: float  # share of the run after which the sign shows
    every: int = 1  # steps between two rows
    loud: float = 1.0  # times the usual noise


MAKES = (
    Make(150, "memory", 0.2, 2048),
    Make(40, "white", 0.5, 1),
    Make(600, "tails", 0.7, 64, 0.7),
    Make(3000, "white", 0.05, 1, 1.3),
    Make(600, "memory", 0.5, 5, 0.6),
    Make(150, "tails", 0.7, 100, 0.8),
    Make(3000, "memory", 0.9, 1),
    Make(40, "tails", 0.2, 10000, 0.7),
)


@dataclass
class Log:
    """The series of one run while it is being made."""

    make: Make
    mode: str  # what the outcome does: `ok`, `flat`, `falls`, `stalls`
    rng: np.random.Generator
    size: float  # 0 to 1: how strong the sign is
    series: dict[str, FloatArray] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, FloatArray] = field(default_factory=dict)
    sparse: dict[str, int] = field(default_factory=dict)  # logged every so many rows only

    @property
    def n(self) -> int:
        """Rows."""
        return self.make.rows

    @property
    def t(self) -> FloatArray:
        """How far the run is at each row."""
        return (np.arange(self.n) + 0.5) / self.n

    @property
    def seconds(self) -> FloatArray:
        """How long each row took: longer where the log says that the loop is slower."""
        took = np.full(self.n, 4.0)
        for name in (
            "steps_per_second",
            "perf/throughput",
            "Performance/Generation_TokensPerSec",
            "Performance/Backprop_TokensPerSec",
        ):
            if name in self.series:
                took = took * np.median(self.series[name]) / self.series[name]
        return took

    @property
    def sick(self) -> np.ndarray:
        """The rows in which the sign shows."""
        return self.t >= self.make.onset

    def between(self, mild: float, strong: float) -> float:
        """A size of the sign, by factors."""
        return float(mild * (strong / mild) ** self.size)

    def noise(self, sd: float = 1.0) -> FloatArray:
        """Noise with this standard deviation."""
        sd *= self.make.loud
        if self.make.noise == "tails":
            return sd * self.rng.standard_t(4, self.n) / np.sqrt(2)
        fresh = self.rng.normal(size=self.n + 60)
        if self.make.noise == "white":
            return sd * fresh[60:]
        for at in range(1, len(fresh)):
            fresh[at] += 0.7 * fresh[at - 1]
        return sd * np.sqrt(1 - 0.49) * fresh[60:]

    def about(self, level: float | FloatArray, share: float = 0.1) -> FloatArray:
        """A positive series about a level."""
        return np.asarray(level * np.exp(self.noise(share)))

    def ramp(self, start: float, end: float, first: float = 0.0, last: float = 1.0) -> FloatArray:
        """From a level to another between two shares of the run."""
        return np.interp(self.t, [first, max(last, first + 1e-9)], [start, end])

    def outcome(self, low: float, high: float, noise: float) -> FloatArray:
        """What the outcome does in this mode; a fall begins with the sign, but after a rise."""
        top = max(self.make.onset, 0.4)
        down = min(0.15, (1 - top) / 3)
        course = {
            "ok": 1 - np.exp(-3 * self.t),
            "flat": 0 * self.t,
            "stalls": 0.35 * np.minimum(1, self.t / 0.2),
            "falls": np.interp(self.t, [0, top, top + down, 1], [0, 1, 0.05, 0.05]),
        }[self.mode]
        return low + (high - low) * course + self.noise(noise * (high - low))

    # ways to go wrong, of any series

    def times(self, name: str, mild: float, strong: float, until: float = 1.0) -> None:
        """It is at this many times its level since the onset."""
        factor = self.between(mild, strong)
        there = self.sick & (self.t <= until)
        self.series[name] = np.where(there, factor, 1.0) * self.series[name]

    def lies(self, name: str, mild: float, strong: float, share: float = 0.08) -> None:
        """It is at another level since the onset."""
        there = self.about(self.between(mild, strong), share)
        self.series[name] = np.where(self.sick, there, self.series[name])

    def drifts(self, name: str, mild: float, strong: float) -> None:
        """It goes to this many times its level, from the onset to the end."""
        factor = np.log(self.between(mild, strong))
        self.series[name] *= np.exp(self.ramp(0, factor, self.make.onset, 1.0))

    def spikes(self, name: str, mild: float, strong: float, count: int = 4) -> None:
        """Single rows are far off, after the onset; absolute sizes."""
        late = np.flatnonzero(self.sick & (np.arange(self.n) >= 14))
        at = self.rng.choice(late, min(count, len(late)), replace=False)
        self.series[name] = self.series[name].copy()
        self.series[name][at] = self.between(mild, strong)


Play = Callable[[Log], None]


@dataclass(frozen=True)
class Case:
    """A sign, on the healthy run it is played on."""

    document: str
    name: str
    healthy: Play
    play: Play
    targets: tuple[str, ...] = ()  # series of which one has to be named
    codes: tuple[str, ...] = ()  # or rules of which one has to speak
    modes: tuple[str, ...] = ("ok", "flat", "falls")
    harm: tuple[str, ...] = ("flat", "falls")
    says: str = ""
    makes: tuple[Make, ...] = MAKES
    words: tuple[str, ...] = ()  # verdicts of which one has to be given
    also_names: tuple[dict[str, str], ...] = ()  # other frameworks' names


@dataclass(frozen=True)
class Result:
    """What was said of one log."""

    case: Case
    make: Make
    mode: str
    size: float
    said: str
    verdict: str
    codes: tuple[str, ...]

    @property
    def harmful(self) -> bool:
        """Whether an alarm is called for."""
        return self.mode in self.case.harm

    @property
    def alarmed(self) -> bool:
        """Whether there is one."""
        return self.said in ("warning", "critical")


def run_of(log: Log, names: dict[str, str]) -> Run:
    """The run as a reader would give it, under other names where there are some."""
    table = PointTable()
    steps = log.make.every * np.arange(1, log.n + 1, dtype=np.int64)
    times = 1.7e9 + np.cumsum(log.seconds * np.abs(1.0 + 0.05 * log.rng.normal(size=log.n)))
    for name, values in log.series.items():
        every = log.sparse.get(name, 1)
        seen = np.arange(log.n) % every == every - 1
        values, written = np.asarray(values)[seen], names.get(name, name)
        if written.startswith("-"):
            values, written = -values, written[1:]
        if written:
            table.add(RowBlock((written,), steps[seen], times[seen], values[:, None]))
    run = Run(id="made", name="made", points=table, status="finished", config=dict(log.config))
    histograms = tuple(_histograms(log, steps.tolist(), times.tolist()))
    run.read_events = lambda: histograms
    return bind(run)


def _histograms(log: Log, steps: list[int], times: list[float]) -> Iterator[Histogram]:
    for name, rows in log.samples.items():
        for step, time, values in zip(steps, times, rows, strict=True):
            counts, edges = np.histogram(values, bins=30)
            yield Histogram(name, step, time, edges, counts.astype(np.float64))


def _log(case: Case, make: Make, mode: str, size: float, *, sick: bool) -> Log:
    seed = zlib.crc32(
        f"{case.healthy.__name__ if not sick else case.name}{make}{mode}{size}".encode()
    )
    log = Log(make, mode, np.random.default_rng(seed), size)
    case.healthy(log)
    if sick:
        case.play(log)
    return log


def play(case: Case, turn: int = 0) -> Iterator[Result]:
    """Every make of a sign."""
    for at, make in enumerate(case.makes):
        mode = case.modes[(at + turn) % len(case.modes)]
        size = (0.0, 0.7, 0.3, 1.0, 0.5)[(at + 2 * turn) % 5]
        log = _log(case, make, mode, size, sick=True)
        other = case.also_names[at % len(case.also_names)] if case.also_names else {}
        found = judge(run_of(log, other), Settings(), since_when=False)
        assert not found.problems, found.problems
        yield Result(case, make, mode, size, *_said(case, found, other))


_RANK = {"critical": 0, "warning": 1, "notice": 2}


def _said(case: Case, found: Diagnosis, other: dict[str, str]) -> tuple[str, str, tuple[str, ...]]:
    every = list(all_findings(found.findings))
    targets = {other.get(name, name).removeprefix("-") for name in case.targets}
    speaking = []
    for one in every:
        if one.code.startswith("DATA") and not case.codes:
            continue  # it names what was logged, not what is wrong
        told = " ".join((one.message, one.advice, *one.causes)).lower()
        mine = (
            one.code in case.codes
            if case.codes
            else (
                one.series in targets
                or bool(targets & set(one.also))
                or any(t in told for t in targets)
            )
        )
        if mine and case.says.lower() in told:
            speaking.append(one.severity)
    said = min(speaking, key=_RANK.__getitem__, default="")
    word = found.verdict.word
    if case.words and word not in case.words:
        said = ""
    return said, word, tuple(f"{one.code}:{one.severity[0]}" for one in every)


@cache
def _twin(
    healthy: Play, make: Make, names: tuple[tuple[str, str], ...]
) -> tuple[str, tuple[str, ...]]:
    case = Case("", "", healthy, lambda log: None)
    log = _log(case, make, "ok", 0.0, sick=False)
    found = judge(run_of(log, dict(names)), Settings(), since_when=False)
    return found.verdict.word, tuple(f"{one.code}: {one.message}" for one in found.alarms)


def main(arguments: list[str]) -> None:
    """Play what was asked for, and count."""
    from tests.signs.varied_cases import CASES

    wanted = [word for word in arguments if not word.startswith("-")]
    chosen = [
        one for one in CASES if not wanted or any(w in f"{one.document} {one.name}" for w in wanted)
    ]
    turn = next((int(word[7:]) for word in arguments if word.startswith("--turn=")), 0)
    results = [one for case in chosen for one in play(case, turn)]
    for one in results:
        if "-v" in arguments or not one.said or (one.harmful and not one.alarmed):
            make = one.make
            print(
                f"{one.said or 'SILENT':8} {one.case.document} {one.case.name} [{one.mode}"
                f"{'!' if one.harmful else ''}] {make.rows} {make.noise} {make.onset:.0%} size "
                f"{one.size} -> {one.verdict}; {' '.join(one.codes)}"
            )
    _count(results)


def _count(results: Iterable[Result]) -> None:
    results = list(results)
    by_document = defaultdict(list)
    for one in results:
        by_document[one.case.document].append(one)
    for document, mine in [*sorted(by_document.items()), ("all", results)]:
        harmful = [one for one in mine if one.harmful]
        fell = [one for one in harmful if one.mode == "falls"]
        makes = {
            (one.case.healthy, one.make, tuple(names.items()))
            for one in mine
            for names in one.case.also_names or ({},)
        }
        twins = {make: _twin(*make) for make in makes}
        alarmed = [alarms for _, alarms in twins.values() if alarms]
        words = Counter(word for word, _ in twins.values())
        whole = {one.case.name for one in mine} - {one.case.name for one in mine if not one.said}
        print(
            f"{document}: {len({one.case.name for one in mine})} signs ({len(whole)} in all logs), "
            f"spoken {sum(bool(one.said) for one in mine)} of {len(mine)}; harmful alarmed "
            f"{sum(one.alarmed for one in harmful)} of {len(harmful)}, where it fell "
            f"{sum(one.alarmed for one in fell)} of {len(fell)}; twins alarmed {len(alarmed)} of "
            f"{len(twins)} {dict(words)}"
        )
        if document != "all":
            for (healthy, make, _), (word, alarms) in twins.items():
                if alarms or word in BAD:
                    print(f"   twin of {healthy.__name__} {make}: {word} {alarms}")


if __name__ == "__main__":
    main(sys.argv[1:])
