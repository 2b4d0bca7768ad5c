"""A sweep as its page shows it."""

from collections import Counter
from collections.abc import Sequence

from runvitals import catalog
from runvitals.comparison.importance import importances
from runvitals.comparison.regions import Region
from runvitals.comparison.sweep import Sweep, Trial, direction, shared_outcome, sweep_of
from runvitals.rules.registry import rules
from runvitals.view.run.kept import KeptRun
from runvitals.view.schemas.comparison import (
    SweepAnswer,
    SweepBound,
    SweepImportance,
    SweepRegion,
    SweepRun,
    SweepSetting,
    TypicalFinding,
)


def swept(runs: Sequence[KeptRun], outcome: str = "") -> Sweep:
    """The sweep that these runs are, by one outcome or by what most of them share."""
    metric = outcome or shared_outcome([run.row.outcomes for run in runs])
    return sweep_of([_trial(run, metric) for run in runs], metric, direction(metric))


def _trial(run: KeptRun, metric: str) -> Trial:
    row = run.row
    alarms = (finding.code for finding in run.findings if finding.is_alarm)
    figures = run.figures
    name = figures.called(metric)
    return Trial(
        id=row.id,
        name=row.name,
        settings=row.config,
        verdict="not judged" if row.verdict is None else row.verdict.word,
        rules=tuple(dict.fromkeys(alarms)),
        outcome=None if name is None else figures.ends()[name][0],
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
        runs=[SweepRun.model_validate(one, from_attributes=True) for one in sweep.trials],
        settings=[SweepSetting.model_validate(s, from_attributes=True) for s in sweep.settings],
        regions=[_region(one, clear=i == sweep.best) for i, one in enumerate(sweep.regions)],
    )


def _region(one: Region, *, clear: bool) -> SweepRegion:
    known = rules()
    return SweepRegion(
        condition=one.condition,
        bounds=[SweepBound.model_validate(b, from_attributes=True) for b in one.bounds],
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
    return SweepImportance.model_validate(importances(sweep), from_attributes=True)
