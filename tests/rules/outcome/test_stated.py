"""A bad word never stands alone: each bad plot of each kind of training has a rule that states it."""

from typing import get_args

import numpy as np
import pytest
from tests.rules.reward.curves import wandering

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.rules.outcome.health import STATED_BY, Health, Plot, stated_by
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.testing import make_run

T = np.linspace(0, 1, 80)
TURNS = np.interp(T, [0, 0.5, 0.7, 1], [0, 1, 0.1, 0.1])  # rises, and loses nearly all of it
NOISE = 0.01 * wandering()
BAD = [plot for plot in get_args(Plot) if Health("stalled", plot, "", None, None).bad]  # type: ignore[arg-type]


def held_out(values):
    return dict(zip(range(4, 81, 4), values[::4], strict=True))


def of_loss(name, start=2.0, gain=1.0, scale=1.0):
    """Losses, training and held-out, that go wrong in each way."""
    noise = scale * NOISE
    falls, flat = start - gain * T + noise, np.full(80, start) + 0.1 * noise
    return {
        "lost": {name: start - gain * TURNS + noise},
        "worse": {name: start + 0.4 * gain * T + noise},
        "stuck": {name: flat},
        "parted": {name: falls, f"eval/{name}": held_out(flat + gain * T)},
    }


STORIES = {
    "PPO": {
        "lost": {"outcome/return_mean": 20 + 400 * TURNS + 100 * NOISE},
        "worse": {"outcome/return_mean": 200 - 150 * T + 100 * NOISE},
        "stuck": {"outcome/return_mean": 200 + 100 * NOISE},
        "low": {"outcome/success_rate": np.minimum(0.13, 0.01 + T) + 0.1 * NOISE},
        "parted": {
            "outcome/return_mean": 20 + 400 * T + 100 * NOISE,
            "eval/return_mean": held_out(200 - 150 * T),
        },
        "missed": {
            "outcome/return_mean": 20 + 400 * T + 100 * NOISE,
            "outcome/success_rate": [0.0] * 80,
        },
    },
    "SFT": of_loss("lm/loss"),
    "DPO": of_loss("preference/loss", 0.69, 0.4, 0.3),
    "KTO": of_loss("preference/loss", 0.5, 0.3, 0.3),
    "Reward": of_loss("rm/loss", 0.69, 0.4, 0.3),
}
STORIES["GRPO"] = {
    "lost": {"reward/score_mean": 0.1 + 0.6 * TURNS + NOISE},
    "worse": {"reward/score_mean": 0.6 - 0.4 * T + NOISE},
    "stuck": {"reward/score_mean": 0.3 + 0.1 * NOISE},
    "parted": {
        "reward/score_mean": 0.15 + 0.5 * T + NOISE,
        "eval/success_rate": held_out(np.full(80, 0.33) + 0.3 * NOISE),
    },
}
STORIES[""] = {**STORIES["PPO"], **of_loss("lm/loss")}
CELLS = [(algorithm, plot) for algorithm, stories in STORIES.items() for plot in stories]


@pytest.mark.parametrize("training", STATED_BY)
@pytest.mark.parametrize("plot", BAD)
def test_every_bad_plot_has_a_rule_that_needs_no_more_than_an_outcome(training, plot):
    stating = rules()[STATED_BY[training].get(plot) or STATED_BY[training][""]]

    assert stating.area in ("outcome", "preference", "reward model", "optimisation")
    assert [need.kind for need in stating.needs] == ["outcome"] or plot == "missed"


@pytest.mark.parametrize(("algorithm", "plot"), CELLS)
def test_the_rule_states_what_the_verdict_says(algorithm, plot):
    run = make_run(STORIES[algorithm][plot], every=10, algorithm=algorithm or None)
    patient = Patient(run)

    found = judge_by_rules(run, since_when=False)

    assert patient.health.plot == plot, patient.health.reason
    code = stated_by(patient)
    [stated] = [one for one in everything(found.findings) if one.code == code]
    assert stated.is_alarm
    assert found.problems == ()


def everything(findings):
    for finding in findings:
        yield finding
        yield from everything(finding.follows)


@pytest.mark.parametrize(
    ("lost", "severity"), [(0.4, "warning"), (0.55, "warning"), (0.7, "critical")]
)
def test_how_much_is_lost_says_how_grave_it_is(lost, severity):
    level = np.interp(T, [0, 0.5, 0.7, 1], [20, 400, 400 - 380 * lost, 400 - 380 * lost])
    run = make_run({"outcome/return_mean": level + 2 * wandering()}, algorithm="PPO")

    [stated] = [
        f for f in everything(judge_by_rules(run, since_when=False).findings) if f.code == "REW003"
    ]

    assert stated.severity == severity


def test_a_fall_is_shown_from_where_it_began():
    run = make_run(STORIES["PPO"]["lost"], every=10, algorithm="PPO")

    [stated] = [
        f for f in everything(judge_by_rules(run, since_when=False).findings) if f.code == "REW003"
    ]

    assert 400 <= stated.span.first <= 600
    assert stated.span.last == 800


def test_a_good_story_is_stated_by_nobody():
    run = make_run({"outcome/return_mean": 20 + 400 * T + 100 * NOISE}, algorithm="PPO")

    assert stated_by(Patient(run)) is None
