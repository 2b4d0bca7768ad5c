import pytest
from tests.rules.performance.plant import noisy, shifted
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(series):
    return make_run(series, algorithm="GRPO")


def test_less_than_a_token_per_second_is_a_warning():
    [finding] = check(run({"throughput/generation_tokens_per_s": noisy(0.4)}), "PERF005")

    assert finding.severity == "warning"
    assert "tokens per second, below 1" in finding.message


def test_low_utilisation_is_a_notice():
    [finding] = check(run({"throughput/mfu": noisy(0.2)}), "PERF005")

    assert finding.severity == "notice"
    assert "0.2" in finding.message


def test_silent_on_a_fast_run_and_where_nothing_was_measured():
    assert check(run({"throughput/mfu": noisy(0.5)}), "PERF005") == []
    assert check(run({"throughput/mfu": [0.0] * 50}), "PERF005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    series = {"throughput/mfu": values, "throughput/generation_tokens_per_s": values}
    found = check(run(series), "PERF005")

    assert all(finding.series == "throughput/generation_tokens_per_s" for finding in found)


def test_a_run_that_becomes_slow_is_told_of_from_then_on():
    mfu = shifted(0.5, 0.2)

    [finding] = check(run({"throughput/mfu": mfu}), "PERF005")

    assert 38 <= finding.span.first <= 44
    assert check(run({"throughput/mfu": mfu[::-1]}), "PERF005") == []


def test_tokens_per_second_tell_of_a_language_model_whatever_its_algorithm():
    series = {"throughput/generation_tokens_per_s": noisy(0.4)}

    [finding] = check(make_run(series, algorithm="REINFORCE"), "PERF005")

    assert "faster backend" in finding.advice
