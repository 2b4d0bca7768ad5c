import numpy as np
import pytest
from tests.rollouts import writing
from tests.rollouts.writing import samples

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
FLAT = 0.3 + 0.02 * RNG.standard_normal(60)
RISING = np.linspace(0.1, 0.8, 60) + 0.02 * RNG.standard_normal(60)


def run(ratio, reward=FLAT, **more):
    series = {"length/response_clip_ratio": ratio, "reward/score_mean": reward, **more}
    return make_run(series, algorithm="GRPO", config={"max_completion_length": 512})


def test_fires_when_nothing_ends_and_nothing_is_learned():
    ended = {"length/response_terminated_mean": [0.0] * 60}

    [finding] = check(run([1.0] * 60, **ended), "LEN001")

    assert finding.severity == "critical"
    assert finding.message == (
        "100% of responses are cut off at 512 tokens, and none ends on its own"
    )
    assert finding.span.last == 60


def test_rows_of_one_response_give_the_mean_share():
    [finding] = check(run(np.tile([1.0, 0.0, 1.0, 1.0, 0.0], 10)), "LEN001")

    assert finding.message == "60% of responses are cut off at 512 tokens"


@pytest.mark.parametrize(
    ("share", "reward", "severity"),
    [
        (0.15, FLAT, "warning"),
        (0.4, RISING, "notice"),
        (0.55, RISING, "warning"),
        (1.0, RISING, "warning"),
        (0.55, FLAT, "critical"),
    ],
    ids=["some, and nothing learned", "excused", "most", "all", "most, and nothing learned"],
)
def test_no_outcome_excuses_that_most_responses_never_end(share, reward, severity):
    assert check(run([share] * 60, reward), "LEN001")[0].severity == severity


def test_a_good_word_never_stands_beside_responses_that_never_end():
    solved = np.minimum(0.99, np.linspace(0.1, 2.0, 60)) + 0.003 * RNG.standard_normal(60)

    assert judge_by_rules(run([0.0] * 60, solved), since_when=False).verdict.word == "learned"
    assert judge_by_rules(run([1.0] * 60, solved), since_when=False).verdict.word == "cannot tell"


@pytest.mark.parametrize(("planned", "severity"), [(1000, "warning"), (100, "critical")])
def test_a_live_run_is_not_lost_in_the_first_quarter_of_its_plan(planned, severity):
    live = run([0.74] * 60)
    live.status, live.progress = "running", {"total_steps": planned}

    assert check(live, "LEN001")[0].severity == severity


def test_a_few_rows_are_never_critical():
    live = run([0.74] * 7, FLAT[:7])
    live.status, live.progress = "running", {"total_steps": 8}

    assert check(live, "LEN001")[0].severity == "warning"


@pytest.mark.parametrize("points", [3, 6, 10])
def test_that_every_response_is_cut_off_is_a_fact_and_needs_few_points(points):
    [finding] = check(run([1.0] * points, FLAT[:points]), "LEN001")

    assert finding.is_alarm
    assert finding.span.count == points


def test_climbing_to_the_limit_is_a_warning_even_if_the_reward_rises():
    [finding] = check(run(np.linspace(0.0, 0.9, 60), RISING), "LEN001")

    assert finding.severity == "warning"


def test_a_dead_held_out_score_overrules_a_rising_reward():
    dead = {"eval/success_rate": [0.0] * 12}

    assert check(run([0.6] * 60, RISING, **dead), "LEN001")[0].severity == "critical"


@pytest.mark.parametrize(
    ("ratio", "top", "severity"),
    [
        (np.full(60, 0.7), 0.27, "warning"),
        (np.full(60, 0.3), 0.9, "notice"),
        (np.linspace(0.7, 0.3, 60), 0.65, "notice"),
    ],
    ids=["most are cut", "cut ones count too", "ever fewer are cut"],
)
def test_how_success_does_decides_about_the_cuts(ratio, top, severity):
    success = np.linspace(0.01, top, 25)

    [finding] = check(run(ratio, RISING, **{"eval/success_rate": success}), "LEN001")

    assert finding.severity == severity


@pytest.mark.parametrize(
    "ratio",
    [
        [0.02] * 60,
        [0.3] * 20 + [0.03] * 40,
        [0.5, *[0.0] * 9] * 6,
        [0.9] * 2,
        [np.nan] * 60,
        [0.0] * 60,
    ],
    ids=["healthy", "early only", "never long", "too short", "all nan", "constant"],
)
def test_stays_silent(ratio):
    assert check(run(ratio), "LEN001") == []


@pytest.mark.parametrize("field", [{"finish_reason": "length"}, {"truncated": True}])
def test_samples_that_were_cut_are_told_and_quoted_where_no_curve_tells(field):
    texts = samples(lambda step, prompt: writing.rambling(prompt), **field)

    [finding] = check(
        make_run({"reward/score_mean": FLAT[:40]}, algorithm="GRPO", samples=texts), "LEN001"
    )

    assert finding.message.startswith("100% of responses are cut off")
    assert len(finding.quotes) == 2
    shown = finding.quotes[0].text.rpartition("…")[2]
    assert any(one.fields["completion"].endswith(shown) for one in texts)


@pytest.mark.parametrize("field", [{"finish_reason": "stop"}, {"truncated": False}, {}])
def test_samples_that_ended_or_do_not_say_so_are_not_cut(field):
    texts = samples(lambda step, prompt: writing.sound(prompt), **field)

    assert (
        check(make_run({"reward/score_mean": FLAT[:40]}, algorithm="GRPO", samples=texts), "LEN001")
        == []
    )


def test_a_logged_curve_outweighs_the_kept_samples():
    texts = samples(lambda step, prompt: writing.sound(prompt), finish_reason="length")
    series = {"reward/score_mean": FLAT[:40], "length/response_clip_ratio": [0.0] * 40}

    assert check(make_run(series, algorithm="GRPO", samples=texts), "LEN001") == []
