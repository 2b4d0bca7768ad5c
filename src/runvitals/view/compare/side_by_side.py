"""Runs side by side: settings that differ, where each metric ended, what the rules said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runvitals import catalog
from runvitals.comparison.sweep import shared_outcome
from runvitals.model import SEVERITIES, Finding, Series
from runvitals.render.judged import fields
from runvitals.view.json_safe import meant, number, scalars
from runvitals.view.run.figures import level, names_of, reading_order
from runvitals.view.run.kept import KeptRun
from runvitals.view.run.open_run import OpenRun
from runvitals.view.run.row import newest_rows
from runvitals.view.schemas.comparison import (
    ComparedRun,
    ComparisonPage,
    ConfigDifference,
    FinalValues,
    Group,
    SharedFinding,
)
from runvitals.view.schemas.judgement import Scalar, VerdictWord
from runvitals.view.schemas.run import OutcomeSpark

MAX_METRICS = 400
ALL = "*"  # to group by it puts all runs together


@dataclass(frozen=True)
class SideMember:
    """What a comparison keeps of one run."""

    id: str
    name: str
    project: str
    status: str
    last_step: int | None
    steps_per_second: float | None
    points: int
    updated: float | None
    config: Mapping[str, Scalar]
    ends: Mapping[str, tuple[float | None, float | None]]  # by metric or name: level and last value
    verdict: VerdictWord | None = None
    findings: Sequence[Finding] = ()
    outcomes: Sequence[str] = ()  # the most trustworthy first


def member_of(opened: OpenRun, known: KeptRun, wanted: Sequence[str]) -> SideMember:
    """Keep of a run what is compared: these metrics, or all if there are none.

    `known`: what was said when it was judged, if it was.
    """
    row = None if known.said is None else known.row
    run = opened.run
    names = names_of(run)
    if wanted:
        asked = {meant(name, names) for name in wanted}
        names = [name for name in names if name in asked]
    told = None if row is None else row.outcome
    return SideMember(
        id=opened.id,
        name=run.name or run.id,
        project=run.project or opened.place.path.absolute().parent.name,
        status=run.status,
        last_step=run.last_step,
        steps_per_second=number(newest_rows(run).steps_per_second),
        points=run.points.count,
        updated=opened.stamp[2] / 1e9 or None,
        config=scalars(run.settings) | scalars(run.config),
        ends={name: _end(series, told) for name in names if (series := run.get(name)) is not None},
        verdict=None if row is None else row.verdict,
        findings=known.findings,
        outcomes=() if row is None else row.outcomes,
    )


def member_from_list(known: KeptRun, wanted: Sequence[str]) -> SideMember:
    """The same of a run that is not read again: what the list knows of it."""
    row, figures = known.row, known.figures
    ends = figures.ends()
    if wanted:
        asked = {figures.called(name) for name in wanted}
        ends = {name: end for name, end in ends.items() if name in asked}
    said = (
        "id name project status last_step steps_per_second points updated config verdict outcomes"
    )
    return SideMember(**fields(row, said), ends=ends, findings=known.findings)


def _end(series: Series, told: OutcomeSpark | None) -> tuple[float | None, float | None]:
    values = series.finite().values
    if not len(values):
        return None, None
    return number(level(series, values, told)), number(float(values[-1]))


def compare(members: Sequence[SideMember], group_by: Sequence[str]) -> ComparisonPage:
    """What differs between runs; runs with the same values of `group_by` are one group."""
    labels = [label_of(member.config, group_by, member.name) for member in members]
    groups: dict[str, list[str]] = {}
    for member, label in zip(members, labels, strict=True):
        groups.setdefault(label, []).append(member.id)
    return ComparisonPage(
        runs=[_run(member, label) for member, label in zip(members, labels, strict=True)],
        group_by=list(group_by),
        groups=[Group(label=label, runs=ids) for label, ids in groups.items()],
        config=_differing(members),
        table=[_final(name, members) for name in _names(members)],
        findings=_findings(members),
        metrics=[n for n in _names(members) if all(n in member.ends for member in members)],
    )


def label_of(config: Mapping[str, Scalar], group_by: Sequence[str], name: str) -> str:
    """What a group is called: the values its runs share, or the run's own name."""
    if not group_by:
        return name
    return ", ".join(f"{key}={config.get(key)}" for key in group_by if key != ALL) or "all runs"


def _run(member: SideMember, label: str) -> ComparedRun:
    return ComparedRun.model_validate({**vars(member), "group": label})


def _differing(members: Sequence[SideMember]) -> list[ConfigDifference]:
    keys = dict.fromkeys(key for member in members for key in member.config)
    found = []
    for key in keys:
        values = [member.config.get(key) for member in members]
        if any(value != values[0] for value in values):
            found.append(ConfigDifference(key=key, values=values))
    return found


def _names(members: Sequence[SideMember]) -> list[str]:
    """Metrics of any run: the outcome that most share, then in reading order, unknown names last."""
    names = dict.fromkeys(name for member in members for name in member.ends)
    first = shared_outcome([member.outcomes for member in members])
    return sorted(names, key=lambda name: (name != first, reading_order(name)))[:MAX_METRICS]


def _final(name: str, members: Sequence[SideMember]) -> FinalValues:
    known = catalog.metric(name)
    ends = [member.ends.get(name, (None, None)) for member in members]
    return FinalValues(
        name=name,
        metric=None if known is None else known.id,
        title=name if known is None else known.title or known.id,
        direction="neutral" if known is None else known.direction,
        unit="" if known is None else known.unit,
        values=[level for level, _ in ends],
        last=[last for _, last in ends],
    )


def _findings(members: Sequence[SideMember]) -> list[SharedFinding]:
    found: dict[str, list[Finding | None]] = {}
    for index, member in enumerate(members):
        for finding in member.findings:
            mine = found.setdefault(finding.code, [None] * len(members))
            mine[index] = mine[index] or finding
    shared = [_shared(code, mine) for code, mine in found.items()]
    return sorted(shared, key=lambda one: (SEVERITIES.index(one.severity), one.code))


def _shared(code: str, mine: Sequence[Finding | None]) -> SharedFinding:
    worst = min(
        (finding for finding in mine if finding is not None),
        key=lambda finding: SEVERITIES.index(finding.severity),
    )
    return SharedFinding(
        code=code,
        name=worst.name,
        severity=worst.severity,
        message=worst.message,
        first_steps=[None if one is None else one.span.first for one in mine],
    )
