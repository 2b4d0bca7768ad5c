"""What the outcomes of a run amount to: a word, its plot, and what rules may ask about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runvitals.model.finding import VerdictWord
from runvitals.rules.outcome.reading import Outcome, Outcomes

Plot = Literal[
    "rises",  # and goes on rising
    "holds",  # risen, or high, and stays there
    "lost",  # much of a clear rise is gone
    "worse",  # below its start
    "stuck",  # never rose, or by less than matters
    "low",  # rose, and stands still far from where it should be
    "parted",  # training gets better, held-out does not
    "missed",  # what is paid for gets better, success does not
    "steady",  # never rose, but began where a healthy run may well stay
    "unsure",
    "early",
    "none",
]

MIN_CALIBRATED = 21  # rows: chances of fewer are too sure (measured, see docs/scoreboard.md)
BAD: tuple[Plot, ...] = ("lost", "worse", "stuck", "low", "parted", "missed")


@dataclass(frozen=True)
class Health:
    """How the run does, by its outcomes: what every rule and every page goes by.

    | name | what it means |
    |---|---|
    | `good` | an outcome rose or is high, and no other contradicts |
    | `bad` | `falls`, or stuck, or parted from what training says |
    | `falls` | clearly worse than it was: at its best, or at the start |
    | `unsure` | logged often enough, but neither good nor bad can be shown |
    | `steady` | never rose, but began where a healthy run may well stay; `unsure` too |
    | `leans_up` | `unsure`, but a gain is likely more than chance |
    | `struggles` | `bad`, or `unsure` without these two: then odd signs are signs of trouble |
    | `gets_nowhere` | `struggles`, and shows no gain over its start |
    | `solved` | `good`, and next to its ceiling |
    | `early` | too few points, or too little of the plan |
    | `unknown` | no outcome was logged |
    | `silent` | `early` or `unknown` |
    """

    word: VerdictWord
    plot: Plot
    reason: str
    outcomes: Outcomes
    main: Outcome | None = None  # the series the word rests on

    @property
    def chance(self) -> float | None:
        """That the word is right; None where too few rows, or more than one series, decide it."""
        if self.main is None or self.main.course.points < MIN_CALIBRATED:
            return None
        chances = self.main.course.chances
        if self.good:
            return max(chances["rise"], chances["high"])
        if self.falls:
            return max(chances["lost"], chances["worse"])
        return 1 - chances["rise"] if self.plot == "stuck" else None

    @property
    def good(self) -> bool:
        """An outcome rose or is high, and no other contradicts."""
        return self.plot in ("rises", "holds")

    @property
    def falls(self) -> bool:
        """Clearly worse than it was: at its best, or at the start."""
        return self.plot in ("lost", "worse")

    @property
    def bad(self) -> bool:
        """It falls, is stuck, or training gets better at something else."""
        return self.plot in BAD

    @property
    def unsure(self) -> bool:
        """Logged often enough, but neither good nor bad can be shown."""
        return self.plot in ("unsure", "steady")

    @property
    def steady(self) -> bool:
        """It never rose, but began where a healthy run may well stay: at the top, or warm."""
        return self.plot == "steady"

    @property
    def struggles(self) -> bool:
        """Bad, or unsure and not leaning upwards: then odd signs are signs of trouble."""
        return self.bad or (self.plot == "unsure" and not self.leans_up)

    @property
    def leans_up(self) -> bool:
        """Neither good nor bad can be shown, but a gain that matters is likelier than not."""
        return self.plot == "unsure" and self.main is not None and self.main.course.leans_up

    @property
    def gets_nowhere(self) -> bool:
        """It struggles, and a gain over its start is unlikely."""
        return self.struggles and self.main is not None and not self.main.course.leans_up

    @property
    def solved(self) -> bool:
        """Good, and next to the most it can be: then little can be wrong."""
        return self.good and self.main is not None and self.main.course.shape == "high"

    @property
    def early(self) -> bool:
        """Too few points, or too little of the plan."""
        return self.plot == "early"

    @property
    def unknown(self) -> bool:
        """No outcome was logged."""
        return self.plot == "none"

    @property
    def silent(self) -> bool:
        """Early or unknown: the outcome says nothing, neither good nor bad."""
        return self.early or self.unknown
