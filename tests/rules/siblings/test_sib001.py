"""SIB001: far behind runs with the same settings."""

from __future__ import annotations

import numpy as np

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import OutcomeCurve, PointTable, Run, SiblingCurves

STEPS = np.linspace(0, 47_000, 48)


def curve(end, *, falls_at=None, noise=3.0, seed=0, last=47_000):
    values = end * (1 - np.exp(-STEPS / 8_000))
    if falls_at is not None:
        values = np.where(falls_at < STEPS, 20.0, values)
    values = values + np.random.default_rng(seed).normal(0, noise, len(STEPS))
    return OutcomeCurve(np.linspace(0, last, 48), values)


def judged(own, others, *, lower=False, differs=""):
    told = SiblingCurves("return", lower, own, tuple(others), differs)
    run = Run(id="run", points=PointTable(), siblings=told)
    return judge_by_rules(run, Choice(select=("SIB",)), since_when=False)


def test_a_run_that_falls_behind_its_seeds_is_told_from_where_on():
    found = judged(curve(200, falls_at=30_000), [curve(200, seed=s) for s in range(1, 5)])

    (finding,) = found.findings
    assert (finding.code, finding.severity, finding.series) == ("SIB001", "notice", "return")
    assert 28_000 <= finding.span.first <= 33_000
    assert "below its 4 siblings" in finding.message
    assert "only the seed differs" in finding.message


def test_the_setting_that_differs_is_named():
    others = [curve(200, seed=s) for s in range(1, 6)]

    found = judged(curve(60), others, differs="clip_range 0.4 against 0.2")

    assert "what differs: clip_range 0.4 against 0.2" in found.findings[0].message
    assert found.findings[0].causes[0] == "clip_range 0.4 against 0.2"


def test_a_loss_that_stays_above_its_siblings_is_behind():
    losses = [OutcomeCurve(STEPS, 5 - curve(4, noise=0.05, seed=s).values) for s in range(1, 6)]
    own = OutcomeCurve(STEPS, 5 - curve(1, noise=0.05).values)

    assert "above its 5 siblings" in judged(own, losses, lower=True).findings[0].message


def test_a_run_that_is_better_or_like_its_siblings_is_not_told():
    others = [curve(200, seed=s) for s in range(1, 6)]

    assert judged(curve(400), others).findings == ()
    assert judged(curve(195, seed=9), others).findings == ()
    assert judged(curve(200, seed=9), others).clear == ("SIB001",)


def test_a_dip_that_is_over_is_not_told():
    values = np.where((STEPS > 20_000) & (STEPS < 30_000), 0.0, curve(200).values)

    assert (
        judged(OutcomeCurve(STEPS, values), [curve(200, seed=s) for s in range(1, 6)]).findings
        == ()
    )


def test_one_sibling_that_collapsed_does_not_hide_the_rest():
    others = [*(curve(200, seed=s) for s in range(1, 6)), curve(200, falls_at=10_000, seed=6)]

    assert judged(curve(200, falls_at=30_000), others).findings


def test_siblings_that_ended_early_do_not_count():
    others = [curve(200, seed=s, last=20_000) for s in range(1, 6)]

    assert judged(curve(200, falls_at=30_000), others).findings == ()


def test_with_three_siblings_or_none_it_is_not_checked():
    few = judged(curve(0), [curve(200, seed=s) for s in range(1, 4)])

    assert few.findings == ()
    assert few.not_checked[0].reason == "needs 4 runs or more with the same settings"


def test_chance_alone_is_hardly_ever_told():
    rng = np.random.default_rng(0)
    told = 0
    for trial in range(300):
        ends = rng.normal(200, 40, 6)
        lines = [curve(end, seed=6 * trial + i) for i, end in enumerate(ends)]
        told += bool(judged(lines[0], lines[1:]).findings)

    assert told <= 9  # 3 %
