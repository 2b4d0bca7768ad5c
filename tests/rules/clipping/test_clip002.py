import pytest
from tests.rules.policy.curves import ODD, around, learning, solved, stuck

from runvitals.testing import check, make_run

TINY = around(1e-7)


def run(clipped, outcome, kl=None, *, config=None, algorithm="PPO"):
    series = {"policy/clip_fraction": clipped, "outcome/return_mean": outcome}
    if kl is not None:
        series["policy/approx_kl"] = kl
    return make_run(series, every=10, algorithm=algorithm, config=config)


def test_fires_when_nothing_is_clipped_and_nothing_is_learned():
    [finding] = check(run([0.0] * 80, stuck(), TINY), "CLIP002")

    assert finding.severity == "warning"
    assert "80 of 80 updates" in finding.message
    assert (finding.span.first, finding.span.last) == (10, 800)


@pytest.mark.parametrize("kl", [None, around(5e-3)], ids=["no KL", "updates have an effect"])
def test_harm_is_done_where_the_outcome_stands_still(kl):
    [finding] = check(run([0.0] * 80, stuck(), kl, config={"kl_coef": 0.1}), "CLIP002")

    assert finding.severity == "warning"
    assert "or decrease kl_coef (this run: 0.1)" in finding.advice


@pytest.mark.parametrize(
    ("clipped", "outcome", "kl"),
    [
        ([0.0] * 80, learning(), TINY),
        ([0.0] * 80, solved(), TINY),
        (around(0.05), stuck(), TINY),
        ([0.0] * 80, stuck(), around(0.2)),
        ([0.0] * 15, stuck(15), TINY[:15]),
    ],
    ids=["improves", "solved", "some is clipped", "updates are too large", "too short"],
)
def test_stays_silent(clipped, outcome, kl):
    assert check(run(clipped, outcome, kl), "CLIP002") == []


def test_one_update_per_batch_clips_nothing():
    assert check(run([0.0] * 80, stuck(), TINY, config={"n_epochs": 1}), "CLIP002") == []
    assert check(run([0.0] * 80, stuck(), TINY, algorithm="A2C"), "CLIP002") == []
    assert check(run([0.0] * 80, stuck(), TINY, algorithm="GRPO"), "CLIP002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    check(run(values, stuck(len(values)), values), "CLIP002")
