"""A sweep as its page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from runvitals import catalog
from runvitals.comparison.importance import importances
from runvitals.comparison.regions import Region
from runvitals.comparison.sweep import Sweep, Trial, Varied, direction, shared_outcome, sweep_of
from runvitals.rules.registry import rules
from runvitals.view.run.figures import KeptFigures
from runvitals.view.run.judgement import BriefFinding
from runvitals.view.schemas.comparison import (
    SettingImportance,
    SweepAnswer,
    SweepBound,
    SweepImportance,
    SweepRegion,
    SweepRun,
    SweepSetting,
    TypicalFinding,
)
from runvitals.view.schemas.run import RunRow


@dataclass(frozen=True)
class KeptRun:
    """What is known of a run without opening it."""

    row: RunRow
    figures: KeptFigures
    findings: Sequence[BriefFinding]


def swept(runs: Sequence[KeptRun], outcome: str = "") -> Sweep:
    """The sweep that these runs are, by one outcome or by what most of them share."""
    metric = outcome or shared_outcome([run.row.outcomes for run in runs])
    return sweep_of([_trial(run, metric) for run in runs], metric, direction(metric))


def _trial(run: KeptRun, metric: str) -> Trial:
    row = run.row
    alarms = (f.code for f in run.findings if f.severity != "notice" and not f.about_log)
    name = run.figures.called(metric)
    return Trial(
        id=row.id,
        name=row.name,
        settings=row.config,
        verdict="" if row.verdict is None else row.verdict.word,
        rules=tuple(dict.fromkeys(alarms)),
        outcome=None if name is None else run.figures.ends()[name][0],
    )


def sweep_answer(project: str, sweep: Sweep, runs: Sequence[KeptRun]) -> SweepAnswer:
    """All that the page needs but the importance of settings, which takes longer."""
    known = catalog.metric(sweep.metric)
    counts = Counter(name for run in runs for name in run.row.outcomes)
    return SweepAnswer(
        project=project,
        metric=sweep.metric,
        title=sweep.metric if known is None else known.title or known.id,
        unit="" if known is None else known.unit,
        direction="neutral" if known is None else known.direction,
        sentence=sweep.sentence,
        outcomes=[name for name, _ in counts.most_common()],
        runs=[
            SweepRun(
                id=one.id,
                name=one.name,
                verdict=one.verdict or "not judged",
                failed=one.failed,
                outcome=one.outcome,
                rules=list(one.rules),
            )
            for one in sweep.trials
        ],
        settings=[_setting(one) for one in sweep.settings],
        regions=[_region(one, clear=i == sweep.best) for i, one in enumerate(sweep.regions)],
    )


def _setting(one: Varied) -> SweepSetting:
    return SweepSetting(
        key=one.key,
        numeric=one.numeric,
        log=one.log,
        choices=list(one.choices),
        values=list(one.values),
    )


def _region(one: Region, *, clear: bool) -> SweepRegion:
    known = rules()
    return SweepRegion(
        condition=one.condition,
        bounds=[
            SweepBound(key=b.key, low=b.low, high=b.high, words=list(b.words)) for b in one.bounds
        ],
        runs=list(one.runs),
        mean=None if one.mean is None else one.mean.mean,
        half=None if one.mean is None else one.mean.half,
        failed=one.failed,
        typical=[
            TypicalFinding(code=code, name=known[code].name if code in known else code, count=count)
            for code, count in one.typical
        ],
        clearly_best=clear,
    )


def sweep_importance(sweep: Sweep) -> SweepImportance:
    """How much each setting matters; takes seconds."""
    found = importances(sweep)
    return SweepImportance(
        settings=[
            SettingImportance(key=one.key, mean=one.mean, half=one.half, clear=one.clear)
            for one in found.settings
        ],
        floor=found.floor,
        explained=found.explained,
        problem=found.problem,
    )
