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
    assert finding.rank == 2
    assert finding.span.count == 100


def waiting(slow_stage, stage="forward"):
    """Four ranks that wait for one another: all steps take 1 s, a stage of rank 2 longer."""
    steps = {f"s/{i}": ("time/step_s", {"rank": str(i)}, noisy(1, seed=9)) for i in range(4)}
    stages = {
        f"f/{i}": (
            f"time/{stage}_s",
            {"rank": str(i)},
            noisy(slow_stage if i == 2 else 0.1, seed=i, size=0.005),
        )
        for i in range(4)
    }
    return labelled(steps | stages)


@pytest.mark.parametrize(
    "stage", ["data", "generation", "reward", "old_logprob", "policy_update", "forward"]
)
def test_names_the_rank_for_which_the_others_wait_in_every_step(stage):
    [finding] = check(waiting(0.5, stage), "LOAD002")

    assert (finding.rank, finding.series) == (2, "f/2")
    assert f"in the {stage.replace('_', ' ')} stage" in finding.message


def test_a_stage_that_is_a_small_part_of_a_step_is_not_worth_a_word():
    assert check(waiting(0.17), "LOAD002") == []


def test_ranks_that_take_turns_are_fine():
    assert check(run(*(noisy(1, seed=i, size=0.4) for i in range(4))), "LOAD002") == []


def test_too_short_to_tell():
    assert check(run(noisy(1, 20), noisy(1, 20), noisy(3, 20)), "LOAD002") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values, values), "LOAD002") == []
