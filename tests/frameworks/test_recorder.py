"""Real tensors in `log()`: nothing waits, no graph is kept, the numbers come back."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import runvitals as rv

pytestmark = pytest.mark.frameworks
torch = pytest.importorskip("torch")


@pytest.fixture
def run(tmp_path):
    run = rv.init("tensors", dir=tmp_path, console=False, tensorboard=False, system=False)
    yield run
    run.finish()


def logged(run):
    run.finish()
    return rv.open_run(run.folder)


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool]
)
def test_torch_scalars_of_any_kind(run, dtype):
    run.log({"zero_d": torch.tensor(1, dtype=dtype), "one_d": torch.ones(1, dtype=dtype)})

    view = logged(run)

    assert (view["zero_d"].last, view["one_d"].last) == (1.0, 1.0)


def test_a_loss_with_a_graph_is_logged_and_the_graph_is_let_go(run):
    weight = torch.ones(10, requires_grad=True)
    factor = torch.full((10,), 2.0)
    kept_by_the_graph = weakref.ref(factor)
    loss = (weight * factor).sum()
    run.log({"loss": loss})
    del loss, factor
    gc.collect()

    assert kept_by_the_graph() is None
    assert logged(run)["loss"].last == 20.0


def test_a_tensor_changed_in_place_afterwards_keeps_its_logged_value(run):
    total = torch.zeros(())
    for _ in range(3):
        total += 1.0
        run.log({"total": total})

    assert logged(run)["total"].values.tolist() == [1.0, 2.0, 3.0]


def test_meta_tensors_and_vectors_are_refused_with_a_word(run):
    with pytest.warns(rv.RunvitalsWarning, match="3 numbers"):
        run.log({"vector": torch.ones(3), "good": 1.0})

    assert logged(run).names() == ["good"]


def test_histograms_of_tensors(run):
    run.log_histogram("weights", torch.arange(10.0, requires_grad=True), step=1)
    run.log_histogram("half", torch.ones(4, dtype=torch.bfloat16), step=1)

    view = logged(run)

    assert view.histograms("weights")[0].counts.sum() == 10
    assert view.histograms("half")[0].counts.sum() == 4


def test_jax_scalars(run):
    jnp = pytest.importorskip("jax.numpy")
    run.log({"x": jnp.float32(1.5), "y": jnp.sum(jnp.arange(4)), "z": jnp.ones((1, 1))})
    run.log({"x": jnp.float32(np.nan)})

    view = logged(run)

    assert np.array_equal(view["x"].values, [1.5, np.nan], equal_nan=True)
    assert (view["y"].last, view["z"].last) == (6.0, 1.0)
