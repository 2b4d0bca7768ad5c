"""The bundle's cost on a million tokens; generous limits, the benchmark prints the figures."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def bench():
    path = Path(__file__).parents[2] / "benchmarks" / "metrics.py"
    spec = importlib.util.spec_from_file_location("benchmark_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_million_tokens_cost_little_more_than_by_hand(bench):
    found = bench.compare(1_000_000, "float32", repeats=5)

    assert found["slowdown"] < 1.5
    assert 1 + found["peak_over_input"] < 2
    assert found["worst_relative_difference"] < 1e-5
