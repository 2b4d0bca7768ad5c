"""A finding stops a run only if what is planned would not take it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.diagnosis.live.standing import Standing
from runvitals.diagnosis.open_findings import Moment
from runvitals.model import Finding, Span
from runvitals.testing import make_run

CUT = Finding("LEN001", "cut", "critical", "clipped", Span(0, 9, 10), "74% are cut off")
NAN = replace(CUT, code="NUM001", message="the loss is not a number")
WISH = replace(CUT, code="EXP001", area="expectations", message="above 0.5")


def stopped_at(finding: Finding, looks: list[int], planned: int | None) -> list[int]:
    """The rows after which a finding that every look has found is a reason to stop."""
    standing, found = Standing(), []
    for rows in looks:
        done = None if planned is None else rows / planned
        if list(standing.lasting([finding], Moment(rows, rows, 0.0, done=done))):
            found.append(rows)
    return found


@pytest.mark.parametrize(
    ("planned", "expected"),
    [(1000, [272]), (100, [48]), (None, [1024])],
    ids=["a long plan", "a short plan", "no plan"],
)
def test_what_may_pass_has_to_stand_for_long(planned: int | None, expected: list[int]) -> None:
    assert stopped_at(CUT, list(range(16, 2000, 16)), planned) == expected


@pytest.mark.parametrize("finding", [NAN, WISH], ids=["not a number", "an expectation"])
def test_what_is_broken_stops_at_once(finding: Finding) -> None:
    assert stopped_at(finding, [16, 32], 1000) == [16]


def test_a_break_begins_anew() -> None:
    standing = Standing()
    told = [
        bool(
            list(
                standing.lasting(
                    [] if rows == 300 else [CUT], Moment(rows, rows, 0.0, done=rows / 1000)
                )
            )
        )
        for rows in (100, 200, 300, 400, 500, 700)
    ]

    assert told == [False] * 5 + [True]


def test_a_run_that_learns_to_end_its_answers_is_not_stopped() -> None:
    """A GRPO run of 40 steps: 74% of its answers are cut at first, its reward rises 0.25 to 0.42."""
    rng = np.random.default_rng(0)
    steps = np.arange(1, 41)
    rise = 1 / (1 + np.exp(-(steps - 28) / 2))
    reward = 0.25 + 0.17 * rise + rng.normal(0, 0.02, 40)
    cut = 0.74 - 0.5 * rise + rng.normal(0, 0.03, 40)
    standing = Standing()
    stops, critical = [], []
    for rows in range(5, 41):
        run = make_run(
            {
                "reward/mean": reward[:rows],
                "length/response_clip_ratio": cut[:rows],
                "policy/entropy": np.full(rows, 1.0) + 0.01 * rng.normal(size=rows),
            },
            algorithm="GRPO",
            config={"total_steps": 40},
            status="running",
        )
        found = judge_by_rules(run, Choice(ignore=("PERF",)), live=True, since_when=False)
        critical += [one.code for one in found.all_findings if one.severity == "critical"]
        moment = Moment(rows, rows, 0.0, done=rows / 40)
        stops += [
            one for one in standing.lasting(found.findings, moment) if one.severity == "critical"
        ]

    assert "LEN001" in critical
    assert stops == []
