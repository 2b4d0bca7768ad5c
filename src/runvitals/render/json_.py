"""JSON for machines. The schema is documented in docs/reference/check-json.md and kept stable."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from runvitals.model import Finding, Run
from runvitals.render.judged import Judged, fields
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
        **fields(one.run, "name framework algorithm status"),
        "exit_code": one.exit_code,
        "last_step": one.run.last_step,
        "verdict": {
            **fields(found.verdict, "word reason chance outcome"),
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
        **fields(found, "problems settings_file"),
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
        **fields(vital, "name metric group"),
        "level": vital.level if math.isfinite(vital.level) else None,
        **fields(vital, "low high"),
        "kind": None if held is None else held.kind,
        "source": vital.source,
        "why": None if held is None else held.why,
        "usual": None if usual is None else fields(usual, "low high source"),
        "place": vital.side,
        **fields(vital, "state alarm out_of_range since"),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    limit = finding.limit
    return {
        **fields(finding, "code name severity message series metric"),
        "span": asdict(finding.span),
        **fields(finding, "first_seen lead causes advice"),
        "quotes": [quote.text for quote in finding.quotes],
        "samples": list(finding.samples),
        "limit": None if limit is None else fields(limit, "value source"),
        **fields(finding, "also rank preview"),
        "accepted": finding.accepted or None,
        **fields(finding, "area about_log"),
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
                **fields(table.runs[0], "framework algorithm evidence"),
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
