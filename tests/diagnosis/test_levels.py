"""The figures of the verdict: one start, one best and one now, wherever they are shown."""

import re
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from tests.rules.reward.curves import collapsing, learning

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.model.formatting import number
from runvitals.render.json_ import as_json
from runvitals.render.judged import judged
from runvitals.render.notebook import run_html
from runvitals.render.text import report
from runvitals.testing import make_run


def verdict(series, **more):
    return judge_by_rules(make_run(series, **more), since_when=False).verdict


def test_the_levels_are_those_of_the_sentence():
    found = verdict({"outcome/return_mean": learning()}, algorithm="PPO")

    told = re.search(r"from (\S+) to (\S+) ", found.reason)
    assert told is not None
    assert told.groups() == (f"{found.levels.start:.4g}", f"{found.levels.now:.4g}")


def test_a_loss_keeps_its_sign_and_its_best_is_the_lowest():
    loss = np.r_[np.linspace(4.0, 1.0, 40), np.linspace(1.0, 2.0, 20)]

    found = verdict({"eval/loss": loss}, algorithm="SFT")

    assert 3.5 < found.levels.start <= 4.0
    assert 0.9 < found.levels.best < 1.3
    assert 1.7 < found.levels.now <= 2.0


def test_hits_and_misses_have_shares_as_levels():
    rng = np.random.default_rng(0)
    hits = rng.random(600) < np.r_[np.full(300, 0.95), np.full(300, 0.55)]

    found = verdict({"outcome/success_rate": hits.astype(float)}, algorithm="PPO")

    assert found.levels.start == pytest.approx(0.95, abs=0.06)
    assert found.levels.now == pytest.approx(0.55, abs=0.1)


def test_without_an_outcome_there_are_none():
    assert verdict({"policy/entropy": [0.5] * 40}, algorithm="PPO").levels is None


def test_json_notebook_and_text_show_the_same_figures():
    values = collapsing()
    run = make_run({"outcome/return_mean": values}, every=10, algorithm="PPO")
    found = judge_by_rules(run, since_when=False)
    one = judged(run, found, "runs/one")
    console = Console(width=120, record=True, file=StringIO())
    console.print(report(one, verbose=True))

    [said] = as_json([one])["runs"]
    levels = said["verdict"]["levels"]
    told = f"start {levels['start']:.4g}, best {levels['best']:.4g}, now {levels['now']:.4g}"
    assert f"outcome/return_mean: {told}" in console.export_text()
    page = run_html(run, found)
    assert told in page
    assert f"<strong>{number(levels['now'])}</strong>" in page
    assert (
        f"<strong>{number(float(values[-1]))}</strong>" not in page
    )  # a single value is not a level
