"""Measured over every name in the reference: how many resolve, and that none does wrongly."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _benchmark():
    spec = importlib.util.spec_from_file_location(
        "bench_names", ROOT / "benchmarks" / "reading" / "names.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_names"] = module
    spec.loader.exec_module(module)
    return module


names = _benchmark()
pytestmark = pytest.mark.skipif(
    not names.FOLDER.exists(), reason="the reference lies outside the repository"
)


@pytest.fixture(scope="module")
def every():
    return names.rows()


@pytest.mark.parametrize(
    ("mode", "right", "wrong"),
    [("hint", 0.99, 0.0), ("siblings", 0.97, 0.0), ("bare", 0.6, 0.0), ("unseen", 0.5, 0.055)],
)
def test_names_of_known_and_unseen_tools(every, mode, right, wrong):
    tally = names.total(names.measure(every, mode))

    mistakes = [(row.tool, row.name, row.metric, found.metric) for row, found in tally.wrong]
    assert tally.share("wrong") <= wrong, mistakes
    assert tally.share("right") >= right, [(row.tool, row.name) for row in tally.unresolved]
