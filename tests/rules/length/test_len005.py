import numpy as np
import pytest

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)
GROWING = np.linspace(100, 400, 60) + 5 * RNG.standard_normal(60)
SCORE = np.round((0.4 + 0.01 * RNG.standard_normal(20)) * 500) / 500


BETTER = np.linspace(0.2, 0.6, 20)
STEADY = 100 + 5 * RNG.standard_normal(60)


def run(length, score=None, reward=RISING, **more):
    series = {"length/response_mean": length, "reward/score_mean": reward, **more}
    if score is not None:
        series["eval/success_rate"] = score
    return make_run(series, algorithm="GRPO")


def test_fires_when_only_length_and_reward_grow():
    [finding] = check(run(GROWING, SCORE), "LEN005")

    assert finding.severity == "warning"
    assert finding.message.startswith("responses grew from ")


def test_honest_reasoning_is_no_alarm():
    [finding] = check(run(GROWING, BETTER), "LEN005")

    assert finding.severity == "notice"
    assert "eval/success_rate is holding up so far" in finding.message


def test_the_reward_alone_does_not_excuse_growth():
    [finding] = check(run(GROWING), "LEN005")

    assert finding.severity == "warning"
    assert "no held-out score was logged" in finding.message


@pytest.mark.parametrize(("score", "severity"), [(BETTER, "notice"), (SCORE, "warning")])
def test_a_growing_spread_is_worth_knowing(score, severity):
    spread = np.concatenate([np.full(30, 10.0), np.full(30, 40.0)])

    [finding] = check(run(STEADY, score, **{"length/response_std": spread}), "LEN005")

    assert finding.severity == severity
    assert "standard deviation of response lengths grew from 10 to" in finding.message
    assert finding.span.first == 31


@pytest.mark.parametrize(("score", "severity"), [(BETTER, "notice"), (SCORE, "warning")])
@pytest.mark.parametrize("end", [300, 25])
def test_prompts_that_drift_are_other_data(score, severity, end):
    prompts = np.geomspace(80, end, 60) + RNG.standard_normal(60)

    [finding] = check(run(STEADY, score, **{"length/prompt_mean": prompts}), "LEN005")

    assert (finding.series, finding.severity) == ("length/prompt_mean", severity)
    assert ("is holding up so far" in finding.message) == (severity == "notice")


def test_prompts_that_vary_are_no_drift():
    prompts = 80 * np.exp(0.3 * RNG.standard_normal(60))

    assert check(run(STEADY, SCORE, **{"length/prompt_mean": prompts}), "LEN005") == []


def test_growth_beside_a_reward_that_gets_nowhere_is_a_warning():
    flat = 0.3 + 0.02 * RNG.standard_normal(60)

    [finding] = check(run(GROWING, None, flat), "LEN005")

    assert finding.severity == "warning"


def test_growth_comes_before_the_cuts_it_leads_to():
    cuts = {"length/response_clip_ratio": np.linspace(0.0, 0.9, 60)}

    stories = judge_by_rules(run(GROWING, SCORE, **cuts), since_when=False).findings

    growth = next(story for story in stories if story.code == "LEN005")
    assert "LEN001" in [finding.code for finding in growth.follows]


@pytest.mark.parametrize(
    "length",
    [100 + 10 * RNG.standard_normal(60), GROWING[:8], [np.nan] * 60, [50.0] * 60],
    ids=["healthy", "too short", "all nan", "constant"],
)
def test_stays_silent(length):
    assert check(run(length, SCORE), "LEN005") == []


def paid_by_the_token(**more):
    length = 60 + 0.4 * np.arange(40) + 6 * np.random.default_rng(2).standard_normal(40)
    return run(length, reward=length / 100, **more)


def test_fires_when_the_reward_follows_length_from_row_to_row():
    [finding] = check(paid_by_the_token(), "LEN005")

    assert finding.severity == "warning"
    assert "the reward follows them row by row (1.00)" in finding.message
    assert judge_by_rules(paid_by_the_token(), since_when=False).verdict.word == "cannot tell"


def test_a_reward_that_only_rises_with_length_does_not_follow_it():
    apart = np.random.default_rng(3).standard_normal((2, 40))
    length = 60 + 0.4 * np.arange(40) + 6 * apart[0]

    assert check(run(length, reward=0.01 * np.arange(40) + 0.05 * apart[1]), "LEN005") == []
