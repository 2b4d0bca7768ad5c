from dataclasses import replace
from math import nan

import pytest

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.model import Expectation
from runvitals.testing import check, make_run

RISING = [float(i) for i in range(100)]


def run(values, *expectations, name="outcome/return_mean"):
    return replace(make_run({name: values}, every=10), expectations=expectations)


def expect(**what):
    return Expectation(**{"metric": "outcome/return_mean", **what}).checked()


def test_a_goal_that_is_not_reached_in_time_is_found():
    [finding] = check(run(RISING, expect(above=60, by_step=500, reason="as last week")), "EXP001")

    assert finding.message == (
        "expected outcome/return_mean above 60 by step 500, but it was 49 (as last week)"
    )
    assert (finding.span.first, finding.span.last, finding.span.count) == (10, 500, 50)
    assert finding.limit is not None
    assert (finding.limit.value, finding.limit.source) == (60, "your expectation")


def test_a_metric_that_leaves_its_bounds_is_found():
    values = [0.01] * 50 + [0.2] * 10 + [0.01] * 40

    [finding] = check(run(values, expect(below=0.1, after_step=100, severity="critical")), "EXP001")

    assert finding.message == (
        "expected outcome/return_mean below 0.1 from step 100, but it was 0.2 at step 510"
    )
    assert finding.severity == "critical"
    assert (finding.span.first, finding.span.last, finding.span.count) == (510, 600, 10)


def test_a_metric_that_was_never_logged_has_not_got_there():
    [finding] = check(run(RISING, expect(metric="eval/loss", below=1, by_step=500)), "EXP001")

    assert finding.message == "expected eval/loss below 1 by step 500, but it was not logged"


def test_each_expectation_is_judged_alone():
    both = [expect(above=60, by_step=500), expect(above=200, by_step=500)]

    assert len(check(run(RISING, *both), "EXP001")) == 2


def test_nan_is_out_of_all_bounds():
    assert check(run([0.5, nan, nan, nan, 0.5], expect(above=0, below=1)), "EXP001")


@pytest.mark.parametrize(
    ("values", "expectation"),
    [
        (RISING, expect(above=40, by_step=500)),
        (RISING, expect(above=60, by_step=5000)),
        (RISING[::-1], expect(above=60, by_step=500)),
        (RISING, expect(above=-1, below=100)),
        (RISING, expect(above=9.5, after_step=100)),
        ([0.5, 9.0, 9.0, 0.5] * 20, expect(below=1)),
        ([], expect(below=1)),
        (RISING, expect(metric="never/logged", below=1)),
        ([5.0], expect(above=1, by_step=10)),
    ],
    ids=[
        "got there in time",
        "the step has not come",
        "was there and left",
        "between its bounds",
        "only from a step on",
        "never three in a row",
        "nothing logged",
        "a bound on what was not logged",
        "a single point that is there",
    ],
)
def test_stays_silent(values, expectation):
    assert check(run(values, expectation), "EXP001") == []


def test_without_expectations_it_is_not_checked():
    found = judge_by_rules(
        run(RISING, expect(metric=None, rule="KL001", reason="fine")), Choice(("EXP",))
    )

    assert [n.reason for n in found.not_checked] == [
        "the script set no expectations with run.expect(...)"
    ]
