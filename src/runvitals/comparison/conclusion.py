"""What a comparison comes to, in a sentence that claims no more than the runs show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runvitals.comparison.compare import Comparison
from runvitals.exporters.formatting import number

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
        f"{counts[0]} pairs of one seed each"
        if gap.interval.kind == "pairs"
        else f"{counts[0]} against {counts[1]} runs"
    )
    sure = f"95 % interval {number(gap.interval.low)} to {number(gap.interval.high)}, {how}"
    if not gap.interval.excludes_zero:
        return Conclusion(
            "cannot tell", f"{letter} and {base} cannot be told apart: {moved} ({sure})"
        )
    word = direction
    if found.sign:
        word = "better" if gap.amount * found.sign > 0 else "worse"
    return Conclusion(word, f"{letter} is {word}: {moved} ({sure})")


def _proves_nothing(counts: tuple[int, int]) -> str:
    if counts == (1, 1):
        return "one run a side proves nothing, for seeds alone often differ by more"
    return "with a single run on one side that proves little; train it with other seeds too"
