import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.testing import check, make_run


def run(percent, mine, used=60.0):
    n = len(percent)
    return make_run(
        {
            "system/memory_percent": percent,
            "system/process_memory_gb": [mine] * n,
            "system/memory_used_gb": [used] * n,
        }
    )


def test_fires_when_this_run_fills_the_memory():
    [finding] = check(run([60.0] * 30 + [96.5] * 20, 50.0), "SYS001")

    assert finding.severity == "warning"
    assert "since step 31" in finding.message


def test_is_critical_when_hardly_anything_is_left():
    [finding] = check(run([99.0] * 30, 50.0), "SYS001")

    assert finding.severity == "critical"


def test_the_memory_of_others_is_a_notice():
    [finding] = check(run([97.0] * 30, 2.0), "SYS001")

    assert finding.severity == "notice"


def test_a_full_gpu_is_a_notice():
    [finding] = check(make_run({"system/gpu_memory_percent": [97.0] * 30}), "SYS001")

    assert finding.severity == "notice"


@pytest.mark.parametrize("metric", ["system/memory_percent", "system/gpu_memory_percent"])
@pytest.mark.parametrize(
    ("percent", "severity"),
    [
        ([60.0] * 30 + [92.0] * 20, "notice"),
        ([97.0] * 50, "notice"),
        ([60.0] * 30 + [97.0] * 20, "warning"),
    ],
    ids=["above 90 %", "reserved in advance", "it grew there"],
)
def test_of_memory_whose_owner_is_unknown_it_counts_whether_it_grew(metric, percent, severity):
    [finding] = check(make_run({metric: percent}), "SYS001")

    assert finding.severity == severity


def test_names_the_sequences_that_grew():
    lengths = {
        "balance/seqlen_max": np.linspace(1e5, 3e5, 50),
        "length/response_max": np.linspace(900, 2000, 50),
        "length/prompt_max": noisy(300.0, 50, size=0.01),
    }

    [finding] = check(
        make_run({"system/gpu_memory_percent": np.linspace(50, 99, 50), **lengths}), "SYS001"
    )

    assert "balance/seqlen_max grew from" in finding.message
    assert "length/response_max grew from" in finding.message
    assert "length/prompt_max" not in finding.message
    assert finding.also == tuple(lengths)


def test_silent_on_enough_memory_and_after_a_peak():
    assert check(run(noisy(50.0), 20.0), "SYS001") == []
    assert check(run([97.0] * 20 + [50.0] * 30, 20.0), "SYS001") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run(values, 1.0), "SYS001") == []


def lengths(times, **more):
    grown = np.linspace(1.0, times, 80) * noisy(1.0, 80)
    longest = {"balance/seqlen_max": 9e4 * grown, "length/response_max": 1900 * grown}
    return make_run(longest | more, algorithm="GRPO")


def test_tells_of_sequences_that_grow_where_no_memory_was_logged():
    [finding] = check(lengths(2.5), "SYS001")

    assert finding.severity == "notice"
    assert "balance/seqlen_max grew from" in finding.message
    assert "length/response_max grew from" in finding.message
    assert check(lengths(1.1), "SYS001") == []


def test_tells_of_memory_that_will_be_full_before_it_is():
    filling = {"system/gpu_memory_percent": np.linspace(40.0, 85.0, 80)}
    steady = {"system/gpu_memory_percent": noisy(60.0, 80)}

    [finding] = check(lengths(2.5, **filling), "SYS001")

    assert "it runs out" in finding.message
    assert check(lengths(2.5, **steady), "SYS001") == []
