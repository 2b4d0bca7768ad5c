"""The memory and values of the bundle on a million tokens; a benchmark shows its speed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def bench():
    path = Path(__file__).parents[2] / "benchmarks" / "recording" / "metrics.py"
    spec = importlib.util.spec_from_file_location("benchmark_metrics", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_million_tokens_need_less_than_twice_their_memory_and_agree_with_formulas_by_hand(bench):
    found = bench.compare(1_000_000, "float32", repeats=1)

    assert 1 + found["peak_over_input"] < 2
    assert found["worst_relative_difference"] < 1e-5


def test_the_smallest_batch_needs_no_more_than_twice_its_input(bench):
    full = bench.make_batch(200_000, "float32")
    for part in (
        {k: full[k] for k in ("logprobs", "old_logprobs", "advantages", "mask")},
        {k: full[k] for k in ("logprobs", "old_logprobs")},
    ):
        size = sum(x.nbytes for x in part.values())

        assert bench.peak_bytes(lambda p=part: bench.metrics.ppo_health(**p)) < 2 * size


def test_the_input_is_left_as_it_was(bench):
    batch = bench.make_batch(10_000, "float64")
    before = {name: x.copy() for name, x in batch.items()}
    for mask in (batch["mask"], None, batch["mask"] | True):
        bench.metrics.ppo_health(**{**batch, "mask": mask}, value_clip=0.2, dual_clip=3.0)

    assert all((batch[name] == before[name]).all() for name in before)
