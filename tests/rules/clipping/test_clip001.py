import pytest
from tests.rules.policy.curves import ODD, around, learning, solved, stuck, wandering

from runvitals.testing import check, make_run


def run(clipped, outcome=None, *, config=None, algorithm="PPO", **more):
    series = {"policy/clip_fraction": clipped, **more}
    if outcome is not None:
        series["outcome/return_mean"] = outcome
    return make_run(series, every=10, algorithm=algorithm, config=config)


def test_fires_when_much_is_clipped_for_long():
    [finding] = check(run([*around(0.05, 30), *[0.42] * 50], stuck()), "CLIP001")

    assert finding.severity == "warning"
    assert (finding.span.first, finding.span.last) == (310, 800)
    assert "above 0.3 in 50 updates" in finding.message


def test_is_critical_when_more_than_half_is_clipped():
    assert [one.severity for one in check(run([0.9] * 80, stuck()), "CLIP001")] == ["critical"]


def test_a_tiny_clip_range_is_the_first_cause():
    [finding] = check(run([0.5] * 80, stuck(), config={"clip_range": 0.001}), "CLIP001")

    assert finding.causes[0] == "clip range too small"


def test_language_models_have_a_lower_limit():
    tokens = {"length/response_mean": [100.0] * 80}

    assert len(check(run([0.25] * 80, stuck(), algorithm="GRPO", **tokens), "CLIP001")) == 1


def test_your_limit_holds_whatever_the_outcome():
    assert len(check(run([0.15] * 80, learning()), "CLIP001", limit=0.1)) == 1


def test_without_an_outcome_it_is_a_notice():
    assert [one.severity for one in check(run([0.5] * 80), "CLIP001")] == ["notice"]


@pytest.mark.parametrize(
    ("clipped", "outcome"),
    [
        (around(0.1), stuck()),
        ([0.4] * 7, stuck(7)),
        ([*[0.4] * 14, *around(0.05, 100)], stuck(114)),
        ([0.4, 0.1] * 40, stuck()),
    ],
    ids=["usual", "too short", "early", "half of the time"],
)
def test_stays_silent(clipped, outcome):
    assert check(run(clipped, outcome), "CLIP001") == []


@pytest.mark.parametrize("outcome", [learning(), solved()], ids=["improves", "holds"])
def test_is_a_sign_while_the_outcome_does_well(outcome):
    [finding] = check(run([0.4] * 80, outcome), "CLIP001")

    assert finding.severity == "notice"
    assert "is holding up so far" in finding.message


def test_no_outcome_excuses_more_than_three_fifths():
    assert [one.severity for one in check(run([0.7] * 80, learning()), "CLIP001")] == ["warning"]


@pytest.mark.parametrize(
    "clipped",
    [0.6 + 0.04 * wandering(), [*[0.68] * 40, *[0.4] * 40]],
    ids=["about that, as far as can be told", "no longer"],
)
def test_what_may_be_less_than_that_is_a_sign_while_the_outcome_does_well(clipped):
    found = check(run(clipped, learning()), "CLIP001")

    assert [one.severity for one in found] == ["notice"]


@pytest.mark.parametrize(("kl", "severity"), [(0.03, "notice"), (0.2, "warning")])
def test_the_kl_has_to_agree_that_updates_are_too_large(kl, severity):
    seen = run([0.7] * 80, learning(), **{"policy/approx_kl": around(kl)})

    assert [one.severity for one in check(seen, "CLIP001")] == [severity]


@pytest.mark.parametrize(
    ("kl", "advice"), [(0.08, "lower the clip range"), (0.001, "widen the clip")]
)
def test_the_kl_says_which_way_the_clip_range_should_go(kl, advice):
    [finding] = check(run([0.4] * 80, stuck(), **{"policy/approx_kl": around(kl)}), "CLIP001")

    assert advice in finding.advice


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values)), config={"clip_range": "auto"}), "CLIP001")


@pytest.mark.parametrize("outcome", [learning(), stuck()], ids=["improves", "stuck"])
@pytest.mark.parametrize("width", [None, 0.2], ids=["unknown range", "usual range"])
@pytest.mark.parametrize("kl", [around(3e-8), [0.0] * 80], ids=["rounding", "zero"])
def test_clipping_that_contradicts_the_kl_is_said_as_such(outcome, width, kl):
    config = None if width is None else {"clip_range": width}
    kl = {"policy/approx_kl": kl}

    [finding] = check(run([1.0] * 80, outcome, config=config, **kl), "CLIP001")

    assert finding.message.startswith("clip fraction of 1 contradicts the KL")
    assert finding.causes == ("clip range of almost 0", "clipping counted wrongly")
    assert finding.is_alarm


def test_a_kl_that_fits_and_a_sequence_ratio_are_no_contradiction():
    fits = run([0.5] * 80, learning(), **{"policy/approx_kl": around(0.02)})
    tiny = {"policy/approx_kl": around(1e-6)}
    sequences = run([0.5] * 80, learning(), algorithm="GSPO", **tiny)

    found = check(fits, "CLIP001") + check(sequences, "CLIP001")

    assert [one.severity for one in found] == ["notice", "notice"]


def test_a_clip_range_that_cannot_be_intended_is_not_excused_by_the_outcome():
    [finding] = check(run([0.5] * 80, learning(), config={"clip_range": 0.005}), "CLIP001")

    assert finding.severity == "warning"
