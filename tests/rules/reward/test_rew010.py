import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs, wandering

from runvitals.model import Binding
from runvitals.testing import check, make_run

T = np.linspace(0, 1, 80)
FORMAT = 0.1 + 0.8 * (1 - np.exp(-5 * T)) + 0.01 * wandering()
POOR = 0.05 + 0.01 * wandering(seed=2)


def run(total, algorithm="GRPO", **parts):
    series = {f"rewards/{name}": values for name, values in parts.items()}
    made = make_run({"reward/score_mean": total, **series}, every=5, algorithm=algorithm)
    made.bind(
        {"reward/score_mean": Binding("reward/score_mean")}
        | {f"rewards/{n}": Binding("reward/component_mean", {"component": n}) for n in parts}
    )
    return made


def test_fires_when_the_format_is_all_that_is_learned():
    [finding] = check(run(10 * FORMAT + POOR, format=FORMAT, accuracy=POOR), "REW010")

    assert finding.is_alarm
    assert finding.series == "rewards/format"
    assert "accuracy stays at 0.0" in finding.message
    assert finding.also[0] == "rewards/accuracy"


@pytest.mark.parametrize(
    "names", [("one", "two"), ("answer_reward", "match"), ("proxy", "true_score")], ids=" ".join
)
def test_the_role_of_a_part_is_what_it_does_and_not_its_name(names):
    rises, stays = names

    [finding] = check(run(FORMAT + POOR, **{rises: FORMAT, stays: POOR}), "REW010")

    assert finding.series == f"rewards/{rises}"
    assert f"{stays} stays at 0.04" in finding.message
    assert finding.advice.endswith(f"if {stays} is what you want")
    assert finding.severity == "warning"


def test_the_user_says_which_part_is_the_goal():
    half = 0.4 + POOR
    seen = run(FORMAT + half, one=FORMAT, two=half)

    [finding] = check(seen, "REW010", main="two")

    assert "two stays at 0.4" in finding.message
    assert check(seen, "REW010", main="one") == []


def test_is_silent_while_a_success_rate_beside_the_reward_rises():
    seen = make_run(
        {"reward/score_mean": FORMAT, "rewards/a": FORMAT, "rewards/b": POOR}
        | {"outcome/success_rate": 0.1 + 0.6 * T + 0.01 * wandering(seed=4)},
        algorithm="GRPO",
    )
    parts = {f"rewards/{n}": Binding("reward/component_mean", {"component": n}) for n in "ab"}
    beside = {m: Binding(m) for m in ("reward/score_mean", "outcome/success_rate")}
    seen.bind(beside | parts)

    assert check(seen, "REW010") == []


@pytest.mark.parametrize("name", ["delta_score", "b"])
def test_a_part_that_swings_about_zero_is_no_goal_left_behind(name):
    change = 0.03 * wandering(seed=3)
    parts = {"a": FORMAT, name: change}

    assert check(run(FORMAT + change, **parts), "REW010") == []


def test_the_absolute_score_may_drive_the_total_for_it_is_the_goal():
    change = 0.05 + 0.01 * wandering(seed=3)

    assert check(run(FORMAT + change, absolute_score=FORMAT, other=change), "REW010") == []


def test_fires_when_changes_are_punished_too_hard():
    total = -0.2 + 0.02 * wandering()
    seen = run(total, absolute_score=0.4 + 0.02 * wandering(), delta_score=total - 0.4)

    [finding] = check(seen, "REW010")

    assert finding.severity == "warning"
    assert "absolute score is above 0" in finding.message


def test_finds_parts_that_no_catalog_knows():
    rare = np.linspace(0.001, 0.006, 80)
    series = {"reward/mean": FORMAT, "reward/compiles": FORMAT, "reward/correctness": rare}
    made = make_run(series, algorithm="GRPO")
    made.bind({"reward/mean": Binding("reward/mean")} | dict.fromkeys([*series][1:], Binding(None)))

    [finding] = check(made, "REW010")

    assert finding.series == "reward/compiles"
    assert "reward/correctness stays at 0.00" in finding.message


@pytest.mark.parametrize(
    ("total", "parts"),
    [
        (FORMAT + T, {"format": FORMAT, "accuracy": T + 0.01 * wandering()}),
        (FORMAT + 0.95, {"format": FORMAT, "accuracy": 0.95 + 0.01 * wandering()}),
        (POOR, {"format": POOR, "accuracy": POOR[::-1]}),
        ((FORMAT + POOR)[:12], {"format": FORMAT[:12], "accuracy": POOR[:12]}),
        (FORMAT + POOR, {"correctness": FORMAT, "strict_format": POOR}),
        (FORMAT + POOR, {"correctness": FORMAT, "tidiness": POOR}),
        (2 * FORMAT + POOR, {"one": 2 * FORMAT, "two": POOR}),
        (FORMAT - POOR, {"one": FORMAT, "two": -POOR}),
        (FORMAT + 0.4, {"one": FORMAT, "two": 0.4 + POOR}),
    ],
    ids=[
        "accuracy rises",
        "accuracy is full",
        "nothing rises",
        "too short",
        "the format is not learned, the answer is",
        "the goal rises by its name",
        "a part that is worth little",
        "a penalty",
        "two parts that share the work",
    ],
)
def test_stays_silent(total, parts):
    assert check(run(total, **parts), "REW010") == []


def test_survives_odd_values():
    for odd in odd_runs(
        "reward/score_mean",
        "reward/component_mean{component=format}",
        "reward/component_mean{component=accuracy}",
    ):
        check(odd, "REW010")


FALLS = 0.57 - 0.08 * (1 - np.exp(-5 * T)) + 0.01 * wandering(seed=5)


def test_curiosity_is_not_a_goal_that_was_left_behind():
    rises, stays = FORMAT, 0.3 * np.abs(POOR)

    assert check(run(rises + stays, "PPO", Extrinsic=rises, Curiosity=stays), "REW010") == []
