"""One word and one sentence for several outcomes: every cell of the table, and what goes wrong."""

import re

import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs, solved, wandering

from runvitals.diagnosis.engine import judge_by_rules
from runvitals.model import all_findings
from runvitals.rules.outcome.reading import moved
from runvitals.rules.patient import Patient
from runvitals.testing import make_run

RNG = np.random.default_rng(0)
T = np.linspace(0, 1, 80)
E = np.linspace(0, 1, 25)  # evaluations
NOISE, HELD = 3 * RNG.normal(size=80), 3 * RNG.normal(size=25)


AT = range(3, 78, 3)

CURVES = {
    "good": lambda t: 20 + 400 * t,
    "lost": lambda t: np.interp(t, [0, 0.5, 0.7, 1], [20, 400, 40, 30]),
    "worse": lambda t: 200 - 150 * t,
    "flat": lambda t: np.full(len(t), 200.0),
    "-": None,
}
TABLE = {  # held-out, then training: word, and plot
    ("good", "good"): ("learning", "rises"),
    ("good", "lost"): ("collapsed", "lost"),
    ("good", "worse"): ("not learning", "worse"),
    ("good", "flat"): ("learning", "rises"),
    ("good", "-"): ("learning", "rises"),
    ("lost", "good"): ("overfitting", "parted"),
    ("lost", "lost"): ("collapsed", "lost"),
    ("lost", "worse"): ("collapsed", "lost"),
    ("lost", "flat"): ("collapsed", "lost"),
    ("lost", "-"): ("collapsed", "lost"),
    ("worse", "good"): ("overfitting", "parted"),
    ("worse", "lost"): ("not learning", "worse"),
    ("worse", "worse"): ("not learning", "worse"),
    ("worse", "flat"): ("not learning", "worse"),
    ("worse", "-"): ("not learning", "worse"),
    ("flat", "good"): ("overfitting", "parted"),
    ("flat", "lost"): ("collapsed", "lost"),
    ("flat", "worse"): ("not learning", "worse"),
    ("flat", "flat"): ("not learning", "stuck"),
    ("flat", "-"): ("not learning", "stuck"),
    ("-", "good"): ("learning", "rises"),
    ("-", "lost"): ("collapsed", "lost"),
    ("-", "worse"): ("not learning", "worse"),
    ("-", "flat"): ("not learning", "stuck"),
    ("-", "-"): ("cannot tell", "none"),
}
LEVELS = {  # the start and the end of each course, as sentences round them
    "good": (20, 420),
    "lost": (400, 30),
    "worse": (200, 50),
    "flat": (200, 200),
}


def told(series, **about):
    about = {"algorithm": "PPO", **about}
    return Patient(make_run(series, every=10, **about)).health


def at_evaluations(values):
    return dict(zip((10 * at for at in AT), values, strict=True))


def outcomes(held_out, training):
    series = {}
    if CURVES[training] is not None:
        series["outcome/return_mean"] = CURVES[training](T) + NOISE
    if CURVES[held_out] is not None:
        series["eval/return_mean"] = at_evaluations(CURVES[held_out](E) + HELD)
    return series


@pytest.mark.parametrize(("held_out", "training"), TABLE, ids=lambda shape: shape)
def test_each_cell_of_the_table(held_out, training):
    health = told(outcomes(held_out, training))

    assert (health.word, health.plot) == TABLE[held_out, training]
    assert health.good + health.bad + (health.plot == "none") == 1


@pytest.mark.parametrize(("held_out", "training"), TABLE, ids=lambda shape: shape)
def test_a_sentence_never_tells_one_series_under_the_name_of_another(held_out, training):
    health = told(outcomes(held_out, training))

    for part in health.reason.replace("; ", ", ").split(", "):
        for name, shape in (("eval/return_mean", held_out), ("outcome/return_mean", training)):
            if name not in part or shape not in LEVELS:
                continue
            for level in re.findall(r"(?:from|to|at) (-?[0-9.]+)", part):
                near = min(abs(float(level) - one) for one in LEVELS[shape])
                assert near < 60, (part, shape)


@pytest.mark.parametrize("held_out", ["lost", "worse", "flat"])
def test_where_they_disagree_both_are_named(held_out):
    reason = told(outcomes(held_out, "good")).reason

    assert reason.startswith("outcome/return_mean rose from ")
    assert ", but eval/return_mean " in reason


def test_validation_that_stays_while_the_reward_rises_is_overfitting():
    health = told(
        {
            "reward/score_mean": np.linspace(0.15, 0.62, 80) + 0.01 * RNG.normal(size=80),
            "eval/mean_at_n": at_evaluations(0.33 + 0.01 * RNG.normal(size=25)),
        },
        algorithm="GRPO",
    )

    assert health.word == "overfitting"
    assert health.reason.startswith("reward/score_mean rose from 0.1")
    assert "but eval/mean_at_n" in health.reason
    assert health.main.metric == "eval/mean_at_n"


def test_few_evaluations_do_not_silence_training():
    health = told({**outcomes("-", "lost"), "eval/return_mean": {100: 390.0, 700: 20.0}})

    assert health.word == "collapsed"
    assert health.main.metric == "outcome/return_mean"


# honest words


def test_a_win_rate_stuck_low_is_stalled():
    little, more = (
        np.interp(T, [0, 0.3, 1], [0.07, end, end]) + 0.002 * wandering() for end in (0.09, 0.13)
    )

    assert told({"outcome/win_rate": little}).bad
    health = told({"outcome/win_rate": more})
    assert health.word == "stalled"
    assert "far from its ceiling of 1" in health.reason


def test_success_of_exactly_nothing_is_a_fact():
    health = told({"outcome/success_rate": [0.0] * 994})

    assert health.word == "not learning"
    assert health.reason == "outcome/success_rate is 0 in all 994 rows: no improvement"


def test_success_next_to_its_ceiling_is_learned():
    rate = np.interp(T, [0, 0.5, 1], [0.1, 0.97, 0.97]) + 0.005 * wandering()

    health = told({"outcome/success_rate": rate})

    assert health.word == "learned"
    assert health.solved


def test_a_return_that_holds_is_left_to_the_reader():
    reason = told({"outcome/return_mean": solved()}).reason

    assert "and holds; only you know whether" in reason


def test_a_standstill_of_a_known_task_is_bad_whatever_its_reward():
    cartpole = {"config": {"env_id": "CartPole-v1"}}
    flat = 20 + 0.3 * wandering()

    assert told({"outcome/return_mean": 1e4 * flat}, **cartpole).bad
    assert told({"outcome/return_mean": flat}, **cartpole).bad


@pytest.mark.parametrize("end", [56, 58, 61])
def test_slow_progress_far_below_a_ceiling_is_no_standstill(end):
    """The first rows of real CartPole runs: a window of 100 episodes lifts them by little each."""
    returns = [19, 19, 22, 25, 27, 28, 32, 35, 38, 40, 42, 45, 48, 51, end - 3, end]

    health = told({"outcome/return_mean": returns}, config={"env_id": "CartPole-v1"})

    assert health.word == "learning"


def test_a_return_that_doubles_beside_no_success_misses_the_point():
    health = told({"outcome/return_mean": solved(), "outcome/success_rate": [0.0] * 80})

    assert (health.word, health.plot) == ("not learning", "missed")
    assert "but outcome/success_rate is 0 in all 80 rows" in health.reason


def test_what_cannot_be_told_says_what_to_log():
    health = told({"outcome/return_mean": 20 + 8 * wandering(12, seed=5)})

    assert health.word == "cannot tell"
    assert "log it for longer" in health.reason


def test_ten_evaluations_in_order_are_learning():
    assert told({"eval/success_rate": np.linspace(0.2, 0.6, 10)}).word == "learning"


# means since the start


def since_start(rows):
    return np.cumsum(rows) / np.arange(1, len(rows) + 1)


def test_a_mean_since_the_start_that_fakes_a_rise_is_none():
    rows = np.r_[np.zeros(12), (np.random.default_rng(3).random(488) < 0.14)].astype(float)
    mean = since_start(rows)

    assert mean[-1] > mean[20]
    assert not told({"outcome/success_rate": mean}).good


# training data only


@pytest.mark.parametrize(
    ("algorithm", "series"),
    [
        ("SFT", {"lm/loss": np.linspace(2.0, 1.2, 80) + 0.02 * NOISE}),
        ("DPO", {"preference/loss": np.linspace(0.69, 0.4, 80), "preference/margin": 2 * T}),
        ("KTO", {"preference/loss": np.linspace(0.5, 0.3, 80), "preference/margin": 2 * T}),
        ("Reward", {"rm/loss": np.linspace(0.69, 0.3, 80), "rm/margin": 2 * T}),
    ],
)
def test_without_evaluation_the_training_data_speak_and_say_so(algorithm, series):
    health = told(series, algorithm=algorithm)

    assert health.good
    assert health.reason.endswith("on its training data; nothing held out was logged")


@pytest.mark.parametrize(("start", "end"), [(1.792, 1.791), (3.178, 3.148)])
def test_a_loss_at_guessing_is_not_praised(start, end):
    loss = np.linspace(start, end, 200) + 0.01 * RNG.normal(size=200)

    assert not told({"lm/loss": loss}, algorithm="SFT").good


# what is not a failure


def test_a_likely_gain_is_not_trouble_though_it_is_unsure():
    noise = np.random.default_rng(7).normal(size=30)

    up, nowhere = (
        told({"outcome/return_mean": 50 + gain * np.linspace(0, 1, 30) + 8 * noise})
        for gain in (16, 0)
    )

    assert (up.plot, nowhere.good) == ("unsure", False)
    assert up.leans_up
    assert not up.struggles
    assert nowhere.struggles


@pytest.mark.parametrize("gap", [0.0, 0.1])
def test_a_held_out_rate_that_was_good_from_the_start_keeps_up(gap):
    series = {
        "preference/accuracy": np.minimum(1.0, np.linspace(0.6, 2.0, 80)),
        "eval/preference/accuracy": at_evaluations(1.0 - gap - 0.002 * np.abs(HELD)),
    }

    assert told(series, algorithm="DPO").good


# figures


def test_a_clear_change_is_never_called_noise():
    reason = told({"outcome/return_mean": -1330 - 100 * T + 4 * wandering()}).reason

    assert "noise" not in reason


def test_verdict_and_finding_tell_the_same_figures():
    found = judge_by_rules(
        make_run(outcomes("lost", "-"), every=10, algorithm="PPO"), since_when=False
    )

    assert found.verdict.reason == found.findings[0].message


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "eval/return_mean", "outcome/success_rate"):
        assert Patient(odd).health.word


@pytest.mark.parametrize(
    ("end", "word"), [(0.2, "learned"), (2.0, "not learning"), (4.0, "not learning")]
)
def test_less_exploitability_is_better(end, word):
    course = end + (2.0 - end) * np.exp(-8 * T)
    run = make_run({"outcome/exploitability": course + 0.01 * RNG.normal(size=80)}, every=10)

    found = judge_by_rules(run)

    assert found.verdict.word == word
    assert (word == "learned") is not any(one.is_alarm for one in found.findings)


def test_what_is_meant_falls_while_what_stands_in_for_it_rises():
    gold = np.interp(T, [0, 0.4, 1], [0.0, 1.0, 0.3]) + 0.01 * RNG.normal(size=80)
    health = told({"reward/score_mean": 3 * T, "eval/score_mean": gold}, algorithm="PPO")

    assert health.word == "overfitting"
    assert "but eval/score_mean fell back from" in health.reason


def test_a_success_that_is_next_to_never_is_stuck_though_its_hits_are_few():
    rng = np.random.default_rng(4)
    rare = (rng.random(500) < 0.02) * 1.0
    reward = 0.37 + 0.03 * rng.random(500) + 0.1 * rng.normal(size=500)
    health = told({"outcome/success_rate": rare, "reward/score_mean": reward}, algorithm="GRPO")

    assert health.bad
    assert "outcome/success_rate" in health.reason


@pytest.mark.parametrize(("gain", "good"), [(90, True), (5, False)])
def test_elo_has_no_zero_so_points_count_and_not_shares(gain, good):
    noise = np.random.default_rng(8).normal(size=80)

    health = told({"outcome/elo": 1200 + gain * T + 3 * noise}, algorithm="PPO")

    assert health.good is good


def at(values: list[float], every: int) -> dict[int, float]:
    """Evaluations, so many steps apart."""
    return {every * (1 + i): value for i, value in enumerate(values)}


def noisy(start: float, end: float, rows: int = 120) -> np.ndarray:
    """A slow wave as high as the level, so that no level is sure."""
    t = np.linspace(0, 1, rows)
    waves = 60 * np.sin(9 * np.pi * t) + 40 * np.sin(23 * t + 1)
    return np.linspace(start, end, rows) + waves + 20 * np.random.default_rng(0).normal(size=rows)


def test_a_run_that_goes_on_may_still_show_one():
    found = told({"outcome/return_mean": noisy(-400, -395)}, status="running", total_steps=9000)

    assert found.word in ("cannot tell", "too early to tell")


def test_a_finding_states_it():
    run = make_run({"outcome/return_mean": noisy(-400, -395)}, every=10, algorithm="PPO")

    found = judge_by_rules(run, since_when=False)

    assert found.verdict.word == "not learning"
    assert [f.code for f in found.findings if f.is_alarm] == ["REW005"]


def test_a_held_out_rate_that_was_high_from_the_first_row_on_is_not_left_behind():
    falls = 0.6 - 0.3 * np.minimum(1.0, np.linspace(0, 2, 80)) + 0.02 * RNG.normal(size=80)
    high = 0.84 + 0.01 * RNG.normal(size=12)
    low = 0.55 + 0.01 * RNG.normal(size=12)

    def of_pairs(rate):
        return told(
            {"preference/loss": falls, "eval/preference/accuracy": at(list(rate), 60)},
            algorithm="DPO",
        )

    assert of_pairs(high).good
    assert of_pairs(low).word == "overfitting"


# hits and misses


@pytest.mark.parametrize("metric", ["outcome/success_rate", "reward/mean"])
@pytest.mark.parametrize("rows", [60, 200])
def test_frequent_hits_that_stay_as_frequent_are_not_a_standstill(metric, rows):
    def words(share):
        found = []
        for seed in range(20):
            hits = (np.random.default_rng(1000 + seed).random(rows) < share).astype(float)
            run = make_run({metric: hits}, algorithm="PPO")
            found.append(judge_by_rules(run, since_when=False))
        return [any(one.is_alarm for one in all_findings(judged.findings)) for judged in found]

    assert sum(words(0.92)) <= 4
    assert sum(words(0.6)) >= 9  # by the same names: rarer ones are stuck
    assert sum(words(0.02)) >= 18


@pytest.mark.parametrize("rows", [60, 300, 1200])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_rate_that_levels_off_at_three_fifths_is_not_stalled(rows, seed):
    t = np.linspace(0, 1, rows)
    rate = 0.3 + 0.31 * (1 - np.exp(-t / 0.3))
    rate += np.random.default_rng(seed).normal(0, 0.01, rows)

    assert told({"eval/mean_at_n": rate, "reward/mean": rate + 0.1}, algorithm="GRPO").good


@pytest.mark.parametrize(("end", "word"), [(0.15, "stalled"), (0.35, "learning")])
def test_an_accuracy_that_levels_off_low_may_be_all_that_the_data_allow(end, word):
    accuracy = end - 0.1 * np.exp(-np.linspace(0, 5, 12))
    run = make_run({"eval/supervised/accuracy": accuracy}, algorithm="supervised")

    assert Patient(run).health.word == word


def test_a_level_that_is_shown_alike_at_both_ends_is_said_once():
    values = 1.0 + 1e-6 * np.arange(30)
    outcome = Patient(make_run({"reward/mean": values})).outcome

    assert outcome is not None
    assert moved(outcome) == "reward/mean stayed at 1"


def test_a_success_that_has_begun_to_rise_is_not_missed():
    rises = np.linspace(20, 160, len(T)) + NOISE
    late = np.where(T > 0.8, 0.5 * (T - 0.8), 0.0)

    health = told({"outcome/return_mean": rises, "outcome/success_rate": late})

    assert health.good, health.reason
