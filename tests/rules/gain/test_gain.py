"""Each rule speaks where the gain is not real, and is silent where it is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.rollouts.writing import prose

from runvitals.model import Sample
from runvitals.testing import check, make_run

STEPS = 40


def run(write, steps=STEPS, groups=6, size=6, prompts=10_000, more=()):
    """`write` gets progress (0 to 1), a number of the prompt and a random generator; gives fields."""
    rng, made = np.random.default_rng(0), list(more)
    for step in range(1, steps + 1):
        for _ in range(groups):
            number = int(rng.integers(prompts))
            for _ in range(size):
                asked = {"prompt": f"Question {number}: how many apples?"}
                made.append(Sample(step, float(step), asked | write(step / steps, number, rng)))
    curve = np.linspace(0.2, 0.8, steps)
    return make_run({"reward/score_mean": curve}, algorithm="GRPO", samples=made)


def text(words, rng):
    return prose(max(4, int(words * rng.lognormal(0, 0.3))))


def long_pays(progress, number, rng):
    written = text(20 + 200 * progress, rng)
    return {"completion": written, "reward": 0.002 * len(written) + 0.05 * rng.standard_normal()}


def longer_and_better(progress, number, rng):
    right = float(rng.random() < 0.2 + 0.6 * progress)
    return {"completion": text(20 + 200 * progress, rng), "reward": right}


def hacked(progress, number, rng):
    right = float(rng.random() < 0.4 - 0.3 * progress)
    return {"completion": text(40, rng), "reward": 0.2 * right + progress, "acc": right}


def learned(progress, number, rng):
    right = float(rng.random() < 0.2 + 0.7 * progress)
    return {"completion": text(40, rng), "reward": 0.8 * right + 0.2 * progress, "acc": right}


def forgotten(progress, number, rng):
    chance = (progress < 0.5) == (number % 2 == 0)
    return {"completion": text(40, rng), "reward": float(rng.random() < 0.05 + 0.9 * chance)}


def narrowing(progress, number, rng):
    rare = 0.35 * (1 - progress)
    right = rng.random() < (rare if number % 3 == 0 else 0.3 + 0.7 * progress)
    return {"completion": text(40, rng), "reward": float(right)}


def evaluated(numbers):
    row = {"completion": "3", "reward": 1.0, "split": "eval"}
    asked = [{"prompt": f"question {n}:  how many Apples?", **row} for n in numbers]
    return [Sample(20, 20.0, one) for one in asked]


SICK = {
    "GAIN001": lambda: run(long_pays),
    "GAIN002": lambda: run(hacked),
    "GAIN003": lambda: run(forgotten, prompts=60, groups=12),
    "GAIN004": lambda: run(learned, prompts=200, more=evaluated(range(40))),
    "GAIN005": lambda: run(narrowing, groups=12),
}
SOUND = {
    "longer and better": lambda: run(longer_and_better),
    "learned": lambda: run(learned, prompts=60, groups=12),
    "evaluated on others": lambda: run(learned, prompts=200, more=evaluated(range(500, 540))),
}


@pytest.mark.parametrize("code", SICK)
def test_speaks_where_the_gain_is_not_real(code):
    [finding] = check(SICK[code](), code)

    assert finding.code == code


@pytest.mark.parametrize("code", SICK)
@pytest.mark.parametrize("case", SOUND)
def test_is_silent_where_the_gain_is_real(code, case):
    assert check(SOUND[case](), code) == []


def test_hacking_is_said_only_with_an_independent_score():
    said = [one.message for one in check(run(long_pays), "GAIN001")]

    assert check(run(long_pays), "GAIN002") == []
    assert not any("hack" in message for message in said)


def test_prompts_of_the_evaluation_that_were_trained_on_are_quoted():
    [finding] = check(SICK["GAIN004"](), "GAIN004")

    assert "how many" in finding.quotes[0].text
    assert finding.message.startswith("72% of the evaluation")


def law(steps, entropy):
    noise = 0.01 * np.random.default_rng(1).standard_normal(steps)
    return make_run(
        {"policy/entropy": entropy, "reward/mean": 1.0 - 0.4 * np.exp(entropy) + noise},
        algorithm="GRPO",
    )


def test_spent_entropy_is_a_notice():
    [finding] = check(law(80, np.geomspace(0.8, 0.02, 80)), "GAIN006")

    assert finding.severity == "notice"
    assert "of the way" in finding.message


def test_entropy_that_is_still_there_is_no_notice():
    assert check(law(80, np.linspace(0.8, 0.6, 80)), "GAIN006") == []
