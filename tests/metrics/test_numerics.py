"""Care that all token metrics share: masks, half precision, extremes, emptiness, shapes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runvitals import metrics
from runvitals.metrics import ShapeError

Call = Callable[..., object]

# Each takes (a, b, c, mask) of one shape (B, T) and gives a number or a dict of numbers.
TOKEN_METRICS: dict[str, Call] = {
    "approx_kl": lambda a, b, c, m: metrics.approx_kl(a, b, m),
    "approx_kl_k1": lambda a, b, c, m: metrics.approx_kl(a, b, m, estimator="k1"),
    "approx_kl_k2": lambda a, b, c, m: metrics.approx_kl(a, b, m, estimator="k2"),
    "kl_ref_sequence": lambda a, b, c, m: metrics.kl_ref(a, b, m, reduce="sequence"),
    "kl_ref_sum": lambda a, b, c, m: metrics.kl_ref(a, b, m, estimator="k1", reduce="sequence_sum"),
    "clip": lambda a, b, c, m: metrics.clip_fractions(a, b, c, m, dual_clip=3.0)._asdict(),
    "clip_blind": lambda a, b, c, m: metrics.clip_fraction(a, b, mask=m),
    "ppo_loss": lambda a, b, c, m: metrics.ppo_loss(a, b, c, m),
    "ratio_stats": lambda a, b, c, m: metrics.ratio_stats(a, b, m),
    "ess": lambda a, b, c, m: metrics.effective_sample_size(a, m),
    "mean_entropy": lambda a, b, c, m: metrics.mean_entropy(a, m),
    "entropy_sampled": lambda a, b, c, m: metrics.entropy_sampled(a, m),
    "logprob_stats": lambda a, b, c, m: metrics.logprob_stats(a, m, reference=b),
    "mismatch": lambda a, b, c, m: metrics.rollout_mismatch(a, b, m, low=0.5, high=2.0),
    "advantage_stats": lambda a, b, c, m: metrics.advantage_stats(a, m),
    "return_stats": lambda a, b, c, m: metrics.return_stats(a, m),
    "explained_variance": lambda a, b, c, m: metrics.explained_variance(a, b, m),
    "value_loss": lambda a, b, c, m: metrics.value_loss(a, b, m, old_values=c, clip=0.2),
    "value_clip": lambda a, b, c, m: metrics.value_clip_fraction(a, b, c, m),
    "value_stats": lambda a, b, c, m: metrics.value_stats(a, m),
    "td_error": lambda a, b, c, m: metrics.td_error(a, b, c, mask=m),
    "describe": lambda a, b, c, m: metrics.describe(a, m),
    "quantile": lambda a, b, c, m: metrics.percentile(a, 99, m),
    "skewness": lambda a, b, c, m: metrics.skewness(a, m),
    "reward_stats": lambda a, b, c, m: metrics.reward_stats(a, m),
    "rm": lambda a, b, c, m: metrics.reward_model_stats(a, b, m),
    "calibration": lambda a, b, c, m: metrics.calibration_error(a, b, m),
    "ppo_health": lambda a, b, c, m: metrics.ppo_health(
        a, b, c, m, ref_logprobs=b, values=a, old_values=b, returns=c, value_clip=0.2, entropy=a
    ),
}

BY_NAME = pytest.mark.parametrize("name", TOKEN_METRICS)
COUNTS = {"count", "length/"}


def numbers(found: object) -> dict[str, float]:
    return dict(found) if isinstance(found, dict) else {"": float(found)}  # type: ignore[arg-type]


def batch(seed: int = 0, shape: tuple[int, ...] = (5, 6)) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(-1.0, 0.7, shape) for _ in range(3)]


def mask_of(seed: int = 0, shape: tuple[int, ...] = (5, 6)) -> np.ndarray:
    mask = np.random.default_rng(seed + 99).random(shape) < 0.6
    mask[0] = False
    mask[1] = True
    return mask


@BY_NAME
def test_garbage_under_the_mask_does_not_leak(name):
    arrays, mask = batch(), mask_of()
    want = numbers(TOKEN_METRICS[name](*arrays, mask))
    for junk in (np.nan, np.inf, -np.inf, 1e300):
        dirty = [np.where(mask, x, junk) for x in arrays]

        found = numbers(TOKEN_METRICS[name](*dirty, mask))

        assert found == pytest.approx(want, nan_ok=True), junk


@BY_NAME
def test_no_mask_is_a_mask_of_ones(name):
    arrays = batch()
    ones = np.ones(arrays[0].shape)

    found = numbers(TOKEN_METRICS[name](*arrays, ones))

    for key, value in numbers(TOKEN_METRICS[name](*arrays, None)).items():
        assert found[key] == pytest.approx(value, nan_ok=True), key


@BY_NAME
def test_an_empty_mask_gives_nan_and_no_warning(name):
    arrays = batch()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = numbers(TOKEN_METRICS[name](*arrays, np.zeros(arrays[0].shape)))

    for key, value in found.items():
        if key.startswith(tuple(COUNTS)) or key == "policy/clip_range":
            continue
        assert math.isnan(value), key


@BY_NAME
def test_a_single_entry_is_defined(name):
    arrays = [x[:1, :1] for x in batch()]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = numbers(TOKEN_METRICS[name](*arrays, None))

    undefined = ("std", "var", "skew", "kurtosis", "tail", "correlation", "explained_variance")
    for key, value in found.items():
        label = key or name
        if any(word in label for word in undefined) or key == "dual":
            continue
        assert not math.isnan(value), label


@BY_NAME
def test_the_order_of_rows_does_not_matter(name):
    arrays, mask = batch(), mask_of()
    order = np.random.default_rng(1).permutation(len(mask))

    found = numbers(TOKEN_METRICS[name](*[x[order] for x in arrays], mask[order]))

    want = numbers(TOKEN_METRICS[name](*arrays, mask))
    assert found == pytest.approx(want, rel=1e-9, abs=1e-12, nan_ok=True)


@BY_NAME
def test_half_precision_is_computed_in_single(name):
    arrays, mask = batch(), mask_of()
    half = [x.astype(np.float16) for x in arrays]
    want = numbers(TOKEN_METRICS[name](*[x.astype(np.float32) for x in half], mask))

    found = numbers(TOKEN_METRICS[name](*half, mask))

    assert found == pytest.approx(want, nan_ok=True)


@BY_NAME
def test_a_nan_that_counts_is_not_hidden(name):
    arrays, mask = batch(), mask_of()
    for x in arrays:
        x[1, 0] = np.nan

    found = numbers(TOKEN_METRICS[name](*arrays, mask))

    shares = ("clip", "fraction", "total", "low", "high", "dual", "count", "length", "accuracy")
    for key, value in found.items():
        label = key or name
        if any(word in label for word in shares):
            continue
        assert math.isnan(value), label


@BY_NAME
def test_wrong_masks_name_both_shapes(name):
    arrays = batch()

    with pytest.raises(ShapeError, match=r"mask has shape \(5, 7\), but \w+ has shape \(5, 6\)"):
        TOKEN_METRICS[name](*arrays, np.ones((5, 7)))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: metrics.approx_kl(np.zeros(3), np.zeros(4)), r"\(3,\).*\(4,\)"),
        (lambda: metrics.ppo_loss(np.zeros(3), np.zeros(3), np.zeros(2)), "advantages has shape"),
        (lambda: metrics.explained_variance(np.zeros(3), np.zeros(2)), "actual has shape"),
        (lambda: metrics.dpo([0.0], [0.0], [0.0], [0.0, 1.0]), "ref_rejected has shape"),
        (
            lambda: metrics.kl_gaussian([[0.0]], [[1.0, 1.0]], [[0.0]], [[1.0]]),
            r"p_std has shape \(1, 2\), but p_mean has shape \(1, 1\)",
        ),
        (lambda: metrics.ppo_health(np.zeros((2, 3)), np.zeros((3, 2))), "old_logprobs has shape"),
        (lambda: metrics.penalised_rewards([1.0], [[0.0]] * 2, [[0.0]] * 2, kl_coef=1.0), "scores"),
    ],
)
def test_mismatched_arguments_are_named(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_log_ratios_of_eighty_have_defined_answers(dtype):
    new = np.array([80.0, -80.0, 0.0], dtype=dtype)
    old = np.zeros(3, dtype=dtype)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = metrics.ppo_health(new, old, [1.0, -1.0, 1.0])
        stats = metrics.ratio_stats(new, old)

    assert found["policy/ratio_max"] == pytest.approx(math.exp(80), rel=1e-4)
    assert found["policy/ratio_min"] == pytest.approx(math.exp(-80), rel=1e-4)
    assert stats["policy/ratio_max"] == pytest.approx(math.exp(80), rel=1e-4)
    assert found["policy/approx_kl"] == pytest.approx(math.exp(80) / 3, rel=1e-4)
    assert found["policy/clip_fraction"] == pytest.approx(2 / 3)
    assert metrics.effective_sample_size(new) == pytest.approx(1 / 3)
    assert math.isfinite(found["policy/loss"])


def test_zero_variance_is_zero_or_nan_as_documented():
    same = np.full((3, 4), 0.3)

    found = metrics.ppo_health(
        same, same, same, values=same, old_values=same, returns=same, value_clip=0.2
    )

    assert found["policy/ratio_std"] == 0
    assert found["advantage/std"] == pytest.approx(0, abs=1e-12)
    assert math.isnan(found["value/explained_variance"])
    assert found["value/loss"] == 0


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_a_masked_batch_equals_its_counting_tokens(seed):
    arrays, mask = batch(seed), mask_of(seed)
    flat = [x[mask] for x in arrays]
    for name in ("approx_kl", "clip", "ratio_stats", "explained_variance", "describe"):
        found = numbers(TOKEN_METRICS[name](*arrays, mask))

        assert found == pytest.approx(numbers(TOKEN_METRICS[name](*flat, None)), nan_ok=True)


def test_single_precision_sums_of_many_tokens_stay_close():
    rng = np.random.default_rng(0)
    old = rng.normal(-1.5, 0.8, 300_000)
    new = old + rng.normal(0, 0.02, old.size)
    single = metrics.ppo_health(new.astype(np.float32), old.astype(np.float32))

    exact = metrics.ppo_health(
        new.astype(np.float32).astype(np.float64), old.astype(np.float32).astype(np.float64)
    )

    for key in ("policy/approx_kl", "policy/ratio_mean", "policy/ratio_std"):
        assert single[key] == pytest.approx(exact[key], rel=2e-5)


@BY_NAME
def test_precisions_may_be_mixed(name):
    arrays, mask = batch(), mask_of()
    single = [x.astype(np.float32) for x in arrays]
    want = numbers(TOKEN_METRICS[name](*[x.astype(np.float64) for x in single], mask))
    for mixed in (
        [single[0], single[1].astype(np.float64), single[2].astype(np.float64)],
        [single[0].astype(np.float64), single[1], single[2]],
    ):
        found = numbers(TOKEN_METRICS[name](*mixed, mask))

        assert found == pytest.approx(want, rel=2e-5, abs=1e-5, nan_ok=True)


def test_lists_integers_and_booleans_are_welcome():
    assert metrics.explained_variance([1, 2, 3], [1, 2, 3]) == 1
    assert metrics.approx_kl([[-1, -2]], [[-1, -2]], [[True, False]]) == 0


def test_text_is_refused():
    with pytest.raises(Exception, match="real numbers"):
        metrics.reward_stats(np.array(["a", "b"]))
