import numpy as np
import pytest

from runvitals.testing import check, make_run

RNG = np.random.default_rng(0)
N = 60
NOISE = RNG.standard_normal(N)
RISING = np.linspace(0, 2, N)


def run(algorithm="DPO", config=None, **series):
    named = {k.replace("__", "/"): v for k, v in series.items()}
    return make_run(named, algorithm=algorithm, config=config)


def test_fires_when_the_first_reward_is_not_zero():
    chosen = 3.0 + 0.01 * NOISE

    [finding] = check(run(preference__chosen_reward=chosen, preference__margin=RISING), "DPO004")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.count) == (1, 1)
    assert finding.message.startswith("the first preference/chosen_reward is 3")


@pytest.mark.parametrize(("end", "severity"), [(0.8, "warning"), (4.0, "notice")])
def test_a_good_score_excuses_only_a_start_that_training_leaves_behind(end, severity):
    chosen = np.concatenate([np.full(12, 0.5), np.linspace(0.5, end, N - 12)])
    series = {"preference__margin": 5 * RISING, "eval__score_mean": np.linspace(0.2, 0.9, 20)}

    [finding] = check(run(preference__chosen_reward=chosen, **series), "DPO004")

    assert finding.severity == severity


def test_fires_when_a_score_falls_from_the_start_while_pairs_are_learned():
    score = list(np.linspace(0.5, 0.0, 10)) + [0.0] * 10

    [finding] = check(run(preference__margin=RISING, eval__score_mean=score), "DPO004")

    assert finding.severity == "critical"
    assert "from the very start" in finding.message


def test_leaves_lost_chosen_answers_to_another_rule():
    score = list(np.linspace(0.5, 0.0, 10)) + [0.0] * 10
    chosen = np.linspace(0, -20, N)

    found = check(
        run(preference__margin=RISING, eval__score_mean=score, preference__chosen_reward=chosen),
        "DPO004",
    )

    assert found == []


def test_fires_when_rejected_answers_win():
    accuracy = np.linspace(0.5, 0.1, N)

    [finding] = check(
        run(preference__margin=-RISING + 0.01 * NOISE, preference__accuracy=accuracy), "DPO004"
    )

    assert "rejected answers win" in finding.message


@pytest.mark.parametrize(
    ("algorithm", "config", "margin"),
    [
        ("DPO", None, RISING + 0.005 * NOISE),
        ("DPO", None, np.linspace(0.05, 3, N)),
        ("SimPO", None, 1.7 + RISING),
        ("DPO", {"resume_from_checkpoint": "x/checkpoint-500"}, 1.7 + 0.01 * NOISE),
        ("DPO", None, [np.nan] * N),
        ("DPO", None, [0.0] * N),
        ("DPO", None, [2.0]),
    ],
    ids=[
        "healthy",
        "first row is a mean",
        "no reference",
        "resumed",
        "all nan",
        "zero",
        "one point",
    ],
)
def test_stays_silent(algorithm, config, margin):
    assert check(run(algorithm, config, preference__margin=margin), "DPO004") == []


def test_a_later_first_row_may_have_learned_already():
    steps = np.arange(10, 610, 10)
    margin = dict(zip(steps.tolist(), (0.02 * steps).tolist(), strict=True))

    assert check(run(preference__margin=margin), "DPO004") == []


@pytest.mark.parametrize("first_step", [0, 1])
def test_a_first_row_that_was_logged_after_an_update_is_no_offset(first_step):
    rows = range(first_step, first_step + N)
    learned = dict(zip(rows, 0.15 * np.arange(1, N + 1) + 0.05 * NOISE, strict=True))

    assert check(run(preference__margin=learned, preference__chosen_reward=learned), "DPO004") == []
