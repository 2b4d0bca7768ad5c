import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(most, least, balanced=False):
    kind = "balanced_" if balanced else ""
    series = {f"balance/seqlen_{kind}max": most, f"balance/seqlen_{kind}min": least}
    return make_run({**series, "balance/seqlen_mean": most, "balance/seqlen_max": most})


def test_unbalanced_batches_are_a_notice():
    [finding] = check(run(noisy(900), noisy(500)), "LOAD001")

    assert finding.severity == "notice"
    assert "%" in finding.message


def test_balancing_that_does_not_work_is_a_warning():
    [finding] = check(run(noisy(1000), noisy(300), balanced=True), "LOAD001")

    assert finding.severity == "warning"
    assert "after balancing" in finding.message


def test_silent_on_balanced_ranks():
    assert check(run([1000.0] * 50, [990.0] * 50, balanced=True), "LOAD001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, values), "LOAD001") == []
