"""How healthy groups of runs are, beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runvitals.model import SEVERITIES, Diagnosis, Finding


@dataclass(frozen=True)
class Illness:
    """A rule that fired: in how many runs of each side, and what it said first."""

    code: str
    name: str
    severity: str
    message: str
    runs: tuple[int, ...]
    first_step: tuple[int | None, ...]  # the earliest in each side


@dataclass(frozen=True)
class HealthComparison:
    """Verdicts of each side, and the findings that one side has more of than another."""

    verdicts: tuple[Mapping[str, int], ...]
    alarms: tuple[int, ...]  # runs with warnings or worse
    differing: tuple[Illness, ...]
    shared: tuple[Illness, ...]  # as frequent on all sides


def health_of(sides: Sequence[Sequence[Diagnosis]]) -> HealthComparison:
    """Compare what the rules said. Notices do not count."""
    illnesses = sorted(
        _illnesses(sides), key=lambda one: (SEVERITIES.index(one.severity), one.code)
    )
    shares = [
        {count / len(side) for count, side in zip(one.runs, sides, strict=True)}
        for one in illnesses
    ]
    return HealthComparison(
        verdicts=tuple(Counter(one.verdict.word for one in side) for side in sides),
        alarms=tuple(sum(bool(one.alarms) for one in side) for side in sides),
        differing=tuple(i for i, share in zip(illnesses, shares, strict=True) if len(share) > 1),
        shared=tuple(i for i, share in zip(illnesses, shares, strict=True) if len(share) == 1),
    )


def _illnesses(sides: Sequence[Sequence[Diagnosis]]) -> Iterator[Illness]:
    found: dict[str, list[dict[int, Finding]]] = {}  # by code and side: the first of each run
    for i, side in enumerate(sides):
        for j, diagnosis in enumerate(side):
            for finding in diagnosis.all_findings:
                if finding.is_alarm:
                    mine = found.setdefault(finding.code, [{} for _ in sides])
                    mine[i].setdefault(j, finding)
    for code, by_side in found.items():
        everywhere = [finding for mine in by_side for finding in mine.values()]
        worst = min(everywhere, key=lambda finding: SEVERITIES.index(finding.severity))
        yield Illness(
            code=code,
            name=worst.name,
            severity=worst.severity,
            message=worst.message,
            runs=tuple(len(mine) for mine in by_side),
            first_step=tuple(
                min((f.span.first for f in mine.values()), default=None) for mine in by_side
            ),
        )
