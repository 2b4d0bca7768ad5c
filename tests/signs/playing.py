"""Plays the signs that the founding documents name, as noisy runs under the documents' own names.

A *sign* is one warning sign, healthy range or row of a troubleshooting table. It is played on the
healthy run of its document, in up to three settings: the outcome rises, stays flat, or collapses;
with several random seeds and two strengths. Names are bound the way a reader binds them: nobody
tells the framework or the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np

from runvitals.diagnosis.judge import Settings, judge
from runvitals.model import (
    Diagnosis,
    Finding,
    FloatArray,
    Histogram,
    IntArray,
    PointTable,
    RowBlock,
    Run,
    all_findings,
)
from runvitals.readers.bind import bind

SETTINGS = ("rising", "flat", "collapsing")
SEEDS = (11, 12, 13)
STRENGTHS = ("mild", "strong")
UPDATES = 280


@dataclass(frozen=True)
class Twist:
    """How a run differs from the usual one: its length, its noise, and when things begin."""

    updates: int = UPDATES
    noise: float = 1.0  # times the usual
    lag_1: float = 0.6  # autocorrelation of the noise
    later: float = 1.0  # things begin later above 1, sooner below
    rise: str = "saturating"  # how an outcome rises: that, `linear` or `late`


PLAIN = Twist()
TWISTS = tuple(
    Twist(updates, noise, lag_1, later, rise)
    for updates, noise, lag_1, later, rise in (
        (100, 1.0, 0.3, 1.0, "linear"),
        (140, 0.5, 0.8, 1.3, "saturating"),
        (200, 1.5, 0.0, 0.8, "late"),
        (400, 1.5, 0.6, 1.4, "linear"),
        (600, 0.7, 0.85, 0.7, "saturating"),
        (600, 1.3, 0.5, 1.2, "late"),
    )
)


@dataclass
class Tape:
    """The series of one run while it is being made: name to values, one per update."""

    setting: str  # what the outcome does: rising, flat or collapsing
    rng: np.random.Generator
    twist: Twist = PLAIN
    every: int = 1  # steps between two updates
    series: dict[str, FloatArray] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, FloatArray] = field(
        default_factory=dict
    )  # name to a row of values per update
    bins: int = 40  # of the histograms that `samples` are logged as

    @property
    def updates(self) -> int:
        """How many there are."""
        return self.twist.updates

    @property
    def way(self) -> FloatArray:
        """How far the run is at each update, 0 to 1."""
        return np.linspace(0.0, 1.0, self.updates) ** self.twist.later

    def noise(self, scale: float = 1.0) -> FloatArray:
        """AR(1) noise with this standard deviation."""
        lag_1, scale = self.twist.lag_1, scale * self.twist.noise
        fresh = self.rng.normal(size=self.updates + 50)
        for at in range(1, len(fresh)):
            fresh[at] += lag_1 * fresh[at - 1]
        return scale * float(np.sqrt(1.0 - lag_1**2)) * fresh[50:]

    def around(self, level: float | FloatArray, share: float = 0.15) -> FloatArray:
        """A positive series about a level that may itself move; `share` is its relative noise."""
        return level * np.exp(self.noise(share))

    def outcome(self, low: float, high: float, noise: float) -> FloatArray:
        """A score in this setting: it rises to `high`, stays at `low`, or rises and falls back."""
        way = self.way
        course = {
            "rising": {
                "saturating": 1.0 - np.exp(-3.5 * way),
                "linear": way,
                "late": 1.0 / (1.0 + np.exp(-10.0 * (way - 0.5))),
            }[self.twist.rise],
            "flat": np.zeros(self.updates),
            "collapsing": np.where(
                way < 0.55, way / 0.55, np.maximum(0.0, 1.0 - (way - 0.55) / 0.2)
            ),
        }[self.setting]
        return low + (high - low) * course + self.noise(noise)

    def from_then(self, share: float, before: FloatArray, after: FloatArray) -> FloatArray:
        """`before` up to this share of the run, `after` from then on."""
        return np.where(self.way < share, before, after)

    def ramp(self, start: float, end: float, first: float = 0.0, last: float = 1.0) -> FloatArray:
        """From `start` to `end`, between two shares of the run."""
        return np.interp(self.way, [first, max(last, first + 1e-9)], [start, end])


@dataclass(frozen=True)
class Document:
    """A founding document, and its healthy run in a setting."""

    name: str
    healthy: Callable[[Tape], None]


@dataclass(frozen=True)
class Sign:
    """One sign of a document, and what has to be said of it.

    `codes`: rules of which any may speak; `vital`: or the name whose vital may be out of range. Where
    harm is done (`harm`: the settings, of those played, in which it is) one of `codes` has to be a
    warning or worse, alone or within a story. `says`: words that have to stand in the message, causes
    or advice of a finding that speaks.
    """

    document: Document
    name: str
    play: Callable[[Tape, str], None]
    codes: tuple[str, ...]
    vital: str = ""
    settings: tuple[str, ...] = SETTINGS
    harm: tuple[str, ...] = ("flat", "collapsing")
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """One run of a sign, and what was said of it: `warning` or worse, `notice`, `vital`, or nothing."""

    sign: Sign
    setting: str
    strength: str
    seed: int
    said: str
    findings: tuple[Finding, ...]
    word: str
    twist: Twist = PLAIN

    @property
    def harmful(self) -> bool:
        """Whether the documents call for an alarm here."""
        return self.setting in self.sign.harm

    @property
    def alarmed(self) -> bool:
        """Whether it is an alarm."""
        return self.said in ("warning", "critical")


def run_of(tape: Tape) -> Run:
    """The run as a reader would give it."""
    table = PointTable()
    steps = tape.every * np.arange(1, tape.updates + 1, dtype=np.int64)
    times = 1.7e9 + 4.0 * np.arange(1, tape.updates + 1)
    for name, values in tape.series.items():
        seen = ~np.isnan(values) if np.isnan(values).any() else np.ones(len(values), bool)
        table.add(RowBlock((name,), steps[seen], times[seen], np.asarray(values)[seen][:, None]))
    run = Run(id="played", name="played", points=table, status="finished", config=dict(tape.config))
    histograms = tuple(_histograms(tape, steps, times))
    run.read_events = lambda: histograms
    return bind(run)


def _histograms(tape: Tape, steps: IntArray, times: FloatArray) -> Iterator[Histogram]:
    """Samples as they would be logged."""
    for name, rows in tape.samples.items():
        for step, time, values in zip(steps.tolist(), times.tolist(), rows, strict=True):
            values = values[np.isfinite(values)]
            if len(values):
                counts, edges = np.histogram(values, bins=tape.bins)
                yield Histogram(name, step, time, edges, counts.astype(np.float64))


def tape_of(document: Document, setting: str, seed: int, twist: Twist = PLAIN) -> Tape:
    """The healthy run of a document."""
    tape = Tape(setting, np.random.default_rng(seed), twist)
    document.healthy(tape)
    return tape


def play(sign: Sign, setting: str, strength: str, seed: int, twist: Twist = PLAIN) -> Played:
    """Make the run of a sign and judge it."""
    tape = tape_of(sign.document, setting, seed, twist)
    sign.play(tape, strength)
    run = run_of(tape)
    found = judge(run, Settings(), since_when=False)
    assert not found.problems, found.problems
    speaking = tuple(
        f for f in all_findings(found.findings) if f.code in sign.codes and _says(f, sign)
    )
    said = min((f.severity for f in speaking), key=_RANK.__getitem__, default="")
    if not said and sign.vital and sign.vital in _out_of_range(run):
        said = "vital"
    return Played(sign, setting, strength, seed, said, speaking, found.verdict.word, twist)


def play_all(signs: Iterable[Sign]) -> Iterator[Played]:
    """Signs in every setting, strength and seed."""
    for sign in signs:
        for setting in sign.settings:
            for strength in STRENGTHS:
                for seed in SEEDS:
                    yield play(sign, setting, strength, seed)


def play_each(signs: Iterable[Sign]) -> Iterator[Played]:
    """Signs in every setting and strength once; the seeds take turns."""
    seeds = cycle(SEEDS)
    for sign in signs:
        for setting in sign.settings:
            for strength in STRENGTHS:
                yield play(sign, setting, strength, next(seeds))


def play_twisted(signs: Iterable[Sign]) -> Iterator[Played]:
    """Signs in every setting and strength, once with each twist."""
    for sign in signs:
        for setting in sign.settings:
            for strength in STRENGTHS:
                for seed, twist in enumerate(TWISTS, start=31):
                    yield play(sign, setting, strength, seed, twist)


def healthy_twins(document: Document, count: int, twist: Twist = PLAIN) -> Iterator[Diagnosis]:
    """What is said of the document's healthy run, with this many seeds."""
    for seed in range(100, 100 + count):
        run = run_of(tape_of(document, "rising", seed, twist))
        yield judge(run, Settings(), since_when=False)


_RANK = {"critical": 0, "warning": 1, "notice": 2}


def _says(finding: Finding, sign: Sign) -> bool:
    told = " ".join((finding.message, finding.advice, *finding.causes)).lower()
    return all(words.lower() in told for words in sign.says)


def _out_of_range(run: Run) -> set[str]:
    """Names of the vitals that are out of their range."""
    from runvitals.vitals import vitals_of

    return {vital.name for vital in vitals_of(run) if vital.out_of_range}
