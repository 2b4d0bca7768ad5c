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
    [finding] = check(run(accuracy=STUCK, tags=[0.0] * N, soft=[-1.0] * N), "REW014")

    assert "1 other part never changes either" in finding.message
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
def test_it_is_a_notice_when(made, why):
    assert [finding.severity for finding in check(made, "REW014")] == ["notice"], why


@pytest.mark.parametrize(
    ("parts", "severity"),
    [
        ({"accuracy_reward": 0, "format_reward": 1}, "warning"),
        ({"verifier": 0, "format_reward": 1, "length_reward": 1}, "warning"),
        ({"correctness": 0, "judge": 1}, "warning"),
        ({"verifier": 0, "judge": 1}, "notice"),
        ({"strict_format": 0, "correctness": 1}, "notice"),
        ({"int_reward": 0, "correctness": 1}, "notice"),
        ({"strict_format": 0, "soft_format": 1}, "notice"),
    ],
)
@pytest.mark.parametrize("n", [8, 12, 30, 100])
def test_no_outcome_excuses_a_goal_that_never_pays(parts, severity, n):
    right = 0
    for seed in range(10):
        paid = np.linspace(0.3, 0.6, n) + 0.03 * np.random.default_rng(seed).standard_normal(n)
        made = run(paid, **{name: paid * moves for name, moves in parts.items()})
        right += [one.severity for one in check(made, "REW014")] == [severity]

    assert right >= 9


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
