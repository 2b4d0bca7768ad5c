import pytest
from tests.rules.policy.curves import ODD, around, learning, stuck, wandering

from runvitals.testing import check, make_run


def run(series, outcome=None):
    series = dict(series)
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm="PPO")


def test_fires_when_the_mean_is_not_one():
    mean = [*[1.0] * 40, *[1.5] * 40]

    [finding] = check(run({"policy/ratio_mean": mean}, stuck()), "POL003")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (410, 800)
    assert "1.5 over 40 updates" in finding.message


def test_too_low_counts_as_well():
    assert len(check(run({"policy/ratio_mean": [0.6] * 80}, stuck()), "POL003")) == 1


def test_a_largest_ratio_above_200_is_a_warning():
    gross = check(run({"policy/ratio_max": around(900.0)}, stuck()), "POL003")

    assert [one.severity for one in gross] == ["warning"]
    assert check(run({"policy/ratio_max": around(40.0)}, stuck()), "POL003") == []


def test_a_narrow_clip_range_says_nothing_about_the_mean():
    mean = {"policy/ratio_mean": 1.0 + 0.002 * wandering(), "outcome/return_mean": stuck()}
    narrow = make_run(mean, algorithm="PPO", config={"clip_range": 3e-4})

    assert check(narrow, "POL003") == []


def test_without_an_outcome_it_is_a_notice():
    found = check(run({"policy/ratio_mean": [1.5] * 80}), "POL003")

    assert [one.severity for one in found] == ["notice"]


@pytest.mark.parametrize(
    ("series", "outcome"),
    [
        ({"policy/ratio_mean": 1.0 + 0.02 * wandering()}, stuck()),
        ({"policy/ratio_mean": [1.5] * 7}, stuck(7)),
        ({"policy/ratio_max": around(3.0)}, stuck()),
    ],
    ids=["noise", "too short", "usual"],
)
def test_stays_silent(series, outcome):
    assert check(run(series, outcome), "POL003") == []


@pytest.mark.parametrize(
    ("outcome", "severity"), [(learning(), "notice"), (stuck(), "warning"), (None, "notice")]
)
def test_a_mean_above_200_in_a_single_update_is_told(outcome, severity):
    mean = 1.0 + 0.02 * wandering()
    mean[50] = 900.0

    [finding] = check(run({"policy/ratio_mean": mean}, outcome), "POL003")

    assert finding.severity == severity
    assert "above 200 in 1 update, up to 900 at step 510" in finding.message


def test_is_a_sign_while_the_outcome_does_well_and_nothing_excuses_200_all_along():
    sign = check(run({"policy/ratio_mean": [1.5] * 80}, learning()), "POL003")
    unstable = check(run({"policy/ratio_mean": [300.0] * 80}, learning()), "POL003")

    assert [one.severity for one in sign] == ["notice"]
    assert [one.severity for one in unstable] == ["warning"]


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(
        run({"policy/ratio_mean": values, "policy/ratio_max": values}, stuck(len(values))), "POL003"
    )
