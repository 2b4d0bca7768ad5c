"""The trainer that learns how to write."""

from pathlib import Path

import pytest

import runvitals as rv
from runvitals.lab.running import Case, run_case
from runvitals.lab.writing import FAULTS

QUIET = {"console": False, "tensorboard": False, "system": False, "judge": False}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_named_first(fault, tmp_path: Path):
    task = "tools" if fault.tasks == ("tools",) else "answers"

    result = run_case(Case("writing", task, fault=fault.name), tmp_path, **QUIET)

    findings = rv.judge(rv.open_run(result.folder)).findings
    told = [one.code for one in findings if one.severity != "notice" or one.code in fault.expect]
    assert told[0] in fault.expect  # of a fault that did no harm, a notice is enough


@pytest.mark.parametrize(
    "case",
    [Case("writing", "answers"), Case("writing", "tools"), Case("writing", variant="with-score")],
)
def test_a_healthy_run_is_not_alarmed(case, tmp_path: Path):
    result = run_case(case, tmp_path, **QUIET)

    assert result.learned
    assert rv.judge(rv.open_run(result.folder)).alarms == ()


def test_the_same_seed_gives_the_same_texts(tmp_path: Path):
    short = Case("writing", "tools", seed=3, settings={"total_steps": 24})
    one, two = (run_case(short, tmp_path / name, **QUIET) for name in "ab")

    first, second = ([s.fields for s in rv.open_run(o.folder).samples()] for o in (one, two))
    assert first == second
