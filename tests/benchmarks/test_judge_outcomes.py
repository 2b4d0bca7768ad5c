"""How runs are called and what strictness costs, on judgements made up for the purpose."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.judging.curve import ALARMS, PLACES, PRAISE, curve_table, eager
from benchmarks.judging.labels import Labelled
from benchmarks.judging.outcomes import (
    outcome_tables,
    parts_table,
    price_table,
    trade_off_table,
    verdict_table,
)
from benchmarks.judging.runs import Judgement
from benchmarks.judging.statistics import share

from runvitals.rules.outcome.course import course


def judged(
    label: str, verdict: str, *codes: str, source: str = "made", half: str = "tune", **more: Any
) -> Judgement:
    truth = {"expect": ("KL001",)} if label == "sick" and source == "made" else {}
    family = "trl" if source == "made" else ""
    repository = more.pop("repository", "")
    run = Labelled(
        Path("x"), source, "x", label, half=half, family=family, repository=repository, **truth
    )
    return Judgement(run, codes, verdict, stories=tuple((code,) for code in codes), **more)


def test_a_bad_word_counts_like_an_alarm() -> None:
    assert judged("sick", "stalled").alarmed
    assert not judged("sick", "learning").alarmed


def test_findings_about_the_log_do_not_make_a_run_sick() -> None:
    messy = judged("healthy", "learning", "DATA003")

    assert not messy.alarmed
    assert messy.praised


def test_findings_about_the_log_count_where_the_log_is_the_fault() -> None:
    run = Labelled(Path("x"), "lab", "x", "sick", expect=("DATA004",))

    assert Judgement(run, ("DATA004",), "cannot tell").alarmed


def test_an_alarm_takes_the_praise_away() -> None:
    assert not judged("sick", "learning", "KL001").praised


def test_right_wrong_and_unsure_are_about_the_word_alone() -> None:
    runs = [
        judged("sick", "collapsed", "KL001"),
        judged("sick", "learning", "REW003"),
        judged("sick", "cannot tell"),
        judged("healthy", "learned"),
        judged("healthy", "too early"),
        judged("healthy", "stalled"),
        judged("benign", "stalled"),
    ]

    [row] = [row for row in verdict_table(runs).rows if row[0] == "made: trl"]

    assert row[2:] == (
        "2 of 3 (67%)",
        "0 of 3 (0%)",
        "1 of 3 (33%)",
        "1 of 3 (33%)",
        "1 of 3 (33%)",
        "2 of 6 (33%)",
        "2 of 6 (33%)",
        "2 of 6 (33%)",
    )


def test_natural_logs_and_made_runs_are_told_apart() -> None:
    runs = [
        judged("healthy", "learned"),
        judged("healthy", "learned", source="public"),
        judged("healthy", "stalled", source="public2", half="held out"),
    ]

    rows = {row[:2]: row for row in verdict_table(runs).rows}

    assert rows["made, all", "tune"][5] == "0 of 1 (0%)"
    assert rows["natural, all", "tune"][5] == "0 of 1 (0%)"
    assert rows["natural: public2", "held out"][5] == "1 of 1 (100%)"
    assert ("made, all", "held out") not in rows


def test_the_trade_off_adds_the_notices_that_pay_best_first() -> None:
    runs = [
        judged("sick", "learning", "KL001", critical=("KL001",)),
        judged("sick", "stalled"),
        judged("sick", "learning", notices=("REW005", "DATA002")),
        judged("sick", "learning", notices=("ENT004",)),
        judged("healthy", "learning", notices=("ENT004", "DATA002")),
        judged("sick", "learning", half="held out", notices=("REW005",)),
    ]

    rows = trade_off_table("What strictness costs", runs).rows

    assert [row[:3] for row in rows] == [
        ("critical findings only", "1 of 4 (25%)", "0 of 1 (0%)"),
        ("critical findings and bad words", "2 of 4 (50%)", "0 of 1 (0%)"),
        ("warnings, too (as it is)", "2 of 4 (50%)", "0 of 1 (0%)"),
        ("and notices of REW005", "3 of 4 (75%)", "0 of 1 (0%)"),
        ("and notices of ENT004", "4 of 4 (100%)", "1 of 1 (100%)"),
        ("and all notices", "4 of 4 (100%)", "1 of 1 (100%)"),
        ("all that is not called good", "2 of 4 (50%)", "0 of 1 (0%)"),
    ]
    assert rows[3][3] == "1 of 1 (100%)"


def test_a_rule_that_alarms_on_healthy_runs_shows_what_it_is_worth() -> None:
    runs = [
        judged("healthy", "learning", "REW005"),
        judged("sick", "learning", "REW005"),
        judged("sick", "learning", "REW005", "KL001"),
        judged("sick", "stalled", "REW005"),
        judged("healthy", "learning", "KL001", half="held out"),
    ]

    assert price_table(runs).rows == [("REW005", "1", "1", "3", "1")]


def test_sources_that_are_absent_are_said_so(tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "index.json").write_text("[]")

    rows = {row[0]: row for row in parts_table([], tmp_path, tmp_path).rows}

    assert rows["public"][2] == "0, 0, 0"
    assert rows["lab"][2] == rows["public2"][2] == "absent"


def test_logs_of_one_repository_count_once() -> None:
    runs = [
        judged("healthy", "stalled", source="public2", repository="a/b"),
        judged("healthy", "stalled", source="public2", repository="a/b"),
        judged("healthy", "learned", source="public2", repository="c/d"),
    ]

    found = share(runs, lambda one: one.alarmed)

    assert found is not None
    assert (found.value, found.programs) == (0.5, 2)


def test_there_is_no_table_without_runs() -> None:
    assert outcome_tables([]) == []


def test_eagerness_moves_what_counts_as_a_fall_and_leaves_nothing_behind() -> None:
    lost_a_quarter = np.concatenate([np.linspace(0.0, 100.0, 40), np.full(60, 75.0)])
    lost_a_quarter += np.random.default_rng(0).normal(0.0, 1.0, 100)

    with eager(2.0):
        eagerly = course(lost_a_quarter).shape
    usual = course(lost_a_quarter).shape

    assert (eagerly, usual) == ("lost", "unsure")


def test_every_threshold_that_eagerness_moves_exists() -> None:
    places = [import_module(place) for place in PLACES]

    for name in (*ALARMS, *PRAISE):
        assert any(hasattr(place, name) for place in places), name


def test_the_curve_has_a_row_for_each_eagerness() -> None:
    rows = curve_table(
        "made runs", [(1.0, [judged("sick", "learned")]), (2.0, [judged("sick", "stalled")])]
    ).rows

    assert [row[:2] for row in rows] == [("1", "0 of 1 (0%)"), ("2", "1 of 1 (100%)")]
