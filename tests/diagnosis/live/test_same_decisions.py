"""Whether and where a run is stopped follows from its rows: not from the clock, blocks or load."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.diagnosis.live.conftest import wait_until

import runvitals as rv
from runvitals.diagnosis.live import judge, pace, view
from runvitals.diagnosis.live.announcer import CLOCK_AREAS
from runvitals.diagnosis.live.checkpoints import Checkpoints
from runvitals.diagnosis.live.journal import read_changes
from runvitals.diagnosis.live.judge import LiveJudge
from runvitals.model import Expectation, FindingChange, RowBlock, RunInfo

Row = tuple[int, dict[str, float]]
ROWS = 420
STARTED = 1_700_000_000.0


def sick_run() -> list[Row]:
    """A policy that moves too far from row 150 on, and numbers that end in NaN; evals in between."""
    rng = np.random.default_rng(0)
    rows: list[Row] = []
    for step in range(ROWS):
        kl = 0.01 if step < 150 else 0.4
        loss = rng.normal() if step < 340 else np.nan
        rows.append((step, {"policy/approx_kl": kl * (1 + rng.random() / 9), "policy/loss": loss}))
        if step % 10 == 9:
            rows.append((step, {"eval/return_mean": step / 10 + rng.normal()}))
    return rows


def batches(rows: list[Row], sizes: list[int], seconds: float) -> list[list[RowBlock]]:
    """As the recorder hands them over: a block for each set of names, and the machine's in between."""
    timed = [(STARTED + seconds * i, *row) for i, row in enumerate(rows)]
    cut, left = [], iter(timed)
    for size in itertools.cycle(sizes):
        part = list(itertools.islice(left, size))
        if not part:
            return cut
        by_names: dict[tuple[str, ...], list[Any]] = {}
        for row in part:
            by_names.setdefault(tuple(row[2]), []).append(row)
        by_names["System/CPU_Percent",] = [(part[0][0], part[-1][1] + size, {"x": 50.0})]
        cut.append(
            [
                RowBlock(
                    names,
                    np.array([step for _, step, _ in mine]),
                    np.array([time for time, _, _ in mine]),
                    np.array([list(values.values()) for _, _, values in mine]),
                )
                for names, mine in by_names.items()
            ]
        )
    raise AssertionError


class Judged:
    """A live judge that was fed, and what it decided."""

    def __init__(self, folder: Path, **facts: Any) -> None:
        folder.mkdir()
        self.stopped: list[FindingChange] = []
        self.info = RunInfo("r", "r", "p", folder, started=STARTED, algorithm="PPO", stops=True)
        self.info.stop_listeners.append(self.stopped.append)
        self.info.config = {"target_kl": 0.01}
        for name, fact in facts.items():
            setattr(self.info, name, fact)
        self.judge = LiveJudge()
        self.judge.open(self.info)

    def feed(self, blocks: list[RowBlock]) -> None:
        self.judge.write(blocks, [])

    def wait(self) -> None:
        """Until every checkpoint so far was judged."""
        wait_until(lambda: not self.judge._view.prefixes and self.judge._prefix is None)

    def decisions(self) -> list[tuple[Any, ...]]:
        return [
            (
                c.event,
                c.step,
                c.finding.code,
                c.finding.severity,
                c.finding.series,
                c.finding.message,
            )
            for c in read_changes(self.info.folder)
            if c.finding.area not in CLOCK_AREAS
        ]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look comes at once; what a look waits for is not what is tested here."""
    monkeypatch.setattr(pace, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(pace, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(pace, "REST", 0.0)


def test_the_same_rows_lead_to_the_same_decisions(tmp_path: Path) -> None:
    rows = sick_run()
    found = {}
    for name, sizes, seconds, waits in (
        ("all at once", [ROWS * 2], 0.001, False),
        ("one by one, slowly", [1], 30.0, True),
        ("in small blocks, fast", [3, 11, 1], 0.001, False),
        ("in large blocks, slowly", [97, 40], 60.0, True),
    ):
        judged = found[name] = Judged(tmp_path / name)
        for blocks in batches(rows, sizes, seconds):
            judged.feed(blocks)
            if waits:
                judged.wait()
        judged.wait()

    first, *others = (judged.decisions() for judged in found.values())
    stops = [[(c.step, c.finding.code) for c in judged.stopped] for judged in found.values()]
    for judged in found.values():
        judged.judge.close("finished")
    assert {code for _, _, code, *_ in first} >= {"KL001", "NUM001"}
    assert all(other == first for other in others)
    assert all(stop == stops[0] for stop in stops)
    assert stops[0][0][1] == "NUM001"  # KL001 might have passed


def test_a_run_is_stopped_at_the_same_step_however_late_the_judge_is(tmp_path: Path) -> None:
    """Through the recorder, with everything that it does to rows on their way."""
    reasons = set()
    for flush_every in (7, 50, 10_000):
        run = rv.init(
            "test",
            dir=tmp_path,
            algorithm="PPO",
            config={"target_kl": 0.01},
            stop_on="critical",
            console=False,
            tensorboard=False,
        )
        for i, (step, values) in enumerate(sick_run()):
            run.log(values, step=step)
            if i % flush_every == 0:
                run.flush()
        run.flush()
        wait_until(lambda run=run: run.should_stop)
        reasons.add(run.stop_reason)
        run.finish()

    [reason] = reasons
    assert reason.startswith("NUM001 critical: policy/loss is NaN")


def test_time_that_passes_convinces_nobody_where_a_run_may_be_stopped(tmp_path: Path) -> None:
    from runvitals.diagnosis.open_findings import Moment, OpenFindings
    from runvitals.model import Finding, Span

    finding = Finding("KL001", "kl", "warning", "x", Span(0, 1, 2), "too high")
    by_rows, by_time = OpenFindings(), OpenFindings()
    by_rows.by_rows = True

    told = [
        [findings.update([finding], Moment(5, 100, time)) for time in (0.0, 3600.0)]
        for findings in (by_rows, by_time)
    ]

    assert told[0] == [[], []]
    assert [change.finding.code for change in told[1][1]] == ["KL001"]


def test_what_depends_on_the_clock_is_told_but_stops_no_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(judge, "IDLE_SECONDS", 0.0)
    slow = Expectation("throughput/env_steps_per_s", above=10.0, severity="critical")
    bad = Expectation("mine", below=0.0, severity="critical")
    judged = Judged(tmp_path / "r", expectations=(slow, bad))
    names = ("throughput/env_steps_per_s", "outcome/return_mean", "mine")
    steps = np.arange(200)
    speed = np.where(steps < 100, 1000.0, 1.0)
    mine = np.where(steps < 150, -1.0, 1.0)
    values = np.stack([speed, steps / 10, mine], axis=1)

    judged.feed([RowBlock(names, steps, STARTED + np.cumsum(1 / speed), values)])
    judged.wait()
    judged.judge.close("finished")

    told = {(change.finding.code, change.finding.series) for change in read_changes(tmp_path / "r")}
    assert ("EXP001", names[0]) in told
    assert any(code.startswith("PERF") for code, _ in told)
    assert {change.finding.series for change in judged.stopped} == {"mine"}


@pytest.mark.parametrize("sizes", [[1], [7, 3], [1000], [16]])
def test_checkpoints_follow_from_the_number_of_rows(sizes: list[int]) -> None:
    alarming = np.zeros(3000, bool)
    alarming[[40, 41, 60, 1500]] = True
    checkpoints, found, begin = Checkpoints(), [], 0
    for size in itertools.cycle(sizes):
        part = alarming[begin : begin + size]
        if not len(part):
            break
        found += [begin + row for row in checkpoints.among(part)]
        begin += size

    assert found == Checkpoints().among(alarming)
    assert {41, 61, 1501} <= set(found)
    assert 42 not in found
    assert len(found) < 75


def test_a_judge_that_falls_far_behind_says_so(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(view, "MAX_WAITING_BYTES", 0)
    said: list[str] = []
    info = RunInfo("r", "r", "p", tmp_path, stops=True, complain=lambda _, text: said.append(text))
    steps = np.arange(64)

    seen = view.RunView(info)
    seen.add([RowBlock(("x",), steps, steps / 1.0, steps[:, None] / 1.0)])

    assert [prefix.rows for prefix in seen.prefixes] == [16]
    assert "falls behind" in said[0]
