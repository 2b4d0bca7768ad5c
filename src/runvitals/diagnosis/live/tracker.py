"""Which findings are open: what comes and goes between two looks is not called out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from runvitals.model import SEVERITIES, Finding, FindingChange

PATIENCE = 2  # looks in a row after which a warning is believed, or believed to be over

Key = tuple[str, str]  # code, series


def key_of(finding: Finding) -> Key:
    """What makes a finding the same one at the next look."""
    return finding.code, finding.series


@dataclass
class _Open:
    finding: Finding
    part_of: str | None
    absent: int = 0


class Tracker:
    """Compares each look with the ones before.

    What is critical opens at once, the rest when it was seen twice in a row; what is gone twice in a
    row closes. The last look of a run is taken at its word.
    """

    def __init__(self, already: Iterable[FindingChange] = ()) -> None:
        self._open = {key_of(c.finding): _Open(c.finding, c.part_of) for c in already}
        self._seen: dict[Key, int] = {}

    def is_open(self, finding: Finding) -> bool:
        """Whether it was opened and not closed."""
        return key_of(finding) in self._open

    def update(
        self, stories: Sequence[Finding], step: int, time: float, *, last: bool = False
    ) -> list[FindingChange]:
        """What the findings of a new look change."""
        present = {key_of(finding): (finding, of) for finding, of in flattened(stories)}
        seen = {key: self._seen.get(key, 0) + 1 for key in present}
        changes: list[FindingChange] = []
        for key, (finding, part_of) in present.items():
            known = self._open.get(key)
            if known is None:
                if last or finding.severity == "critical" or seen[key] >= PATIENCE:
                    self._open[key] = _Open(finding, part_of)
                    changes.append(FindingChange("opened", finding, step, time, part_of))
            else:
                if _rank(finding) < _rank(known.finding):
                    changes.append(FindingChange("worsened", finding, step, time, part_of))
                self._open[key] = _Open(finding, part_of)
        for key, one in list(self._open.items()):
            if key not in present:
                one.absent += 1
                if last or one.absent >= PATIENCE:
                    del self._open[key]
                    changes.append(FindingChange("closed", one.finding, step, time, one.part_of))
        self._seen = seen
        return changes


def flattened(
    stories: Iterable[Finding], part_of: str | None = None
) -> Iterator[tuple[Finding, str | None]]:
    """Findings with their consequences, each with the code of what explains it."""
    for finding in stories:
        yield finding, part_of
        yield from flattened(finding.follows, finding.code)


def _rank(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
