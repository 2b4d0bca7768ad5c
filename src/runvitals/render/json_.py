"""JSON for machines. The schema is documented in docs/reference/check-json.md and kept stable."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runvitals.model import Finding, Run
from runvitals.render.judged import Judged
from runvitals.render.names import Named, NameTable
from runvitals.vitals import Vital

VERSION = 1


def as_json(judged: Sequence[Judged], problems: Sequence[str] = ()) -> dict[str, Any]:
    """All runs as plain data, and what could not be read."""
    return {
        "version": VERSION,
        "runs": [run_json(one) for one in judged],
        "problems": list(problems),
    }


def run_json(one: Judged) -> dict[str, Any]:
    """One run as plain data."""
    found = one.diagnosis
    return {
        "path": one.shown,
        "name": one.run.name,
        "framework": one.run.framework,
        "algorithm": one.run.algorithm,
        "status": one.run.status,
        "exit_code": one.exit_code,
        "last_step": one.run.last_step,
        "verdict": {
            "word": found.verdict.word,
            "reason": found.verdict.reason,
            "chance": found.verdict.chance,
            "outcome": found.verdict.outcome,
            "levels": None if found.verdict.levels is None else asdict(found.verdict.levels),
            "grades": list(map(asdict, found.verdict.grades)),
        },
        "warnings": list(one.warnings),
        "partial": one.run.partial,
        "nothing_to_judge": one.nothing_to_judge,
        "findings": [_finding(one) for one in found.findings if not one.about_log],
        "telemetry": list(map(_finding, found.telemetry)),
        "not_checked": [rule._asdict() for rule in found.not_checked],
        "clear": list(found.clear),
        "vitals": [vital_json(vital) for vital in one.vitals],
        "names": {
            "logged": len(one.names),
            "understood": one.known,
            "not_understood": list(one.not_understood),
        },
        "problems": list(found.problems),
        "settings_file": found.settings_file,
    }


def vitals_json(
    runs: Sequence[tuple[Run, Sequence[Vital]]], problems: Sequence[str] = ()
) -> dict[str, Any]:
    """Runs with their vitals; docs/reference/vitals-json.md describes it."""
    return {
        "version": VERSION,
        "runs": [
            {
                "path": str(run.path or "-"),
                "name": run.name or run.id,
                "framework": run.framework,
                "algorithm": run.algorithm,
                "last_step": run.last_step,
                "vitals": [vital_json(vital) for vital in vitals],
            }
            for run, vitals in runs
        ],
        "problems": list(problems),
    }


def vital_json(vital: Vital) -> dict[str, Any]:
    """A vital as plain data; numbers that JSON does not have are null."""
    held, usual = vital.range, vital.ranges.usual
    return {
        "name": vital.name,
        "metric": vital.metric,
        "group": vital.group,
        "level": vital.level if math.isfinite(vital.level) else None,
        "low": vital.low,
        "high": vital.high,
        "kind": None if held is None else held.kind,
        "source": vital.source,
        "why": None if held is None else held.why,
        "usual": None
        if usual is None
        else {"low": usual.low, "high": usual.high, "source": usual.source},
        "place": vital.side,
        "state": vital.state,
        "alarm": vital.alarm,
        "out_of_range": vital.out_of_range,
        "since": vital.since,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    limit = finding.limit
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "series": finding.series,
        "metric": finding.metric,
        "span": asdict(finding.span),
        "first_seen": finding.first_seen,
        "lead": finding.lead,
        "causes": list(finding.causes),
        "advice": finding.advice,
        "quotes": [quote.text for quote in finding.quotes],
        "samples": list(finding.samples),
        "limit": None if limit is None else {"value": limit.value, "source": limit.source},
        "also": list(finding.also),
        "rank": finding.rank,
        "preview": finding.preview,
        "accepted": finding.accepted or None,
        "area": finding.area,
        "about_log": finding.about_log,
        "follows": list(map(_finding, finding.follows)),
    }


def names_json(tables: Sequence[NameTable]) -> dict[str, Any]:
    """What names were taken to mean; docs/reference/names-json.md describes it."""
    return {
        "version": VERSION,
        "tables": [
            {
                "runs": [
                    {"path": str(run.path or "-"), "name": run.name or run.id} for run in table.runs
                ],
                "framework": table.runs[0].framework,
                "algorithm": table.runs[0].algorithm,
                "evidence": table.runs[0].evidence,
                "names": [named_json(one) for one in table.names],
            }
            for table in tables
        ],
    }


def named_json(one: Named) -> dict[str, Any]:
    """One name as plain data."""
    return {
        "name": one.name,
        "metric": one.metric,
        "title": one.title or None,
        "how": one.how or None,
        "tool": one.tool,
        "sure": one.sure or None,
        "labels": dict(one.labels),
        "candidates": list(map(asdict, one.candidates)),
        "map": one.map,
    }
