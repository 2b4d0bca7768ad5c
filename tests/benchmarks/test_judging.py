"""The measures of the judge, on small runs of our own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.judging import page
from benchmarks.judging.calibration import Said, bins, on_curves
from benchmarks.judging.evidence import labelled_logs
from benchmarks.judging.live_replay import replay
from benchmarks.judging.robustness import CHANGES, measure

from runvitals.testing import make_run

ROWS = 200


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A folder with a log that learns and one that does not, and their labels."""
    rng = np.random.default_rng(0)
    returns = {
        "good": 20 + 180 * (1 - np.exp(-np.arange(ROWS) / 40)) + rng.normal(0, 5, ROWS),
        "flat": 20 + rng.normal(0, 5, ROWS),
    }
    for name, values in returns.items():
        (tmp_path / name).mkdir()
        rows = "\n".join(f"{i},{value:.4f}" for i, value in enumerate(values))
        (tmp_path / name / "progress.csv").write_text(f"step,episode_return\n{rows}\n")
    labels = [{"dir": "good", "label": "healthy"}, {"dir": "flat", "label": "sick:stuck"}]
    (tmp_path / "index.json").write_text(json.dumps(labels))
    return tmp_path


def test_clear_runs_are_judged_the_same_whatever_does_not_matter(logs: Path) -> None:
    counted = measure(labelled_logs([logs]))

    assert {name: one.runs for name, one in counted.items()} == dict.fromkeys(counted, 2)
    assert len(counted) == len(CHANGES) + 1
    assert [line for one in counted.values() for line in one.changed] == []


def test_a_run_that_is_replayed_is_told_of_as_it_goes() -> None:
    values = 20 + 180 * (1 - np.exp(-np.arange(ROWS) / 40))
    noise = np.random.default_rng(0).normal(0, 5, ROWS)

    said = replay(make_run({"outcome/return_mean": values + noise}))

    assert said.looks == 12
    assert said.words[-1] in ("learning", "learned")
    assert (said.stopped_by, said.reversals) == (None, 0)


def test_a_broken_run_is_stopped_at_once() -> None:
    loss = np.where(np.arange(ROWS) < 100, 1.0, np.nan)

    said = replay(make_run({"policy/loss": loss, "outcome/return_mean": np.arange(ROWS)}))

    assert said.stopped_by is not None
    assert (said.stopped_by.finding.code, said.stopped_by.step) == ("NUM001", 112)


def test_a_finding_about_a_constant_rate_opens_once_and_stays_on_its_series() -> None:
    rng = np.random.default_rng(0)
    series = {
        "optim/learning_rate": np.full(600, 0.5),
        "outcome/return_mean": 20 + rng.normal(0, 5, 600) + 5 * np.sin(np.arange(600) / 40),
        "policy/approx_kl": np.abs(rng.normal(0.01, 0.01, 600)),
    }

    said = replay(make_run(series, algorithm="PPO"))

    assert said.opened["LR002", "optim/learning_rate"] == 1
    assert (said.flickering, said.moved) == ({}, 0)


def test_bins_hold_equally_many_and_what_came_true() -> None:
    said = [Said(i / 100, i >= 60) for i in range(100)]

    found = list(bins(said))

    assert [n for *_, n in found] == [20] * 5
    assert [true for _, true, _ in found] == [0, 0, 0, 1, 1]
    assert found[0][0] == pytest.approx(0.095)


def test_simulated_curves_get_words_of_every_kind() -> None:
    found = on_curves(series=60)

    assert {name.split(",")[0] for name in found} == {"good", "falls", "stuck"}


def test_a_table_replaces_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text("before\n<!-- live: written -->\nold\n<!-- live: end -->\nafter\n")

    page.put("live", ["new"])

    assert page.PAGE.read_text() == (
        "before\n<!-- live: written -->\nnew\n<!-- live: end -->\nafter\n"
    )
