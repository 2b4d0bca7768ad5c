"""Write what was counted on held-back logs into docs/scoreboard.md: totals only, with their intervals.

    python -m benchmarks.judging.held_back --found 28/35 --alarmed 2/52 --praised 43/52 --verdict 70/87

The logs themselves stay unopened. Whoever holds them counts with the `check` of the version to publish:
*found* and *alarmed* are sick and healthy logs with a warning or worse that is not about the log, or
with a bad word; *praised* are healthy ones with a good word and no alarm; *verdict* are those whose
word alone is right. A log that cannot be opened is neither found nor praised.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.judging.page import put

Z = 1.96  # for an interval of 95%
WHAT = {
    "found": "sick logs with an alarm",
    "alarmed": "healthy logs with an alarm",
    "praised": "healthy logs called learning or learned",
    "verdict": "logs whose verdict is right",
}


def interval(count: int, total: int) -> tuple[float, float]:
    """Wilson's interval for a share.

    >>> low, high = interval(28, 35)
    >>> f"{low:.2f} to {high:.2f}"
    '0.64 to 0.90'
    """
    share, spread = count / total, Z**2 / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def rows(counts: dict[str, tuple[int, int]]) -> Iterator[str]:
    """The table in Markdown."""
    yield f"Counted on {datetime.now(UTC):%Y-%m-%d}."
    yield ""
    yield "| | counted | share | 95% interval |"
    yield "|---|---|---|---|"
    for name, (count, total) in counts.items():
        low, high = interval(count, total)
        share = f"{count / total:.0%} | {low:.0%} to {high:.0%}"
        yield f"| {WHAT[name]} | {count} of {total} | {share} |"


def _fraction(text: str) -> tuple[int, int]:
    count, total = map(int, text.split("/"))
    if not 0 <= count <= total or not total:
        raise argparse.ArgumentTypeError(f"expected a count of a total, such as 28/35, got {text}")
    return count, total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name, what in WHAT.items():
        parser.add_argument(f"--{name}", type=_fraction, help=what)
    given = vars(parser.parse_args())
    put("held-back", rows({name: counted for name, counted in given.items() if counted}))


if __name__ == "__main__":
    main()
