"""NumPy, PyTorch and JAX give the same numbers, and PyTorch's stay where they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from runvitals import metrics

torch = pytest.importorskip("torch", reason="needs torch")

pytestmark = pytest.mark.frameworks

ROWS, WIDTH, VOCAB = 6, 9, 5


def data(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shape = (ROWS, WIDTH)
    mask = np.arange(WIDTH) < rng.integers(1, WIDTH + 1, ROWS)[:, None]
    mask[1] = False
    done = rng.random(shape) < 0.2
    found = {name: rng.normal(-1.0, 0.6, shape) for name in "abcdef"}
    for x in found.values():
        x[~mask] = np.nan
    return found | {
        "mask": mask,
        "logits": rng.normal(size=(*shape, VOCAB)),
        "other_logits": rng.normal(size=(*shape, VOCAB)),
        "labels": np.where(mask, rng.integers(0, VOCAB, shape), -100),
        "mean": rng.normal(size=(ROWS, 3)),
        "mean2": rng.normal(size=(ROWS, 3)),
        "std": rng.uniform(0.2, 2.0, (ROWS, 3)),
        "std2": rng.uniform(0.2, 2.0, (ROWS, 3)),
        "p": -rng.exponential(5.0, ROWS),
        "q": -rng.exponential(5.0, ROWS),
        "r": -rng.exponential(5.0, ROWS),
        "s": -rng.exponential(5.0, ROWS),
        "good": np.arange(ROWS) % 2,
        "scores": rng.integers(0, 2, ROWS).astype(float),
        "lengths": rng.integers(1, 50, ROWS).astype(float),
        "actions": rng.integers(0, 4, shape),
        "rew": rng.normal(size=shape),
        "val": rng.normal(size=shape),
        "final": rng.normal(size=shape),
        "term": done & (rng.random(shape) < 0.5),
        "trunc": done,
    }


def both(x):
    return {"advantages": x.advantages, "returns": x.returns}


CALLS: dict[str, Callable] = {
    "approx_kl": lambda d: metrics.approx_kl(d["a"], d["b"], d["mask"]),
    "approx_kl_k1": lambda d: metrics.approx_kl(d["a"], d["b"], d["mask"], estimator="k1"),
    "approx_kl_clamp": lambda d: metrics.approx_kl(d["a"], d["b"], d["mask"], clamp=0.1),
    "kl_ref_sequence": lambda d: metrics.kl_ref(d["a"], d["b"], d["mask"], reduce="sequence"),
    "kl_ref_sum": lambda d: metrics.kl_ref(d["a"], d["b"], d["mask"], reduce="sequence_sum"),
    "kl_terms": lambda d: metrics.kl_terms(d["a"], d["b"], d["mask"]),
    "kl_categorical": lambda d: metrics.kl_categorical(d["logits"], d["other_logits"], d["mask"]),
    "kl_gaussian": lambda d: metrics.kl_gaussian(d["mean"], d["std"], d["mean2"], d["std2"]),
    "clip": lambda d: metrics.clip_fractions(
        d["a"], d["b"], d["c"], d["mask"], dual_clip=1.5
    )._asdict(),
    "ppo_loss": lambda d: metrics.ppo_loss(d["a"], d["b"], d["c"], d["mask"], dual_clip=1.5),
    "ppo_loss_rows": lambda d: metrics.ppo_loss(
        d["a"], d["b"], d["scores"], d["mask"], reduce="sequence"
    ),
    "ratio_stats": lambda d: metrics.ratio_stats(d["a"], d["b"], d["mask"]),
    "ess": lambda d: metrics.effective_sample_size(d["a"], d["mask"]),
    "token_entropy": lambda d: metrics.token_entropy(d["logits"]),
    "entropy_from_logits": lambda d: metrics.entropy_from_logits(d["logits"], d["mask"]),
    "entropy_from_probs": lambda d: metrics.entropy_from_probs(d["std"]),
    "entropy_gaussian": lambda d: metrics.entropy_gaussian(d["std"]),
    "entropy_sampled": lambda d: metrics.entropy_sampled(d["a"], d["mask"]),
    "token_logprobs": lambda d: metrics.token_logprobs(d["logits"], d["labels"]),
    "sequence_logprobs": lambda d: metrics.sequence_logprobs(d["a"], d["mask"]),
    "logprob_stats": lambda d: metrics.logprob_stats(d["a"], d["mask"], reference=d["b"]),
    "mismatch": lambda d: metrics.rollout_mismatch(d["a"], d["b"], d["mask"], low=0.5, high=2.0),
    "global_norm": lambda d: metrics.global_norm([d["mean"], d["std"]]),
    "update_ratio": lambda d: metrics.update_ratio([d["mean"]], [d["mean2"]]),
    "dead": lambda d: metrics.dead_unit_fraction(d["logits"], d["mask"]),
    "dormant": lambda d: metrics.dormant_unit_fraction(d["logits"], d["mask"], tau=0.9),
    "gae": lambda d: both(
        metrics.gae(
            d["rew"], d["val"], terminated=d["term"], truncated=d["trunc"], final_values=d["final"]
        )
    ),
    "td_lambda": lambda d: metrics.td_lambda_returns(d["rew"], d["val"], terminated=d["term"]),
    "discounted": lambda d: metrics.discounted_returns(d["rew"], done=d["term"]),
    "gae_tokens": lambda d: both(metrics.gae_tokens(d["a"], d["b"], d["mask"], lam=0.9)),
    "whiten": lambda d: metrics.whiten(d["a"], d["mask"]),
    "advantage_stats": lambda d: metrics.advantage_stats(d["a"], d["mask"]),
    "return_stats": lambda d: metrics.return_stats(d["a"], d["mask"]),
    "explained_variance": lambda d: metrics.explained_variance(d["a"], d["b"], d["mask"]),
    "value_loss": lambda d: metrics.value_loss(
        d["a"], d["b"], d["mask"], old_values=d["c"], clip=0.2
    ),
    "value_clip": lambda d: metrics.value_clip_fraction(d["a"], d["b"], d["c"], d["mask"]),
    "value_stats": lambda d: metrics.value_stats(d["a"], d["mask"]),
    "td_error": lambda d: metrics.td_error(d["a"], d["b"], d["c"], d["term"], d["mask"]),
    "describe": lambda d: metrics.describe(d["a"], d["mask"]),
    "describe_all": lambda d: metrics.describe(d["rew"]),
    "group_stats": lambda d: metrics.group_stats(d["scores"], group_size=3),
    "group_stats_ids": lambda d: metrics.group_stats(d["scores"], groups=list("abacbb")),
    "group_advantages": lambda d: metrics.group_advantages(d["scores"], groups=list("abacbb")),
    "rloo": lambda d: metrics.rloo_advantages(d["scores"], group_size=3),
    "reward_stats": lambda d: metrics.reward_stats(d["scores"]),
    "score_stats": lambda d: metrics.score_stats(d["scores"]),
    "breakdown": lambda d: metrics.reward_breakdown({"x": d["scores"], "y": d["p"]}),
    "penalised": lambda d: metrics.penalised_rewards(
        d["scores"], d["a"], d["b"], d["mask"], kl_coef=0.1
    ),
    "dpo": lambda d: metrics.dpo(d["p"], d["q"], d["r"], d["s"], label_smoothing=0.1),
    "ipo": lambda d: metrics.dpo(
        d["p"],
        d["q"],
        d["r"],
        d["s"],
        loss="ipo",
        chosen_lengths=d["lengths"],
        rejected_lengths=d["lengths"],
    ),
    "hinge": lambda d: metrics.dpo(d["p"], d["q"], d["r"], d["s"], loss="hinge"),
    "kto": lambda d: metrics.kto(d["p"], d["q"], d["good"], kl=0.3),
    "simpo": lambda d: metrics.simpo(d["p"], d["q"], d["lengths"], d["lengths"], mask=d["good"]),
    "orpo": lambda d: metrics.orpo(d["p"], d["q"], mask=d["good"]),
    "cpo": lambda d: metrics.cpo(d["p"], d["q"], nll=d["lengths"]),
    "displacement": lambda d: metrics.logprob_displacement(d["p"], d["q"], d["r"], d["s"]),
    "rm": lambda d: metrics.reward_model_stats(d["p"], d["q"], d["good"], center=0.1),
    "calibration": lambda d: metrics.calibration_error(d["p"], d["q"]),
    "language": lambda d: metrics.language_stats(d["logits"], d["labels"]),
    "language_shift": lambda d: metrics.language_stats(d["logits"], d["labels"], shift=True),
    "sequence_accuracy": lambda d: metrics.sequence_accuracy(d["logits"], d["labels"]),
    "lengths": lambda d: metrics.length_stats(
        d["lengths"], max_length=30, finished=d["good"], correct=d["scores"]
    ),
    "turns": lambda d: metrics.turn_stats(d["lengths"], limit=20, tool_calls=d["lengths"]),
    "actions": lambda d: metrics.action_distribution(d["actions"], 4, d["mask"]),
    "distance": lambda d: metrics.distance_from_uniform(d["std"][0], kind="kl"),
    "continuous": lambda d: metrics.continuous_action_stats(d["mean"]),
    "load": lambda d: metrics.load_balance_penalty(d["lengths"]),
    "imbalance": lambda d: metrics.load_imbalance(d["lengths"]),
    "ppo_health": lambda d: metrics.ppo_health(
        d["a"],
        d["b"],
        d["c"],
        d["mask"],
        ref_logprobs=d["d"],
        rollout_logprobs=d["e"],
        logits=d["logits"],
        values=d["f"],
        old_values=d["e"],
        returns=d["d"],
        rewards=d["scores"],
        scores=d["scores"],
        prompt_lengths=d["lengths"],
        dual_clip=1.5,
        value_clip=0.2,
        kl_coef=0.1,
        entropy_coef=0.01,
        value_coef=0.5,
    ),
    "grpo_health": lambda d: metrics.grpo_health(
        d["a"], d["b"], d["scores"], d["mask"], group_size=3, ref_logprobs=d["d"]
    ),
    "dpo_health": lambda d: metrics.dpo_health(d["p"], d["q"], d["r"], d["s"], names="trl"),
    "reward_model_health": lambda d: metrics.reward_model_health(
        d["p"], d["q"], calibration_bins=5
    ),
    "sft_health": lambda d: metrics.sft_health(d["logits"], d["labels"], d["mask"]),
}

BY_NAME = pytest.mark.parametrize("name", CALLS)


def flat(found) -> dict[str, object]:
    return found if isinstance(found, dict) else {"": found}


def compare(close, name, oracle, ours, theirs):
    want = flat(ours)
    found = flat(theirs)
    assert set(want) == set(found)
    for key, value in want.items():
        other = found[key]
        # Token counts and masks become the library's default float, which is single.
        if key.startswith("length/") and hasattr(other, "dtype") and "32" in str(other.dtype):
            np.testing.assert_allclose(np.asarray(other), value, rtol=1e-5)
        else:
            close(oracle, np.asarray(other), np.asarray(value))


@BY_NAME
def test_torch_gives_the_numbers_of_numpy(close, name):
    d = data()
    tensors = {k: torch.as_tensor(v) for k, v in d.items()}

    found = CALLS[name](tensors)

    compare(close, name, "numpy = torch", CALLS[name](d), found)
    for key, value in flat(found).items():
        given = ("policy/clip_range", "policy/kl_coef", "policy/entropy_coef", "count")
        assert key.startswith(given) or torch.is_tensor(value), key


@BY_NAME
def test_jax_gives_the_numbers_of_numpy(close, name):
    jax = pytest.importorskip("jax", reason="needs jax")
    jax.config.update("jax_enable_x64", True)
    d = data()

    found = CALLS[name]({k: jax.numpy.asarray(v) for k, v in d.items()})

    compare(close, name, "numpy = jax", CALLS[name](d), found)


@pytest.mark.parametrize(
    "name", ["ppo_health", "gae", "dpo", "describe", "language", "group_stats"]
)
def test_jax_can_compile_it(close, name):
    jax = pytest.importorskip("jax", reason="needs jax")
    jax.config.update("jax_enable_x64", True)
    d = {k: jax.numpy.asarray(v) for k, v in data().items()}

    found = jax.jit(CALLS[name])(d)

    compare(close, name, "numpy = jax, compiled", CALLS[name](data()), found)


@BY_NAME
def test_nothing_waits_for_the_device(monkeypatch, name):
    tensors = {k: torch.as_tensor(v) for k, v in data().items()}

    def refuse(*_, **__):
        raise AssertionError("this would wait for the device")

    for method in (
        "item",
        "tolist",
        "numpy",
        "cpu",
        "__bool__",
        "__float__",
        "__int__",
        "__index__",
        "__array__",
        "nonzero",
        "unique",
        "masked_select",
    ):
        monkeypatch.setattr(torch.Tensor, method, refuse)
    CALLS[name](tensors)


@BY_NAME
def test_tensors_without_data_pass_through(name):
    """On the meta device there are no values at all: any look at one would fail."""
    tensors = {k: torch.as_tensor(v).to("meta") for k, v in data().items()}

    found = CALLS[name](tensors)

    for key, value in flat(found).items():
        assert not torch.is_tensor(value) or value.device.type == "meta", key


@BY_NAME
def test_no_gradient_is_kept(name):
    tensors = {k: torch.as_tensor(v).requires_grad_(v.dtype.kind == "f") for k, v in data().items()}

    found = CALLS[name](tensors)

    for key, value in flat(found).items():
        assert not (torch.is_tensor(value) and value.requires_grad), key


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["approx_kl", "ratio_stats", "ppo_health", "describe", "dpo"])
def test_half_precision_is_computed_in_single(name, dtype):
    kind = getattr(torch, dtype)
    d = {
        k: torch.as_tensor(v).to(kind) if v.dtype.kind == "f" else torch.as_tensor(v)
        for k, v in data().items()
    }
    single = {k: v.float() if v.is_floating_point() else v for k, v in d.items()}

    found, want = flat(CALLS[name](d)), flat(CALLS[name](single))

    for key, value in found.items():
        if torch.is_tensor(value):
            assert value.dtype == torch.float32, key
            np.testing.assert_allclose(value, want[key], rtol=1e-6, atol=1e-7, equal_nan=True)


def test_bfloat16_of_jax():
    jax = pytest.importorskip("jax", reason="needs jax")
    d = data()
    a, b = (jax.numpy.asarray(d[k]).astype("bfloat16") for k in "ab")

    found = metrics.approx_kl(a, b, d["mask"])

    assert found.dtype == "float32"
    want = metrics.approx_kl(a.astype("float32"), b.astype("float32"), d["mask"])
    assert float(found) == float(want)


def test_a_numpy_mask_serves_a_tensor():
    d = data()

    found = metrics.approx_kl(torch.as_tensor(d["a"]), torch.as_tensor(d["b"]), d["mask"])

    assert float(found) == pytest.approx(metrics.approx_kl(d["a"], d["b"], d["mask"]))


def test_an_empty_mask_gives_nan_on_torch_too():
    d = data()
    a, b = torch.as_tensor(d["a"]), torch.as_tensor(d["b"])
    none = torch.zeros(a.shape, dtype=torch.bool)

    found = metrics.ppo_health(a, b, a, none, values=a, returns=b)

    for key, value in found.items():
        if not key.startswith(("length/", "policy/clip_range")):
            assert torch.isnan(torch.as_tensor(value)), key


def test_extreme_ratios_on_torch():
    new = torch.tensor([80.0, -80.0, 0.0])

    found = metrics.ppo_health(new, torch.zeros(3), torch.tensor([1.0, -1.0, 1.0]))

    assert float(found["policy/ratio_max"]) == pytest.approx(np.exp(80), rel=1e-4)
    assert float(found["policy/clip_fraction"]) == pytest.approx(2 / 3)


def test_shape_errors_name_tensors_too():
    with pytest.raises(ValueError, match=r"mask has shape \(2, 2\), but \w+ has shape \(2, 3\)"):
        metrics.approx_kl(torch.zeros(2, 3), torch.zeros(2, 3), torch.ones(2, 2))
