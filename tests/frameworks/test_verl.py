"""veRL as the oracle."""

from __future__ import annotations

import types
import warnings

import numpy as np
import pytest

from runvitals import metrics

torch = pytest.importorskip("torch", reason="needs torch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    core = pytest.importorskip("verl.trainer.ppo.core_algos", reason="needs verl")
    from verl.trainer.ppo import metric_utils, rollout_corr_helper
    from verl.utils import flops_counter, seqlen_balancing, torch_functional

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def t(x):
    return torch.as_tensor(np.asarray(x))


@pytest.mark.parametrize("estimator", ["k1", "k2", "k3", "abs"])
@pytest.mark.parametrize(
    ("reduce", "mode"),
    [
        ("token", "token-mean"),
        ("sequence_sum", "seq-mean-token-sum"),
        ("sequence", "seq-mean-token-mean"),
    ],
)
def test_kl_to_the_reference(batch, close, estimator, reduce, mode):
    terms = core.kl_penalty_forward(t(batch["new"]), t(batch["ref"]), estimator)
    want = core.agg_loss(terms, t(batch["mask"]).double(), mode)

    found = metrics.kl_ref(
        batch["new"], batch["ref"], batch["mask"], estimator=estimator, reduce=reduce
    )

    close("verl kl_penalty and agg_loss", found, want)


@pytest.mark.parametrize(("low", "high", "dual"), [(0.2, 0.2, 3.0), (0.1, 0.4, 1.5)])
def test_policy_loss_clip_and_dual_clip(batch, close, low, high, dual):
    loss, clip, kl, lower = core.compute_policy_loss(
        t(batch["old"]),
        t(batch["new"]),
        t(batch["adv"]),
        t(batch["mask"]).double(),
        cliprange=0.2,
        cliprange_low=low,
        cliprange_high=high,
        clip_ratio_c=dual,
    )

    found = metrics.ppo_health(
        batch["new"],
        batch["old"],
        batch["adv"],
        batch["mask"],
        clip_low=low,
        clip_high=high,
        dual_clip=dual,
        names="verl",
    )

    close("verl compute_policy_loss", found["actor/pg_loss"], loss)
    close("verl compute_policy_loss", found["actor/pg_clipfrac"], clip)
    close("verl compute_policy_loss", found["actor/ppo_kl"], kl)
    close("verl compute_policy_loss", found["actor/pg_clipfrac_lower"], lower)


def test_value_loss(batch, close):
    loss, clip = core.compute_value_loss(
        t(batch["values"]),
        t(batch["returns"]),
        t(batch["old_values"]),
        t(batch["mask"]).double(),
        0.2,
    )

    found = metrics.ppo_health(
        batch["new"],
        batch["old"],
        mask=batch["mask"],
        values=batch["values"],
        old_values=batch["old_values"],
        returns=batch["returns"],
        value_clip=0.2,
        names="verl",
    )

    close("verl compute_value_loss", found["critic/vf_loss"], loss)
    close("verl compute_value_loss", found["critic/vf_clipfrac"], clip)


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.99, 0.95), (0.9, 0.0)])
def test_gae_skips_tokens_and_whitens(batch, close, gamma, lam):
    mask = t(batch["mask"]).double()
    if mask.sum() < 2:
        pytest.skip("verl refuses to whiten a single token")
    whitened, returns = core.compute_gae_advantage_return(
        t(batch["rewards"]) * mask, t(batch["values"]) * mask, mask, gamma, lam
    )

    found = metrics.gae_tokens(
        batch["rewards"], batch["values"], batch["mask"], gamma=gamma, lam=lam
    )

    m = batch["mask"]
    close("verl compute_gae_advantage_return", found.returns[m], returns.numpy()[m])
    white = metrics.whiten(found.advantages, m)
    close("verl compute_gae_advantage_return", white[m], whitened.numpy()[m])


def test_whitening_and_moments(batch, close):
    mask = t(batch["mask"]).double()
    x = t(batch["adv"])
    close(
        "verl masked_mean",
        metrics.advantage_stats(batch["adv"], batch["mask"])["advantage/mean"],
        torch_functional.masked_mean(x, mask),
    )
    if mask.sum() < 2:
        return
    var = torch_functional.masked_var(x, mask)
    close(
        "verl masked_var",
        metrics.advantage_stats(batch["adv"], batch["mask"])["advantage/std"] ** 2,
        var,
    )
    for shift in (True, False):
        want = torch_functional.masked_whiten(x, mask, shift_mean=shift) * mask
        found = metrics.whiten(batch["adv"], batch["mask"], shift_mean=shift)
        close("verl masked_whiten", found, want)


def test_group_advantages(close):
    rng = np.random.default_rng(3)
    index = np.array(["a", "b", "a", "c", "b", "a", "b", "d"], dtype=object)
    scores = rng.normal(size=8)
    tokens = torch.zeros(8, 5, dtype=torch.float64)
    tokens[:, -1] = t(scores)
    mask = torch.ones(8, 5, dtype=torch.float64)
    for norm, scale in ((True, "group"), (False, "none")):
        want, _ = core.compute_grpo_outcome_advantage(
            tokens, mask, index, norm_adv_by_std_in_grpo=norm
        )

        found = metrics.group_advantages(scores, groups=index, scale=scale, eps=1e-6)

        several = index != "c"
        several &= index != "d"  # verl leaves the reward of a lone sample as its advantage
        close("verl compute_grpo_outcome_advantage", found[several], want[:, 0].numpy()[several])


def test_leave_one_out_advantages(close):
    rng = np.random.default_rng(3)
    index = np.array(["a", "b", "a", "b", "b", "a", "b"], dtype=object)
    scores = rng.normal(size=7)
    tokens = torch.zeros(7, 5, dtype=torch.float64)
    tokens[:, -1] = t(scores)
    want, _ = core.compute_rloo_outcome_advantage(
        tokens, torch.ones(7, 5, dtype=torch.float64), index
    )

    found = metrics.rloo_advantages(scores, groups=index)

    close("verl compute_rloo_outcome_advantage", found, want[:, 0])


def test_entropy(close):
    rng = np.random.default_rng(4)
    z = rng.normal(0, 3, size=(4, 6, 11))
    tokens = rng.integers(0, 11, size=(4, 6))

    close(
        "verl entropy_from_logits",
        metrics.token_entropy(z),
        torch_functional.entropy_from_logits(t(z)),
    )
    close(
        "verl logprobs_from_logits",
        metrics.token_logprobs(z, tokens),
        torch_functional.logprobs_from_logits_naive(t(z), t(tokens)),
    )


def test_rollout_mismatch(batch, close):
    mask = batch["mask"].copy()
    mask[~mask.any(1), 0] = True  # verl takes empty rows for perplexity 1, we leave them out
    want = rollout_corr_helper.compute_offpolicy_metrics(
        t(batch["old"]), t(batch["new"]), t(mask).double()
    )
    names = {
        "kl": "kl",
        "k3_kl": "k3_kl",
        "training_ppl": "ppl_train",
        "rollout_ppl": "ppl_rollout",
        "log_ppl_diff": "log_ppl_diff_mean",
        "log_ppl_abs_diff": "log_ppl_diff_abs",
        "log_ppl_diff_max": "log_ppl_diff_max",
        "log_ppl_diff_min": "log_ppl_diff_min",
        "ppl_ratio": "ppl_ratio",
        "chi2_token": "chi2_token",
        "chi2_seq": "chi2_sequence",
    }

    found = metrics.rollout_mismatch(batch["old"], batch["new"], mask)

    for theirs, ours in names.items():
        close("verl compute_offpolicy_metrics", found[f"mismatch/{ours}"], want[theirs], scale=1e-3)


def test_probability_differences(batch, close):
    from verl import DataProto
    from verl.utils.debug.metrics import calculate_debug_metrics

    if batch["mask"].sum() < 3:
        pytest.skip("verl's correlation needs several tokens")
    data = DataProto.from_dict(
        {
            "rollout_log_probs": t(batch["new"]),
            "old_log_probs": t(batch["old"]),
            "response_mask": t(batch["mask"]),
            "responses": torch.zeros(batch["mask"].shape),
        }
    )
    want = calculate_debug_metrics(data)

    found = metrics.rename(
        metrics.rollout_mismatch(batch["old"], batch["new"], batch["mask"]), "verl"
    )

    for name in ("diff_max", "diff_mean", "diff_std"):
        key = f"training/rollout_probs_{name}"
        close("verl calculate_debug_metrics", found[key], want[key])
    key = "training/rollout_actor_probs_pearson_corr"
    close("verl calculate_debug_metrics", found[key], want[key])


def test_data_metrics(batch, close):
    from verl import DataProto

    rows, width = batch["mask"].shape
    prompt = 4
    rng = np.random.default_rng(rows)
    prompt_mask = np.arange(prompt) >= prompt - rng.integers(1, prompt + 1, rows)[:, None]
    lengths = batch["mask"].sum(1)
    response_mask = np.arange(width) < lengths[:, None]
    scores = np.where(response_mask, batch["rewards"], 0.0)
    data = DataProto.from_dict(
        {
            "token_level_scores": t(scores),
            "token_level_rewards": t(scores * 2),
            "advantages": t(batch["adv"]),
            "returns": t(batch["returns"]),
            "values": t(batch["values"]),
            "prompts": torch.zeros(rows, prompt),
            "responses": torch.zeros(rows, width),
            "attention_mask": t(np.hstack([prompt_mask, response_mask])),
            "response_mask": t(response_mask),
        }
    )
    want = metric_utils.compute_data_metrics(data)

    there = lengths > 0
    found = metrics.ppo_health(
        batch["new"],
        batch["old"],
        batch["adv"],
        response_mask,
        values=batch["values"],
        returns=batch["returns"],
        scores=scores.sum(1)[there],
        rewards=2 * scores.sum(1)[there],
        prompt_lengths=prompt_mask.sum(1),
        max_prompt_length=prompt,
        names="verl",
    )

    compared = 0
    for name, value in want.items():
        if name not in found or name == "critic/vf_explained_var":
            continue
        close("verl compute_data_metrics", found[name], value)
        compared += 1
    assert compared >= 24
    if response_mask.sum() > 1:
        r = batch["returns"][response_mask]
        with_floor = 1 - (1 - found["critic/vf_explained_var"]) * r.var(ddof=1) / (
            r.var(ddof=1) + 1e-5
        )
        close("verl compute_data_metrics", with_floor, want["critic/vf_explained_var"])


@pytest.mark.parametrize("seed", range(3))
def test_validation(close, seed):
    rng = np.random.default_rng(seed)
    datasets, prompts, acc, reward, pred = [], [], [], [], []
    for d, tries in (("math", 8), ("code", 3), ("chat", 1)):
        for q in range(4):
            n = tries + (q == 3 and d == "math")  # one prompt with another number of tries
            datasets += [d] * n
            prompts += [f"{d}{q}"] * n
            acc += rng.integers(0, 2, n).astype(float).tolist()
            reward += rng.normal(size=n).tolist()
            pred += [str(x) for x in rng.integers(0, 3, n)]
    infos = {"acc": acc, "reward": reward, "pred": pred}
    want = {}
    for d, table in metric_utils.process_validation_metrics(datasets, prompts, infos).items():
        for var, row in table.items():
            most = max(int(k.split("@")[-1].split("/")[0]) for k in row)
            for k, v in row.items():
                first = var == "acc" and k.startswith(("mean", "maj", "best"))
                core_ = first and f"@{most}" in k
                want[f"{'val-core' if core_ else 'val-aux'}/{d}/{var}/{k}"] = v

    found = metrics.validation(datasets, prompts, infos, names="verl")

    assert set(found) == set(want)
    for name, value in want.items():
        close("verl process_validation_metrics", found[name], value)


@pytest.mark.parametrize("seed", range(8))
def test_balanced_partitions(close, seed):
    rng = np.random.default_rng(seed)
    ranks = int(rng.integers(2, 9))
    lengths = rng.permutation(5000)[: ranks * int(rng.integers(1, 12))] + 1
    parts = seqlen_balancing.get_seqlen_balanced_partitions(
        lengths.tolist(), ranks, equal_size=True
    )
    want = seqlen_balancing.log_seqlen_unbalance(lengths.tolist(), parts, "global_seqlen")

    found = metrics.rename(metrics.seqlen_balance(lengths, ranks), "verl")

    for name, value in want.items():
        close("verl log_seqlen_unbalance", found[name], value)


@pytest.mark.parametrize("seed", range(4))
def test_flops(close, seed):
    rng = np.random.default_rng(seed)
    config = types.SimpleNamespace(
        hidden_size=896,
        vocab_size=151936,
        num_hidden_layers=24,
        num_key_value_heads=2,
        num_attention_heads=14,
        intermediate_size=4864,
    )
    lengths = rng.integers(10, 4000, 7).tolist()
    dense = flops_counter._estimate_qwen2_flops(config, sum(lengths), lengths, 2.0)
    shape = metrics.TransformerShape.from_config(config)
    found = metrics.batch_flops(shape, lengths, convention="verl") / 2.0 / 1e12
    close("verl flops_counter", found, dense)
    config.moe_intermediate_size = 768
    config.num_experts = 64
    config.num_experts_per_tok = 6

    moe = flops_counter._estimate_qwen2_moe_flops(config, sum(lengths), lengths, 2.0)

    shape = metrics.TransformerShape.from_config(config)
    found = metrics.batch_flops(shape, lengths, convention="verl") / 2.0 / 1e12
    close("verl flops_counter", found, moe)


def test_peaks(close):
    for name in ("NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA B200", "NVIDIA H20"):
        want = flops_counter.get_device_flops(unit="B", device_name=name)
        close("verl get_device_flops", metrics.peak_flops(name), want)


def test_adaptive_controller(close):
    theirs = core.AdaptiveKLController(0.2, target_kl=6.0, horizon=500)
    ours = metrics.AdaptiveKL(0.2, target=6.0, horizon=500)
    for kl in np.random.default_rng(0).gamma(2.0, 4.0, 50):
        theirs.update(kl, 16)
        close("verl AdaptiveKLController", ours.update(kl, 16), theirs.value)


def test_timing(close):
    from verl import DataProto

    seconds = {"gen": 3.0, "ref": 1.0, "adv": 0.5, "update_actor": 2.0, "step": 7.0}
    data = DataProto.from_dict(
        {"responses": torch.zeros(2, 100), "attention_mask": torch.ones(2, 250)}
    )
    want = metric_utils.compute_timing_metrics(data, seconds)

    tokens = dict.fromkeys(seconds, 500) | {"gen": 200}
    found = metrics.rename(metrics.timing_stats(seconds, tokens=tokens), "verl")

    for name, value in want.items():
        close("verl compute_timing_metrics", found[name], value)


def test_throughput(close):
    class Batch:
        meta_info = {"global_token_num": [100, 200, 300]}  # noqa: RUF012

    want = metric_utils.compute_throughout_metrics(Batch(), {"step": 2.0}, n_gpus=4)

    found = metrics.rename(metrics.throughput_stats(seconds=2.0, tokens=600, devices=4), "verl")

    for name, value in want.items():
        close("verl compute_throughout_metrics", found[name], value)
