import pytest
from tests.rules.policy.curves import ODD, around, collapsing, learning, solved, stuck

from runvitals.testing import check, make_run

HIGH = around(0.12)


def run(kl, outcome=None, **about):
    series = {"policy/approx_kl": kl}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=2048, algorithm="PPO", **about)


def test_fires_and_names_span_and_number():
    kl = [*around(0.01, 30), *around(0.12, 50)]

    [finding] = check(run(kl, collapsing()), "KL001")

    assert finding.severity == "warning"
    assert finding.span.first >= 31 * 2048
    assert finding.span.last == 80 * 2048
    assert "above 0.05" in finding.message
    assert finding.limit is not None
    assert finding.limit.value == 0.05


def test_is_critical_at_ten_times_the_limit():
    [finding] = check(run(around(0.9), stuck()), "KL001")

    assert finding.severity == "critical"


def test_sees_a_few_updates_far_off_before_the_policy_is_dead():
    [finding] = check(run([90.0, 120.0, 30.0, 2.0, *[0.0] * 60], stuck(64)), "KL001")

    assert finding.span.last == 4 * 2048


def test_the_target_of_the_run_counts():
    [finding] = check(run(around(0.07), stuck(), config={"target_kl": 0.01}), "KL001")

    assert finding.limit is not None
    assert finding.limit.from_run
    assert finding.limit.value == pytest.approx(0.012)


def test_tells_the_learning_rate():
    [finding] = check(run(HIGH, stuck(), config={"learning_rate": 0.003}), "KL001")

    assert "(this run: 0.003)" in finding.advice


def test_without_an_outcome_it_is_a_notice():
    assert [one.severity for one in check(run(HIGH), "KL001")] == ["notice"]


@pytest.mark.parametrize("outcome", [learning(), solved()], ids=["improves", "holds"])
def test_is_a_sign_while_the_outcome_does_well(outcome):
    [finding] = check(run(HIGH, outcome), "KL001")

    assert finding.severity == "notice"
    assert "outcome/return_mean is holding up so far" in finding.message


@pytest.mark.parametrize(
    ("outcome", "severity"), [(learning(), "notice"), (stuck(), "warning"), (None, "notice")]
)
def test_above_the_runs_own_target_is_a_sign_and_does_harm_where_nothing_is_learned(
    outcome, severity
):
    config = {"target_kl": 0.02, "kl_coef": 0.1}

    [finding] = check(run(around(0.032), outcome, config=config), "KL001")

    assert finding.severity == severity
    assert "above 0.024" in finding.message
    assert "increase kl_coef or reduce PPO epochs (this run: kl_coef 0.1)" in finding.advice


def test_an_update_that_is_stopped_just_above_its_target_is_fine():
    assert check(run(around(0.019), stuck(), config={"target_kl": 0.02}), "KL001") == []


def test_the_plain_mean_of_the_log_ratio_is_judged_where_there_is_no_better_estimate():
    series = {"policy/kl_old": around(0.25), "reward/mean": stuck()}

    [finding] = check(make_run(series, algorithm="PPO"), "KL001")

    assert finding.series == "policy/kl_old"
    assert finding.severity in ("warning", "critical")


@pytest.mark.parametrize("seed", range(10))
def test_noise_is_no_sickness(seed):
    assert check(run(around(0.02, seed=seed), stuck(seed=seed)), "KL001") == []


def test_continuous_actions_may_move_further():
    calm = make_run(
        {
            "policy/approx_kl": around(0.08),
            "policy/action_std": around(0.6),
            "outcome/return_mean": stuck(),
        },
        algorithm="PPO",
    )

    assert check(calm, "KL001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, stuck(len(values))), "KL001") == []


def test_too_short_to_judge():
    assert check(run([0.2] * 7, stuck(7)), "KL001") == []


def test_an_early_excursion_is_over():
    kl = [*around(0.01, 20), *[0.09] * 8, *around(0.01, 170)]

    assert check(run(kl, stuck(198)), "KL001") == []


@pytest.mark.parametrize(("kl", "severity"), [(0.9, "warning"), (0.3, "notice")])
def test_nothing_excuses_ten_times_the_limit(kl, severity):
    assert [one.severity for one in check(run(around(kl), learning()), "KL001")] == [severity]


def test_a_target_that_stops_every_update_is_not_held_against_it():
    assert check(run(around(3e-4), stuck(), config={"target_kl": 1e-5}), "KL001") == []
