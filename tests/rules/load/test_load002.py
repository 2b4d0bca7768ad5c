import pytest
from tests.rules.performance.plant import labelled, noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check


def run(*ranks):
    return labelled(
        {f"step_s/{i}": ("time/step_s", {"rank": str(i)}, values) for i, values in enumerate(ranks)}
    )


def test_names_the_rank_that_is_slow():
    [finding] = check(
        run(noisy(1), noisy(1, seed=1), noisy(2, seed=2), noisy(1, seed=3)), "LOAD002"
    )

    assert finding.severity == "warning"
    assert "rank 2" in finding.message
    assert finding.span.count == 95


def test_ranks_that_take_turns_are_fine():
    assert check(run(*(noisy(1, seed=i, size=0.4) for i in range(4))), "LOAD002") == []


def test_too_short_to_tell():
    assert check(run(noisy(1, 20), noisy(1, 20), noisy(3, 20)), "LOAD002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values, values), "LOAD002") == []
