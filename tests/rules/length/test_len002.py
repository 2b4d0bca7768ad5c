import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(ratio, reward=FLAT):
    return make_run(
        {"length/prompt_clip_ratio": ratio, "reward/score_mean": reward}, algorithm="GRPO"
    )


def test_fires_when_all_prompts_are_cut():
    [finding] = check(run([1.0] * 60), "LEN002")

    assert finding.severity == "warning"
    assert finding.message == "100.0% of prompts are at their length limit"
    assert (finding.span.first, finding.span.last) == (1, 60)


def test_rows_of_one_prompt_give_the_mean_share():
    [finding] = check(run(np.tile([1.0, 0.0, 1.0, 1.0, 0.0], 10)), "LEN002")

    assert finding.message == "60.0% of prompts are at their length limit"


@pytest.mark.parametrize(
    ("ratio", "reward", "severity"),
    [(0.03, FLAT, "warning"), (0.4, RISING, "notice"), (0.6, RISING, "warning")],
    ids=["a few", "does well", "most"],
)
def test_severity(ratio, reward, severity):
    assert check(run([ratio] * 60, reward), "LEN002")[0].severity == severity


@pytest.mark.parametrize(
    "ratio",
    [[0.0] * 60, ([0.05] + [0.0] * 11) * 5, [0.5] * 5, [np.nan] * 60, [0.3] * 20 + [0.0] * 40],
    ids=["healthy", "now and then", "too short", "all nan", "early only"],
)
def test_stays_silent(ratio):
    assert check(run(ratio), "LEN002") == []
