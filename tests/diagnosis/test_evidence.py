"""Advice in the light of the learning rate."""

import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.diagnosis.evidence import in_the_light_of_the_rate
from runvitals.model import Finding, Span
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

BONUS = "raise the entropy bonus"


def finding(code, advice=BONUS):
    causes = ("entropy bonus too small", "learning rate or epochs too high")
    return Finding(code, "made-up", "warning", "a", Span(1, 2, 2), "m", advice, causes)


def seen(one, rate):
    run = make_run({"optim/learning_rate": [rate] * 20}, algorithm="PPO")
    return in_the_light_of_the_rate(one, Patient(run))


def test_an_absurd_rate_comes_before_what_the_rule_advises():
    told = seen(finding("ENT001"), 0.1)

    assert told.advice == f"lower the learning rate of 0.1 to 0.003 or less first; then {BONUS}"
    assert told.causes[0].startswith("the learning rate is 0.1")
    assert "learning rate or epochs too high" not in told.causes


def test_advice_about_the_rate_is_not_repeated():
    told = seen(finding("KL001", "lower the learning rate (this run: 0.1)"), 0.1)

    assert told.advice == "lower the learning rate of 0.1 to 0.003 or less first"


def test_a_high_rate_is_named_among_the_causes_only():
    told = seen(finding("ENT001"), 0.005)

    assert told.advice == BONUS
    assert told.causes[0].startswith("the learning rate is 0.005")


@pytest.mark.parametrize(
    ("code", "rate"),
    [("ENT001", 3e-4), ("SYS001", 0.1)],
    ids=["a usual rate", "no matter of steps"],
)
def test_other_findings_stay_as_they_are(code, rate):
    assert seen(finding(code), rate) == finding(code)


def test_a_policy_that_died_of_its_rate_is_told_so_though_only_the_log_knows_it():
    rng = np.random.default_rng(0)
    run = make_run(
        {
            "outcome/return_mean": 9.3 + 0.05 * rng.standard_normal(60),
            "policy/entropy": np.full(60, 1e-9),
            "optim/learning_rate": np.full(60, 0.1),
        },
        algorithm="A2C",
    )

    advice = [
        told.advice
        for story in judge_by_rules(run, since_when=False).findings
        for told in (story, *story.follows)
        if told.code.startswith("ENT")
    ]

    assert advice
    assert all(one.startswith("lower the learning rate of 0.1") for one in advice)
