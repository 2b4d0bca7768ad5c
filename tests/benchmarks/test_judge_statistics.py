"""The figures, on judgements made up for the purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.judging.baselines import fell, flat_or_falling
from benchmarks.judging.labels import Labelled
from benchmarks.judging.runs import Judgement
from benchmarks.judging.statistics import figures, median, precision, share
from benchmarks.judging.tables import alarm_table, fault_table, mistake_table, table_by


def judged(
    program: str, *codes: str, label: str = "sick", half: str = "tune", **more: Any
) -> Judgement:
    truth: dict[str, Any] = {"expect": ("KL001",), "accept": ("REW003",)} if label == "sick" else {}
    truth |= {name: more.pop(name) for name in list(more) if name in ("expect", "accept", "onset")}
    run = Labelled(Path(program), "lab", program, label, half=half, trainer="ppo", **truth)
    more.setdefault("stories", tuple((code,) for code in codes))
    return Judgement(run, codes, "sick" if codes else "learning", last_step=100, **more)


def test_a_program_counts_once_however_many_seeds_it_has() -> None:
    runs = [judged("a", "KL001"), judged("a", "KL001"), judged("a", "KL001"), judged("b")]

    found = share(runs, lambda one: one.alarmed)

    assert found is not None
    assert found.value == 0.5
    assert (found.runs, found.programs) == (4, 2)
    assert found.low < 0.5 < found.high


def test_few_programs_that_agree_are_no_certainty() -> None:
    none = share([judged("a"), judged("b"), judged("c")], lambda one: one.alarmed)
    every = share([judged("a", "KL001")], lambda one: one.alarmed)

    assert none is not None
    assert every is not None
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(1 - 0.025 ** (1 / 3))
    assert (every.low, every.value, every.high) == (pytest.approx(0.025), 1.0, 1.0)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        runs = [judged(str(k), *(["KL001"] if rng.random() < 0.7 else [])) for k in range(60)]
        found = share(runs, lambda one: one.alarmed)
        assert found is not None
        covered += found.low <= 0.7 <= found.high

    assert 176 <= covered <= 199


def test_there_is_no_figure_without_runs() -> None:
    assert share([], lambda one: one.alarmed) is None
    assert median([judged("a")], lambda one: one.delay) is None
    assert precision([judged("a", label="healthy")]) is None


def test_named_means_expected_among_the_first_three() -> None:
    late = judged("a", "A", "B", "C", "KL001")
    accepted = judged("b", "REW003", "OTHER")

    assert not late.named
    assert not accepted.named
    assert accepted.named_or_accepted


def test_what_a_finding_led_to_is_part_of_it() -> None:
    told = judged("a", "A", "B", "C", "KL001", stories=(("A", "B", "C", "KL001"),))

    assert told.named
    assert not told.named_strictly


def test_precision_counts_findings_and_only_where_the_fault_has_a_name() -> None:
    runs = [
        judged("a", "KL001", "OTHER"),
        judged("b", "REW003", "OTHER", "MORE", "YET"),
        judged("nameless", "OTHER", expect=(), accept=()),
    ]

    found = precision(runs)

    assert found is not None
    assert found.value == pytest.approx(2 / 6)
    assert found.runs == 6


def test_delay_is_counted_from_the_onset_and_never_negative() -> None:
    assert judged("a", "KL001", onset=40, first_seen=65).delay == 0.25
    assert judged("a", "KL001", onset=40, first_seen=20).delay == 0.0
    assert judged("a", "KL001", onset=None, first_seen=20).delay is None


def test_healthy_and_benign_runs_are_counted_apart_and_together() -> None:
    found = figures(
        [
            judged("well", label="healthy"),
            judged("well too", "KL001", label="healthy"),
            judged("harmless", "KL001", label="benign"),
        ]
    )

    assert found.healthy_alarmed is not None
    assert found.benign_alarmed is not None
    assert found.well_alarmed is not None
    assert found.healthy_alarmed.value == 0.5
    assert found.benign_alarmed.value == 1.0
    assert found.well_alarmed.value == pytest.approx(2 / 3)


# tables

BOTH = [
    judged("seen", "OTHER"),
    judged("seen"),
    judged("healthy one", "KL001", label="healthy"),
    judged("secret", half="held out"),
]


def test_mistakes_are_listed_by_program_with_what_was_said_instead() -> None:
    rows = mistake_table(BOTH, "tune").rows

    assert rows == [
        ("false alarm", "1 of 1", "healthy one", "sick: KL001", "healthy"),
        ("misnamed", "1 of 2", "seen", "sick: OTHER", "expected KL001"),
        ("missed", "1 of 2", "seen", "learning: none", "expected KL001"),
    ]


def test_of_the_other_half_only_totals_are_shown() -> None:
    tables = [fault_table(BOTH), alarm_table(BOTH), mistake_table(BOTH, "tune")]
    text = "\n".join(table.for_markdown() for table in tables)

    assert "| lab | held out | 1 | 0.0%" in text
    assert "secret" not in text


def test_a_table_by_trainer_has_a_row_each() -> None:
    table = table_by("By trainer", "trainer", BOTH, lambda one: one.run.trainer)

    assert [row[:2] for row in table.rows] == [("ppo", "3")]
    assert all(len(row) == len(table.head) for row in table.rows)


# simple judges


@pytest.mark.parametrize("judge", [fell, flat_or_falling])
def test_a_simple_judge_says_nothing_without_an_outcome(judge) -> None:
    assert not judge(None)
    assert not judge(np.array([1.0, 0.0]))


def test_simple_judges_tell_a_fall_and_a_flat_line_from_a_rise() -> None:
    rise = np.linspace(0, 10, 100)
    fall = np.concatenate([rise, np.linspace(10, 3, 50)])
    flat = np.random.default_rng(0).normal(0, 1, 100)

    assert (fell(rise), fell(fall)) == (False, True)
    assert (flat_or_falling(rise), flat_or_falling(fall), flat_or_falling(flat)) == (
        False,
        False,
        True,
    )
