"""What a comparison comes to, in a sentence that claims no more than the runs show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runvitals.comparison.compare import Comparison
from runvitals.comparison.resampling import Interval
from runvitals.model.formatting import number

Word = Literal["better", "worse", "higher", "lower", "cannot tell"]


@dataclass(frozen=True)
class Conclusion:
    """A side against the first: the word, and the reason for it."""

    word: Word
    sentence: str


def conclude(found: Comparison, side: int) -> Conclusion:
    """Whether a side does better than the first at the end."""
    gap = found.difference(side, "end")
    letter, base = found.sides[side].letter, found.sides[0].letter
    direction: Word = "higher" if gap.amount > 0 else "lower"
    moved = f"{found.metric} ends {number(abs(gap.amount))} {direction} than in {base}"
    if gap.amount == 0:
        moved = f"{found.metric} ends as in {base}"
    counts = len(found.sides[0].members), len(found.sides[side].members)
    if gap.interval is None or gap.interval.kind == "within":
        return Conclusion("cannot tell", f"{letter}: {moved}; {_proves_nothing(counts)}")
    how = (
        f"{counts[0]} pairs of runs with the same seed"
        if gap.interval.kind == "pairs"
        else f"{counts[0]} against {counts[1]} runs"
    )
    sure = f"95% interval {_bounds(gap.interval)}; {how}"
    if not gap.interval.excludes_zero:
        alike = f"{letter} and {base} cannot be told apart by the end: {moved} ({sure})"
        return Conclusion("cannot tell", alike + _on_the_way(found, side))
    word = direction
    if found.sign:
        word = "better" if gap.amount * found.sign > 0 else "worse"
    return Conclusion(word, f"{letter} is {word}: {moved} ({sure})")


def _on_the_way(found: Comparison, side: int) -> str:
    """Whether they differ over the whole run, though not at its end."""
    gap = found.difference(side, "mean")
    if gap.interval is None or not gap.interval.excludes_zero:
        return ""
    direction = "higher" if gap.amount > 0 else "lower"
    return (
        f"; over the whole run its mean is {number(abs(gap.amount))} {direction} "
        f"(95% interval {_bounds(gap.interval)})"
    )


def _bounds(interval: Interval) -> str:
    low, high = interval.low, interval.high
    if low == high == 0:
        return "0 to 0"
    if low >= 0:
        return f"{number(low)} to {number(high)} higher"
    if high <= 0:
        return f"{number(-high)} to {number(-low)} lower"
    return f"{number(-low)} lower to {number(high)} higher"


def _proves_nothing(counts: tuple[int, int]) -> str:
    if counts == (1, 1):
        return "with one run per side this is inconclusive: seeds often differ by more"
    return "with a single run on one side that proves little; train it with other seeds too"
