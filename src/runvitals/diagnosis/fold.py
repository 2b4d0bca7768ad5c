"""Make one story of findings that belong together, and put the stories in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from runvitals.model import SEVERITIES, Finding
from runvitals.rules.causes import MECHANICAL, OUTCOMES
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule

SLACK_POINTS = 20  # a consequence may be seen so much earlier than its cause
SHORT_SLACK = 3  # the same, where it is only said in general that the one leads to the other


def fold(findings: Sequence[Finding], known: Mapping[str, Rule], patient: Patient) -> list[Finding]:
    """Put each consequence under the cause that explains it; the worst and earliest story first."""
    ordered = sorted(findings, key=_urgency)
    causes: dict[int, int] = {}  # consequence: its cause, by position
    for i, cause in enumerate(ordered):
        for j, effect in enumerate(ordered):
            if (
                i != j
                and j not in causes
                and not _leads_back(causes, i, j)
                and _explains(known[cause.code], cause, effect, patient)
            ):
                causes[j] = i
    stories = [_story(ordered, causes, i) for i in range(len(ordered)) if i not in causes]
    return sorted(stories, key=_urgency)


def _explains(rule: Rule, cause: Finding, effect: Finding, patient: Patient) -> bool:
    """Whether one may have led to the other, and was not there too late for that."""
    late = cause.span.first - effect.span.first
    if effect.code in rule.explains:
        return late <= 0 or late <= SLACK_POINTS * _distance(effect, patient)
    general = cause.is_alarm and rule.area in MECHANICAL and effect.code in OUTCOMES
    return general and (late <= 0 or late <= SHORT_SLACK * _distance(effect, patient))


def _urgency(finding: Finding) -> tuple[int, int, str, str]:
    worst = min(
        (SEVERITIES.index(f.severity) for f in (finding, *finding.follows)),
        default=len(SEVERITIES),
    )
    return worst, finding.span.first, finding.code, finding.series


def _story(ordered: Sequence[Finding], causes: Mapping[int, int], i: int) -> Finding:
    effects = tuple(_story(ordered, causes, j) for j, cause in causes.items() if cause == i)
    finding = ordered[i]
    if not effects:
        return finding
    effects = tuple(sorted(effects, key=lambda effect: (effect.span.first, effect.code)))
    worst = min((finding, *effects), key=lambda f: SEVERITIES.index(f.severity)).severity
    return replace(finding, follows=effects, severity=worst)


def _leads_back(causes: Mapping[int, int], start: int, target: int) -> bool:
    """Whether the chain of causes from `start` comes by `target`."""
    at: int | None = start
    while at is not None:
        if at == target:
            return True
        at = causes.get(at)
    return False


def _distance(finding: Finding, patient: Patient) -> float:
    """The usual number of steps between two points of the finding's series."""
    series = patient.raw(finding.series)
    if series is None or len(series) < 2:
        return 0.0
    return float(np.median(np.diff(series.steps)))
