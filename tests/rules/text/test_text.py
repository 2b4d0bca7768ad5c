"""Each rule speaks where the texts turn, names it first, and is silent on sound ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rollouts import writing
from tests.rollouts.writing import samples, turning

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.rollouts.record import rollout_of
from runvitals.testing import check, make_run

FAULTS = {
    "TEXT001": writing.garbage,
    "TEXT002": writing.loop,
    "TEXT004": writing.copy,
    "TEXT005": writing.refusal,
    "TEXT006": writing.rambling,
    "TEXT007": writing.bare,
    "TEXT008": writing.mixed,
}
RISING = np.linspace(0.1, 0.9, 40) + 0.02 * np.random.default_rng(0).standard_normal(40)
FLAT = 0.3 + 0.02 * np.random.default_rng(1).standard_normal(40)


def run(texts, reward=RISING):
    return make_run({"reward/score_mean": reward}, algorithm="GRPO", samples=texts)


@pytest.mark.parametrize("code", FAULTS)
def test_speaks_where_the_texts_turn_and_quotes_them(code):
    [finding] = check(run(samples(turning(FAULTS[code]))), code)

    assert finding.span.first == 20
    assert "0% at the start" in finding.message
    assert 1 <= len(finding.quotes) <= 2
    assert finding.quotes[0].text.startswith("step ")


@pytest.mark.parametrize("code", FAULTS)
def test_names_the_fault_before_its_consequences(code):
    found = judge_by_rules(run(samples(turning(FAULTS[code])), FLAT), since_when=False)

    about_text = [one.code for one in found.findings if one.code.startswith("TEXT")]

    assert about_text[0] == code


@pytest.mark.parametrize("code", [*FAULTS, "TEXT003", "TEXT009"])
def test_is_silent_on_sound_texts(code):
    assert check(run(samples(lambda step, prompt: writing.sound(prompt))), code) == []


@pytest.mark.parametrize("code", FAULTS)
def test_is_silent_on_what_a_model_wrote_from_the_start(code):
    assert check(run(samples(lambda step, prompt: FAULTS[code](prompt))), code) == []


@pytest.mark.parametrize("code", FAULTS)
def test_is_silent_without_samples_and_says_so(code):
    found = judge_by_rules(make_run({"reward/score_mean": RISING}, algorithm="GRPO"))

    assert code in {one.code for one in found.not_checked}


def test_garbage_that_pays_is_not_learning():
    found = judge_by_rules(run(samples(turning(writing.garbage))), since_when=False)

    assert found.verdict.word == "collapsed"
    assert found.findings[0].code == "TEXT001"
    assert found.findings[0].severity == "critical"


def test_groups_of_copies_are_named():
    said = {}

    def write(step, prompt):
        return (
            said.setdefault(prompt, writing.sound(prompt)) if step >= 20 else writing.sound(prompt)
        )

    [finding] = check(run(samples(write), FLAT), "TEXT003")

    assert finding.span.first == 20


def test_repeated_tool_calls_are_named():
    texts = samples(lambda step, prompt: writing.TOOL_LOOP if step >= 20 else writing.TOOL_USE)

    findings = check(run(texts, FLAT), "TEXT009")

    assert {one.series for one in findings} == {"text/tool_loop_share", "text/tool_error_share"}


def test_a_few_broken_texts_are_no_sickness():
    texts = samples(turning(writing.garbage, share=0.04))

    assert check(run(texts), "TEXT001") == []


def test_one_refusal_of_one_text_per_step_is_no_rise():
    texts = samples(turning(writing.refusal, at=12), steps=12, groups=1, size=1)

    assert check(run(texts, FLAT[:12]), "TEXT005") == []


def test_a_finding_names_the_samples_that_it_quotes():
    texts = samples(turning(writing.garbage))

    [finding] = check(run(texts), "TEXT001")

    ids = {rollout_of(one).id for one in texts}
    assert {quote.sample for quote in finding.quotes} <= ids
