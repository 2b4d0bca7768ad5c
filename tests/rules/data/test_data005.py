import numpy as np
import pytest
from tests.rules.performance.plant import noisy
from tests.rules.policy.curves import ODD

from runvitals.model import Binding, PointTable, RowBlock, Run
from runvitals.testing import check


def run(first, second):
    """The same metrics in two lives of the process."""
    table, names = PointTable(), tuple(first)
    for segment, part in enumerate((first, second), 1):
        values = np.array([part[name] for name in names], float).T
        start = 0 if segment == 1 else len(next(iter(first.values())))
        steps = start + np.arange(len(values))
        table.add(RowBlock(names, steps, steps.astype(float), values), segment=segment)
    made = Run(id="made-up", points=table, status="finished")
    made.bind({name: Binding(name) for name in names})
    return made


BEFORE = {"value/loss": noisy(1.0, 60), "policy/approx_kl": noisy(0.01, 60, 1)}


def test_fires_when_curves_jump_at_the_resume():
    after = {"value/loss": noisy(9.0, 40, 2), "policy/approx_kl": noisy(0.08, 40, 3)}

    [finding] = check(run(BEFORE, after), "DATA005")

    assert finding.severity == "warning"
    assert finding.span.first == 60
    assert "2 metrics" in finding.message


def test_one_jump_is_a_notice():
    after = {"value/loss": noisy(9.0, 40, 2), "policy/approx_kl": noisy(0.01, 40, 3)}

    [finding] = check(run(BEFORE, after), "DATA005")

    assert finding.severity == "notice"


@pytest.mark.parametrize("seed", range(10))
def test_silent_when_the_run_goes_on(seed):
    whole = {"value/loss": noisy(1.0, 100, seed), "policy/approx_kl": noisy(0.01, 100, seed + 50)}
    first = {name: values[:60] for name, values in whole.items()}
    second = {name: values[60:] for name, values in whole.items()}

    assert not any(f.is_alarm for f in check(run(first, second), "DATA005"))


def test_jumps_that_the_run_had_before_are_none():
    wild = np.where(np.arange(60) // 6 % 2, 9.0, 1.0)
    first = {"value/loss": wild, "policy/approx_kl": wild / 100}
    second = {"value/loss": [9.0] * 20, "policy/approx_kl": [0.09] * 20}

    assert check(run(first, second), "DATA005") == []


def test_too_early_to_compare():
    first = {name: values[:10] for name, values in BEFORE.items()}
    second = {"value/loss": [9.0] * 20, "policy/approx_kl": [0.5] * 20}

    assert check(run(first, second), "DATA005") == []


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_survives_odd_series(values):
    assert check(run({"value/loss": values}, {"value/loss": values}), "DATA005") == []


def test_new_episodes_alone_explain_returns_and_values():
    before = {"outcome/return_mean": noisy(200.0, 60), "value/mean": noisy(50.0, 60, 1)}
    after = {"outcome/return_mean": noisy(40.0, 40, 2), "value/mean": noisy(10.0, 40, 3)}

    [finding] = check(run(before, after), "DATA005")

    assert finding.severity == "notice"


def test_a_jump_that_only_the_start_of_the_run_had_is_one():
    start = np.concatenate([np.geomspace(100.0, 1.0, 30), noisy(1.0, 60)])
    before = {"value/loss": start, "policy/approx_kl": start / 100}
    after = {"value/loss": noisy(9.0, 40, 2), "policy/approx_kl": noisy(0.09, 40, 3)}

    [finding] = check(run(before, after), "DATA005")

    assert finding.severity == "warning"


def test_a_counter_that_begins_again_is_a_notice():
    before = {**BEFORE, "progress/samples": 64.0 * np.arange(60)}
    after = {
        "value/loss": noisy(1.0, 40, 2),
        "policy/approx_kl": noisy(0.01, 40, 3),
        "progress/samples": 64.0 * np.arange(40),
    }

    [finding] = check(run(before, after), "DATA005")

    assert finding.severity == "notice"
    assert "progress/samples went from 3,776 to 0 at the resume" in finding.message


def test_a_counter_that_begins_again_makes_one_jump_sure():
    before = {**BEFORE, "progress/samples": 64.0 * np.arange(60)}
    after = {
        "value/loss": noisy(9.0, 40, 2),
        "policy/approx_kl": noisy(0.01, 40, 3),
        "progress/samples": 64.0 * np.arange(40),
    }

    [finding] = check(run(before, after), "DATA005")

    assert finding.severity == "warning"
