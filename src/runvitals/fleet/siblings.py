"""Runs of one folder held against each other, after each was judged by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runvitals.comparison.siblings import (
    FAMILY,
    Described,
    Siblings,
    alike_siblings,
    judged_by_siblings,
)
from runvitals.diagnosis.engine import Choice
from runvitals.fleet.facts import RunFacts
from runvitals.model import (
    Diagnosis,
    OutcomeCurve,
    Series,
    SiblingCurves,
)
from runvitals.render.judged import Evidence, Judged
from runvitals.rules.outcome.roles import LOWER_IS_BETTER
from runvitals.rules.registry import rules


def held_against_siblings(
    judged: Sequence[Judged], facts: Sequence[RunFacts], choice: Choice
) -> list[Judged]:
    """The same judgements, with what the rules about siblings say of runs that have enough of them."""
    if not any(choice.wants(one) for one in rules().values() if one.code.startswith(FAMILY)):
        return list(judged)
    described = [
        Described(str(i), one.name, (one.project, one.framework, one.algorithm), one.settings)
        for i, one in enumerate(facts)
    ]
    groups = alike_siblings(described)
    return [
        one if (mine := groups.get(str(i))) is None else _held(one, i, facts, mine, choice)
        for i, one in enumerate(judged)
    ]


def _held(
    judged: Judged, place: int, facts: Sequence[RunFacts], group: Siblings, choice: Choice
) -> Judged:
    own = facts[place]
    others = [facts[int(id)] for id in group.runs if facts[int(id)].outcome == own.outcome]
    curves = [curve for one in others if (curve := _curve(one)) is not None]
    mine = _curve(own)
    if mine is None or own.outcome is None:
        return judged
    metric = _metric(judged)
    told = SiblingCurves(
        own.outcome, metric in LOWER_IS_BETTER, mine, tuple(curves), group.told(own.settings)
    )
    said = judged_by_siblings(told, choice, own.framework)
    evidence = {**judged.evidence}
    if said.findings and own.outcome not in evidence:
        steps = mine.steps.astype(np.int64)
        series = Series(own.outcome, steps, mine.values, np.full(len(steps), np.nan), metric)
        evidence[own.outcome] = Evidence(series, metric, own.framework)
    return replace(judged, diagnosis=_joined(judged.diagnosis, said), evidence=evidence)


def _joined(before: Diagnosis, said: Diagnosis) -> Diagnosis:
    not_checked = [one for one in before.not_checked if not one.code.startswith(FAMILY)]
    return replace(
        before,
        findings=(*before.findings, *said.findings),
        not_checked=(*not_checked, *said.not_checked),
        clear=(*before.clear, *said.clear),
    )


def _curve(run: RunFacts) -> OutcomeCurve | None:
    values = np.array(run.curve, np.float64)
    if run.curve_steps is None or len(values) < 2 or not np.isfinite(values).all():
        return None
    return OutcomeCurve(np.linspace(*run.curve_steps, len(values)), values)


def _metric(judged: Judged) -> str | None:
    name = judged.diagnosis.verdict.outcome
    return next((v.metric for v in judged.vitals if v.name == name), None)
