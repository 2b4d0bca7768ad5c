"""TRL as the oracle: its loss methods, run on made-up model outputs."""

from __future__ import annotations

import types
import warnings
from collections import defaultdict

import numpy as np
import pytest

from runvitals import metrics

torch = pytest.importorskip("torch", reason="needs torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    utils = pytest.importorskip("trl.trainer.utils", reason="needs trl")

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]


class Accelerator:
    device = "cpu"

    @staticmethod
    def gather(x):
        return x

    gather_for_metrics = gather


def trainer(**options):
    return types.SimpleNamespace(
        accelerator=Accelerator(),
        model=types.SimpleNamespace(training=False),
        aux_loss_enabled=False,
        use_weighting=False,
        precompute_ref_logps=True,
        _metrics={"eval": defaultdict(list)},
        _total_train_tokens=0,
        **options,
    )


def outputs(per_token):
    return types.SimpleNamespace(
        log_probs=per_token,
        entropy=torch.zeros_like(per_token),
        mean_logits=torch.zeros_like(per_token),
        is_top1=torch.zeros_like(per_token, dtype=torch.bool),
        log_sum_sq_probs=torch.zeros_like(per_token),
    )


def pairs(seed: int, n: int):
    rng = np.random.default_rng(seed)
    width = 10
    mask = np.arange(width) < rng.integers(1, width + 1, 2 * n)[:, None]
    lp = np.where(mask, -rng.exponential(1.0, (2 * n, width)), 0.0)
    ref = np.where(mask, -rng.exponential(1.0, (2 * n, width)), 0.0)
    return lp, ref, mask


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["sigmoid", "hinge", "ipo", "robust"])
def test_dpo(close, kind, seed, n):
    from trl.trainer.dpo_trainer import DPOTrainer

    lp, ref, mask = pairs(seed, n)
    me = trainer(
        beta=0.3,
        ld_alpha=None,
        f_divergence_type="reverse_kl",
        loss_types=[kind],
        loss_weights=[1.0],
        label_smoothing=0.1,
        args=types.SimpleNamespace(precompute_ref_log_probs=True),
        precompute_ref_log_probs=True,
    )
    full = torch.as_tensor(np.hstack([np.zeros((2 * n, 1), bool), mask])).long()
    sums = torch.as_tensor(ref.sum(1))
    inputs = {
        "input_ids": torch.zeros_like(full),
        "attention_mask": full,
        "completion_mask": full,
        "ref_chosen_logps": sums[:n],
        "ref_rejected_logps": sums[n:],
    }
    model = lambda **_: outputs(torch.as_tensor(lp))  # noqa: E731
    loss = DPOTrainer._compute_loss(me, model, inputs, False)

    total, lengths = lp.sum(1), mask.sum(1)
    found = metrics.dpo_health(
        total[:n],
        total[n:],
        ref.sum(1)[:n],
        ref.sum(1)[n:],
        method="dpo" if kind == "sigmoid" else kind,
        beta=0.3,
        label_smoothing=0.1 if kind == "robust" else 0.0,
        chosen_lengths=lengths[:n],
        rejected_lengths=lengths[n:],
        names="trl",
    )

    close("trl DPOTrainer", found["loss"], loss)
    for name in (
        "rewards/chosen",
        "rewards/rejected",
        "rewards/margins",
        "rewards/accuracies",
        "logps/chosen",
        "logps/rejected",
    ):
        close("trl DPOTrainer", found[name], me._metrics["eval"][name][-1])


@pytest.mark.parametrize("seed", range(4))
def test_kto(close, seed):
    from trl.trainer.kto_trainer import KTOTrainer

    lp, ref, mask = pairs(seed, 5)
    label = np.random.default_rng(seed).random(10) < 0.5
    label[:2] = [True, False]
    kl = [-0.4, 0.0, 0.7, 2.0][seed]
    me = trainer(
        beta=0.2,
        loss_type="kto",
        calculate_KL=True,
        desirable_weight=1.3,
        undesirable_weight=0.8,
        precompute_ref_log_probs=True,
        _compute_kl_logps=lambda model, b: torch.full((10,), kl, dtype=torch.float64),
    )
    full = torch.as_tensor(np.hstack([np.zeros((10, 1), bool), mask])).long()
    inputs = {
        "input_ids": torch.zeros_like(full),
        "attention_mask": full,
        "completion_mask": full,
        "label": torch.as_tensor(label),
        "ref_logps": torch.as_tensor(ref.sum(1)),
        "ref_KL_logps": torch.zeros(10, dtype=torch.float64),
    }
    loss = KTOTrainer._compute_loss(me, lambda **_: outputs(torch.as_tensor(lp)), inputs, False)

    found = metrics.kto(
        lp.sum(1), ref.sum(1), label, kl=kl, beta=0.2, desirable_weight=1.3, undesirable_weight=0.8
    )

    found = metrics.rename(found, "trl", "dpo")
    close("trl KTOTrainer", found["loss"], loss)
    for name in ("rewards/chosen", "rewards/rejected", "rewards/margins", "logps/chosen", "kl"):
        close("trl KTOTrainer", found[name], me._metrics["eval"][name][-1])


@pytest.mark.parametrize("seed", range(3))
def test_cpo_and_simpo(close, seed):
    from trl.experimental.cpo.cpo_trainer import CPOTrainer

    lp, _, mask = pairs(seed, 6)
    c, r = lp.sum(1)[:6], lp.sum(1)[6:]
    lc, lr = mask.sum(1)[:6], mask.sum(1)[6:]
    t = torch.as_tensor
    for kind in ("sigmoid", "hinge", "ipo"):
        me = trainer(alpha=0.0, beta=0.4, loss_type=kind, label_smoothing=0.0, simpo_gamma=0.7)
        loss, win, lose = CPOTrainer.cpo_loss(me, t(c), t(r))
        found = metrics.cpo(c, r, beta=0.4, loss=kind)
        close("trl CPOTrainer.cpo_loss", found["preference/loss"], loss.mean())
        close("trl CPOTrainer.cpo_loss", found["preference/chosen_reward"], win.mean())
        close("trl CPOTrainer.cpo_loss", found["preference/rejected_reward"], lose.mean())
    me = trainer(alpha=0.0, beta=2.0, loss_type="simpo", label_smoothing=0.1, simpo_gamma=0.7)
    loss, win, _ = CPOTrainer.cpo_loss(me, t(c / lc), t(r / lr))

    found = metrics.simpo(c, r, lc, lr, beta=2.0, gamma=0.7, label_smoothing=0.1)

    close("trl CPOTrainer.cpo_loss (simpo)", found["preference/loss"], loss.mean())
    close("trl CPOTrainer.cpo_loss (simpo)", found["preference/chosen_reward"], win.mean())


@pytest.mark.parametrize("seed", range(3))
def test_orpo(close, seed):
    from trl.experimental.orpo.orpo_trainer import ORPOTrainer

    rng = np.random.default_rng(seed)
    # TRL computes this one in float32 whatever it is given; so do both sides here.
    a, b = (-rng.exponential(1.0, (2, 9)) - 0.05).astype(np.float32)
    me = trainer(beta=0.25)
    losses, win, _, ratio, odds = ORPOTrainer.odds_ratio_loss(
        me, torch.as_tensor(a), torch.as_tensor(b)
    )

    found = metrics.orpo(a, b, beta=0.25, nll=np.zeros_like(a))

    close("trl ORPOTrainer.odds_ratio_loss", found["preference/loss"], -losses.mean(), scale=0.1)
    close("trl ORPOTrainer.odds_ratio_loss", found["preference/log_odds_ratio"], ratio)
    close("trl ORPOTrainer.odds_ratio_loss", found["preference/log_odds_chosen"], odds, scale=1.0)
    close("trl ORPOTrainer.odds_ratio_loss", found["preference/chosen_reward"], win.mean())


def test_entropy_and_logprobs(close):
    rng = np.random.default_rng(0)
    z = rng.normal(0, 4, size=(3, 5, 13))
    tokens = rng.integers(0, 13, size=(3, 5))

    close(
        "trl entropy_from_logits",
        metrics.token_entropy(z),
        utils.entropy_from_logits(torch.as_tensor(z)),
    )
    close(
        "trl selective_log_softmax",
        metrics.token_logprobs(z, tokens),
        utils.selective_log_softmax(torch.as_tensor(z), torch.as_tensor(tokens)),
    )


@pytest.mark.parametrize("length", [128, 1024, 8192])
def test_flops_and_mfu(close, length):
    from transformers import Qwen2Config, Qwen2MoeConfig

    dense = Qwen2Config(
        hidden_size=896,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        intermediate_size=4864,
        vocab_size=151936,
    )
    moe = Qwen2MoeConfig(
        hidden_size=512,
        num_hidden_layers=6,
        num_attention_heads=8,
        num_key_value_heads=4,
        intermediate_size=1536,
        moe_intermediate_size=256,
        shared_expert_intermediate_size=0,
        num_experts=32,
        num_experts_per_tok=4,
        decoder_sparse_step=2,
        vocab_size=32000,
    )
    moe.num_local_experts = 32  # TRL reads this name, the config class has the other
    for config in (dense, moe):
        want = utils.compute_flops_per_token(config, length)
        shape = metrics.TransformerShape.from_config(config)
        close("trl compute_flops_per_token", shape.flops_per_token(length, convention="palm"), want)
        percent = utils.compute_mfu(want, 1e5, 8, 312e12)
        found = metrics.mfu(want * 1e5, 1.0, devices=8, device="A100")
        close("trl compute_mfu", 100 * found, percent)
        causal = utils.adjusted_mfu(percent, config, length)
        exact = shape.flops_per_token(length)
        close(
            "trl adjusted_mfu", 100 * metrics.mfu(exact * 1e5, 1.0, devices=8, peak=312e12), causal
        )


def test_peaks(close):
    for name in ("NVIDIA H100 PCIe", "NVIDIA L4", "NVIDIA A10G", "NVIDIA H200", "NVIDIA GB200"):
        close(
            "trl get_peak_flops", metrics.peak_flops(name), utils.get_peak_flops(name, "bfloat16")
        )


def test_batch_moments(close):
    x = np.random.default_rng(1).normal(size=30)
    t = torch.as_tensor(x)
    found = metrics.reward_stats(x)

    close("trl nanstd", found["reward/std"], utils.nanstd(t))
    close("trl nanmin, nanmax", found["reward/min"], utils.nanmin(t))
    close("trl nanmin, nanmax", found["reward/max"], utils.nanmax(t))
