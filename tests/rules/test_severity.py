import pytest
from tests.rules.reward.curves import collapsing, learning, stuck

from runvitals.model import Finding, Hit, Span
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rules
from runvitals.rules.severity import severity_of, so_far, together
from runvitals.testing import make_run


def patient(returned=None):
    series = {"policy/entropy": [1.0] * 80}
    if returned is not None:
        series["outcome/return_mean"] = returned
    return Patient(make_run(series, algorithm="PPO"))


def by_outcome(one, **about):
    hit = Hit(series="policy/clip_fraction", span=Span(1, 2, 2), message="high", **about)
    return severity_of(rules()["CLIP001"], hit, one)


def test_a_sign_is_a_notice_while_the_outcome_is_fine_and_says_so():
    one = patient(returned=learning())

    assert by_outcome(one) == "notice"
    assert so_far(one) == "; outcome/return_mean is holding up so far"


@pytest.mark.parametrize("curve", [stuck(), collapsing()], ids=["flat", "falls"])
def test_a_sign_is_a_warning_where_the_outcome_suffers(curve):
    one = patient(returned=curve)

    assert by_outcome(one) == "warning"
    assert so_far(one) == ""


def test_a_sign_without_any_outcome_is_a_notice():
    assert by_outcome(patient()) == "notice"
    assert so_far(patient()) == "; no outcome was logged to compare with"


def test_nothing_excuses_some_levels():
    assert by_outcome(patient(returned=learning()), beyond_excuse=True) == "warning"


def test_signs_of_three_kinds_are_warnings_unless_the_outcome_is_good():
    def sign(code):
        return Finding(code, "name", "notice", "policy/entropy", Span(1, 2, 2), "odd")

    two = [sign(code) for code in ("KL001", "KL002", "CLIP001")]
    three = [*two, sign("VAL001"), sign("DATA001")]

    unknown, good = patient(), patient(returned=learning())

    assert [one.severity for one in together(two, rules(), unknown)] == ["notice"] * 3
    assert [one.severity for one in together(three, rules(), unknown)] == ["warning"] * 4 + [
        "notice"
    ]
    assert together(three, rules(), good) == three
