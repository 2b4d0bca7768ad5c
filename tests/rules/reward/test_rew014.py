import numpy as np
import pytest
from tests.rules.reward.curves import odd_runs

from runvitals.model import Binding
from runvitals.testing import check, make_run

N = 40
NOISE = np.random.default_rng(0).standard_normal(N)
STUCK = 0.3 + 0.05 * NOISE
RISING = np.linspace(0.1, 0.8, N) + 0.03 * NOISE


def run(total=STUCK, algorithm="GRPO", **parts):
    made = make_run(
        {"reward/mean": total, **{f"rewards/{name}": values for name, values in parts.items()}},
        algorithm=algorithm,
    )
    bindings = {"reward/mean": Binding("reward/mean")}
    for name in parts:
        bindings[f"rewards/{name}"] = Binding("reward/component_mean", {"component": name})
    made.bind(bindings)
    return made


def test_fires_when_a_part_is_never_anything_but_zero():
    [finding] = check(run(accuracy=STUCK, format=[0.0] * N), "REW014")

    assert finding.severity == "warning"
    assert finding.message == "format is exactly 0 at all 40 points"
    assert finding.series == "rewards/format"


def test_several_dead_parts_are_one_finding():
    [finding] = check(run(accuracy=STUCK, tags=[0.0] * N, soft=[0.2] * N), "REW014")

    assert finding.message.endswith("; also constant: soft")
    assert len(finding.also) == 1


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (run(RISING, accuracy=RISING, format=[0.0] * N), "learns all the same"),
        (run(accuracy=STUCK, format=[1.0] * N), "full marks"),
        (run(STUCK, "PPO", speed=STUCK, tracking=[0.0] * N), "a term of weight 0"),
    ],
    ids=["learns", "full marks", "control"],
)
def test_is_silent_where_it_does_no_harm(made, why):
    assert check(made, "REW014") == [], why


@pytest.mark.parametrize(
    ("parts", "spoken"),
    [
        ({"accuracy_reward": 0, "format_reward": 1}, True),
        ({"verifier": 0, "format_reward": 1, "length_reward": 1}, True),
        ({"correctness": 0, "judge": 1}, True),
        ({"verifier": 0, "judge": 1}, False),
        ({"strict_format": 0, "correctness": 1}, False),
        ({"int_reward": 0, "correctness": 1}, False),
        ({"strict_format": 0, "soft_format": 1}, False),
    ],
)
@pytest.mark.parametrize("n", [8, 12, 30, 100])
def test_no_outcome_excuses_a_goal_that_never_pays(parts, spoken, n):
    right = 0
    for seed in range(10):
        paid = np.linspace(0.3, 0.6, n) + 0.03 * np.random.default_rng(seed).standard_normal(n)
        made = run(paid, **{name: paid * moves for name, moves in parts.items()})
        right += bool(check(made, "REW014")) is spoken

    assert right >= 9


def test_a_part_that_marks_every_answer_down_is_not_excused():
    [finding] = check(run(RISING, quality=RISING, verifier=[-1.0] * N), "REW014")

    assert finding.severity == "warning"
    assert finding.message == "verifier is exactly -1 at all 40 points"


@pytest.mark.parametrize(
    "made",
    [
        run(accuracy=STUCK, format=RISING),
        run(accuracy=STUCK, length_penalty=[0.0] * N),
        run([0.0] * N, accuracy=[0.0] * N, format=[0.0] * N),
        run(accuracy=[0.0] * N),
        run(STUCK[:4], accuracy=STUCK[:4], format=[0.0] * 4),
    ],
    ids=["both move", "no penalty", "nothing moves", "one part only", "too short"],
)
def test_stays_silent(made):
    assert check(made, "REW014") == []


def test_survives_odd_values():
    for odd in odd_runs("reward/component_mean", "reward/mean"):
        check(odd, "REW014")


def test_a_likely_gain_excuses_it_if_a_part_is_learned():
    likely = 0.5 + 0.25 * np.linspace(0, 1, 12) + 0.15 * NOISE[:12]
    dead = [0.0] * 12

    assert check(run(likely, correct=np.linspace(0.1, 0.8, 12), soft_format=dead), "REW014") == []
