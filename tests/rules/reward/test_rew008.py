import numpy as np
from tests.rules.reward.curves import odd_runs, wandering

from runvitals.testing import check, make_run


def test_notes_epochs_that_get_worse():
    seen = make_run(
        {"reward/mean": 0.5 + 0.001 * wandering(12), "reward/trend": [0.1] * 8 + [-0.1] * 4},
        algorithm="GRPO",
    )

    [finding] = check(seen, "REW008")

    assert finding.severity == "warning"
    assert finding.message.startswith("reward fell by 0.3")


def test_tells_a_loss_that_rises_again_but_not_a_surrogate_that_shrinks():
    loss = np.r_[np.linspace(1.6, 0.6, 30), np.linspace(0.6, 1.2, 20)]
    falls = -np.diff(loss, prepend=loss[0])
    for level, spoken in ((loss, True), (loss - 2.0, False)):
        seen = make_run(
            {
                "reward/mean": 0.4 + 0.01 * wandering(50),
                "policy/loss_total": level,
                "optim/loss_trend": falls,
            },
            algorithm="GRPO",
        )

        said = [one for one in check(seen, "REW008") if one.series == "optim/loss_trend"]

        assert bool(said) is spoken


def test_epochs_that_swing_as_widely_as_ever_are_told_and_those_that_settle_are_not():
    epochs = np.arange(60)
    rising = 0.4 + 0.4 * np.minimum(1, epochs / 20)
    for swing, spoken in ((0.15, True), (0.15 * np.exp(-epochs / 10), False)):
        reward = rising + swing * np.sin(epochs * 2 * np.pi / 14)
        seen = make_run(
            {"reward/mean": reward, "reward/trend": np.diff(reward, prepend=reward[0])},
            algorithm="GRPO",
        )

        assert bool(check(seen, "REW008")) is spoken


def test_waits_for_half_of_the_plan():
    seen = make_run(
        {"reward/mean": 0.5 + 0.001 * wandering(12), "reward/trend": [0.1] * 8 + [-0.1] * 4},
        algorithm="GRPO",
        status="running",
        total_steps=100,
    )

    assert check(seen, "REW008") == []


def test_survives_odd_values():
    for odd in odd_runs("outcome/return_mean", "reward/trend"):
        check(odd, "REW008")
