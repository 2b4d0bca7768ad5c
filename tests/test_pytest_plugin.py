"""The pytest plugin, in sessions of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

LOOP = """
import pytest
import runvitals as rv

def train(run, slope):
    for step in range(80):
        run.log({"outcome/return_mean": 10 + slope * step + step % 3}, step=step)
"""


@pytest.fixture
def session(pytester):
    """Run a file of tests; gives pytest's result."""

    def run(text: str):
        pytester.makepyfile(LOOP + text)
        return pytester.runpytest_inprocess(
            "-p", "runvitals.pytest_plugin", "--strict-markers", "-p", "no:cacheprovider"
        )

    return run


def test_a_marked_test_passes_if_its_run_learns(session):
    result = session("""
@pytest.mark.learns
def test_it(training_run):
    train(training_run, slope=2)
""")

    result.assert_outcomes(passed=1)


def test_a_marked_test_fails_with_the_verdict_if_its_run_does_not_learn(session):
    result = session("""
@pytest.mark.learns
def test_it(training_run):
    train(training_run, slope=0)
""")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*does not learn as it should*"])
    result.stdout.fnmatch_lines(["*outcome/return_mean*"])


def test_without_the_marker_nothing_is_judged(session):
    result = session("""
def test_it(training_run):
    train(training_run, slope=0)
""")

    result.assert_outcomes(passed=1)


def test_runs_that_the_code_itself_records_are_judged_too(session, tmp_path):
    result = session("""
@pytest.mark.learns
def test_good():
    with rv.init("own", console=False, system=False) as run:
        train(run, slope=2)

@pytest.mark.learns
def test_bad_and_never_finished():
    train(rv.init("own", console=False, system=False), slope=0)
""")

    result.assert_outcomes(passed=1, failed=1)


def test_a_marked_test_that_records_nothing_fails(session):
    result = session("""
@pytest.mark.learns
def test_it():
    pass
""")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*recorded no run*"])


def test_a_test_that_fails_by_itself_says_only_that(session):
    result = session("""
@pytest.mark.learns
def test_it(training_run):
    assert 1 == 2
""")

    result.assert_outcomes(failed=1)
    result.stdout.no_fnmatch_line("*learn as it should*")


def test_allowed_findings_do_not_fail_and_odd_options_are_refused(session):
    text = """
def broken(run):
    train(run, slope=2)
    run.log({"preflight/no_gradient": 64.0}, step=9)

@pytest.mark.learns(allow="PRE005")
def test_allowed(training_run):
    broken(training_run)

@pytest.mark.learns
def test_not_allowed(training_run):
    broken(training_run)

@pytest.mark.learns(alow=["PRE005"])
def test_misspelled(training_run):
    broken(training_run)
"""
    result = session(text)

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*PRE005 warning*", "*takes allow=*alow*"])


def test_loading_the_plugin_imports_nothing_heavy():
    code = (
        "import sys, pytest; before = set(sys.modules); import runvitals.pytest_plugin;"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(new - sys.stdlib_module_names))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['runvitals']"
