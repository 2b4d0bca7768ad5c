"""What each tool answers, as plain data. The judging itself is that of `runvitals check`."""

import difflib
import string
from collections.abc import Sequence
from typing import Any

from runvitals.comparison.compare import compare as compare_sides
from runvitals.comparison.member import Side, member_of
from runvitals.diagnosis.settings import find_rule
from runvitals.model import SEVERITIES, ConfigError
from runvitals.render.compare import as_json as comparison_json
from runvitals.render.json_ import named_json, vital_json
from runvitals.render.judged import fields
from runvitals.render.names import named
from runvitals.rules.registry import rules
from runvitals.server.mcp.allowed_runs import AllowedRuns
from runvitals.view.json_safe import json_safe, number
from runvitals.view.knowledge.look_up import look_up
from runvitals.view.knowledge.metrics_and_rules import rule_detail
from runvitals.view.points.axis_series import split_key
from runvitals.view.points.buckets import Points, thinned
from runvitals.view.schemas.judgement import FindingCard
from runvitals.view.schemas.run import RunRow
from runvitals.vitals import vitals_of

MAX_SIDES = 8
MAX_SERIES = 20
MAX_POINTS = 1_000  # of a series in one answer
SIGNIFICANT = 6  # digits; more are noise to a reader
WORST = 3  # findings that stand beside a verdict


def list_runs(reach: AllowedRuns, limit: int, offset: int, judge: bool) -> dict[str, Any]:
    """The newest runs, judged if that was asked for."""
    rows = reach.rows()
    wanted = rows[offset : offset + limit]
    if judge:
        wanted = [reach.row(row.id) for row in wanted]
    return {"count": len(rows), "runs": [_row(row) for row in wanted], "problems": reach.problems}


def verdict(reach: AllowedRuns, run: str) -> dict[str, Any]:
    """Is it learning: the word, why, the report card, and the worst findings."""
    found = reach.judged(reach.find(run))
    said = found.judgement
    mine = [one for one in said.findings if not one.about_log]
    return {
        **_row(found.row),
        "verdict": None if said.verdict is None else said.verdict.model_dump(),
        "nothing_to_judge": said.nothing_to_judge,
        "findings": [_short(one) for one in mine[:WORST]],
        "more_findings": max(0, len(mine) - WORST),
        "problems": said.problems,
        "settings_file": said.settings_file,
    }


def findings(reach: AllowedRuns, run: str, severity: str, not_checked: bool) -> dict[str, Any]:
    """What the rules found, those at least this grave, in full."""
    found = reach.judged(reach.find(run))
    said = found.judgement
    grave = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return {
        "run": found.row.id,
        "path": found.row.path,
        "findings": [one.model_dump() for one in said.findings if one.severity in grave],
        "clear": said.clear,
        "not_checked": [one.model_dump() for one in said.not_checked] if not_checked else [],
        "not_checked_count": len(said.not_checked),
    }


def vitals(reach: AllowedRuns, run: str, only_out_of_range: bool) -> dict[str, Any]:
    """Each metric's level beside the range that holds for such a run."""
    handle = reach.find(run)
    said = reach.judged(handle).judgement
    with reach.open(handle) as opened:
        found = [vital_json(one) for one in vitals_of(opened.run, said.findings)]
    outside = sum(one["out_of_range"] for one in found)
    shown = [one for one in found if one["out_of_range"] or not only_out_of_range]
    return {"run": opened.id, "out_of_range": outside, "vitals": json_safe(shown)}


def series(
    reach: AllowedRuns,
    run: str,
    names: Sequence[str],
    points: int,
    first_step: int | None,
    last_step: int | None,
) -> dict[str, Any]:
    """Series over the step; long ones as buckets in which no spike is lost."""
    if not names or len(names) > MAX_SERIES:
        raise ConfigError(f"`names` takes 1 to {MAX_SERIES} names, got {len(names)}")
    found = []
    with reach.open(reach.find(run)) as opened:
        for name in names:
            where = split_key(opened.run, name)
            if where is None:
                raise _no_series(name, opened.run.names())
            one_series = opened.axis_series.get(*where, "step")
            part = thinned(one_series, first_step, last_step, points)
            binding = opened.run.bindings.get(where[0])
            one: dict[str, Any] = {
                "name": where[0],
                "metric": None if binding is None else binding.metric,
                "count": part.count,
                "nonfinite_steps": [int(x) for x in part.nonfinite],
                "step": [int(x) for x in part.shown.x],
            }
            if isinstance(part.shown, Points):
                one["value"] = _short_numbers(part.shown.values)
            else:
                for key in ("mean", "low", "high"):
                    one[key] = _short_numbers(getattr(part.shown, key))
            found.append(one)
    return {"run": opened.id, "series": json_safe(found)}


def names_of(reach: AllowedRuns, run: str) -> dict[str, Any]:
    """What each logged name was taken to mean, and how surely."""
    with reach.open(reach.find(run)) as opened:
        told = fields(opened.run, "framework algorithm evidence")
        told["names"] = [named_json(one) for one in named(opened.run)]
    return {"run": opened.id, **json_safe(told)}


def compare(
    reach: AllowedRuns, sides: Sequence[Sequence[str]], metric: str | None, threshold: float | None
) -> dict[str, Any]:
    """What differs between runs, or groups of them, and how sure that is."""
    if not 2 <= len(sides) <= MAX_SIDES or not all(sides):
        raise ConfigError(f"`sides` takes 2 to {MAX_SIDES} lists of runs, none of them empty")
    made = []
    for letter, runs in zip(string.ascii_uppercase, sides, strict=False):
        members = []
        for told in runs:
            with reach.open(reach.find(told)) as opened:
                members.append(member_of(opened.run, reach.settings, metric))
        made.append(Side(letter, ", ".join(runs), tuple(members)))
    found = compare_sides(made, metric=metric, threshold=threshold)
    return dict(json_safe(comparison_json(found)))


def explain(name: str, framework: str | None, algorithm: str | None) -> dict[str, Any]:
    """What a metric, setting, symptom or word is."""
    return dict(json_safe(look_up(name, framework, algorithm)))


def rule(code: str) -> dict[str, Any]:
    """A rule of the book in full."""
    found = rule_detail(find_rule(code, rules()).code)
    assert found is not None
    return found.model_dump()


def _row(row: RunRow) -> dict[str, Any]:
    return {
        "run": row.id,
        **fields(row, "name path project status exit_code framework algorithm last_step"),
        **fields(row, "started updated"),
        "verdict": None if row.verdict is None else row.verdict.model_dump(),
        "alarms": row.alarms.model_dump(),
        "outcome": None if row.outcome is None else row.outcome.model_dump(exclude={"values"}),
        "problem": row.problem,
    }


def _short(finding: FindingCard) -> dict[str, Any]:
    return finding.model_dump(
        include={"code", "severity", "message", "series", "advice", "quotes", "samples", "span"}
    )


def _short_numbers(values: Any) -> list[float | None]:
    return [number(float(f"{value:.{SIGNIFICANT}g}")) for value in values.tolist()]


def _no_series(name: str, known: Sequence[str]) -> ConfigError:
    near = difflib.get_close_matches(name, known, n=5, cutoff=0.4)
    hint = f"did you mean {', '.join(near)}?" if near else "`names` gives all of them"
    return ConfigError(f"this run has no series {name!r}", hint=hint)
