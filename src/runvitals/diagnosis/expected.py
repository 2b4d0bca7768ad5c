"""Findings that the training script said to expect: shown, with its reason, but no alarm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from runvitals.model import Expectation, Finding
from runvitals.rules.registry import Rule


def accepted(finding: Finding, expectations: Iterable[Expectation]) -> Finding:
    """The finding, as a notice if the user expects it."""
    for one in expectations:
        if one.accepts(finding.code, finding.series):
            return replace(
                finding,
                severity="notice",
                accepted=one.reason,
                message=f"{finding.message} (expected here: {one.reason})",
            )
    return finding


def unknown_rules(expectations: Iterable[Expectation], known: Mapping[str, Rule]) -> list[str]:
    """What to say about expectations of rules that do not exist."""
    codes = [one.rule for one in expectations if one.rule is not None]
    return [f"expect(rule={code!r}): there is no such rule" for code in codes if code not in known]
