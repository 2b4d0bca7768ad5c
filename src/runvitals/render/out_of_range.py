"""The vitals that are out of their range, as the lines that `check` and `watch` show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from runvitals.model import Finding, Verdict, all_findings
from runvitals.vitals import Vital

WELL = ("learning", "learned")
UNDECIDED = ("cannot tell", "too early to tell")


def out_of_range(vitals: Iterable[Vital], shown: Iterable[Finding]) -> list[tuple[Vital, int]]:
    """One vital a metric, and how many more series of it there are.

    Left out are those of which a finding that is shown speaks already, also under another name.
    """
    spoken = {name for one in all_findings(shown) for name in (one.series, *one.also)}
    outside: dict[str, list[Vital]] = {}
    told = set()
    for vital in vitals:
        if vital.name in spoken or vital.metric in spoken:
            told.add(vital.metric)
        if vital.out_of_range:
            outside.setdefault(vital.metric, []).append(vital)
    return [(ones[0], len(ones) - 1) for metric, ones in outside.items() if metric not in told]


def lines(
    vitals: Iterable[Vital], shown: Sequence[Finding], verdict: Verdict, most: int | None = None
) -> Iterator[str]:
    """A line each, and what the outcome makes of it; of more than `most` only their number is told."""
    found = out_of_range(vitals, shown)
    suffers = so_far(verdict)
    for vital, others in found[:most]:
        more = f" (and {others} more of {vital.metric})" if others else ""
        yield f"{vital.in_words}{more}{suffers}"
    if most is not None and len(found) > most:
        yield f"{len(found) - most} more (runvitals vitals shows them)"


def so_far(verdict: Verdict) -> str:
    """What a line adds about the outcome; empty where that suffers, for then other lines tell."""
    if verdict.word in WELL:
        return "; the outcome is holding up so far"
    if verdict.outcome is None and verdict.word in UNDECIDED:
        return "; no outcome was logged to compare with"
    return ""
