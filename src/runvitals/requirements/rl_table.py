"""RL Metrics: a table of metrics with their healthy ranges, and a glossary."""

from __future__ import annotations

from runvitals.requirements.item import Document, healthy, listed, metric, part, sign, word

DOCUMENT = Document(
    "RL Metrics table",
    ("trl",),
    (
        part(
            "Reward",
            listed("reward", "list:rl-metrics/Reward"),
            metric("env/reward_mean", "reward/score_mean", "rule:REW005"),
            healthy("reward rises steadily", "rule:REW005", "rule:REW003", "rule:REW011"),
            metric("env/reward_std", "reward/score_std", "rule:REW007"),
            healthy("reward spread moderate, not exploding", "rule:REW007"),
            metric("env/reward_dist", "reward/score_mean", "rule:REW007"),
            healthy("reward distribution balanced, no long tails", "rule:REW007"),
        ),
        part(
            "KL divergence",
            listed("KL divergence", "list:rl-metrics/KL divergence"),
            metric("objective/kl", "policy/kl_ref_sequence", "rule:KL004"),
            healthy("KL small and positive, 0.01 to 0.1", "range:policy/kl_ref_sequence"),
            sign("KL negative", "rule:KL005"),
            metric("objective/kl_coef", "policy/kl_coef"),
            healthy(
                "KL coefficient rises when KL is too high", "metric:policy/kl_coef", "rule:KL004"
            ),
            metric("ppo/mean_non_score_reward", "reward/kl_penalty_mean", "rule:KL006"),
            sign("KL penalty dominates the reward", "rule:KL006"),
            sign(
                "KL rises: over-optimization",
                "rule:KL004",
                "word:over-optimisation",
                "symptom:KL to the reference keeps rising",
            ),
            sign(
                "KL falls: under-training",
                "rule:KL003",
                "word:under-training",
                "symptom:KL stays near zero",
            ),
        ),
        part(
            "Entropy",
            listed("entropy", "list:rl-metrics/Entropy"),
            metric("objective/entropy", "policy/entropy_sequence", "rule:ENT001"),
            metric("ppo/policy/entropy", "policy/entropy", "rule:ENT001"),
            healthy("entropy high early, then gradually lower", "rule:ENT001", "rule:ENT003"),
        ),
        part(
            "Policy stability",
            listed("policy stability", "list:rl-metrics/Policy stability"),
            metric("ppo/policy/clipfrac", "policy/clip_fraction", "rule:CLIP001"),
            healthy("clip fraction below 0.2", "range:policy/clip_fraction", "rule:CLIP001"),
            metric("ppo/policy/approxkl", "policy/approx_kl", "rule:KL001"),
            healthy("approximate KL below 0.01 to 0.05", "range:policy/approx_kl", "rule:KL001"),
            metric("ppo/policy/ratio", "policy/ratio_mean", "rule:POL003"),
            healthy("ratio near 1", "range:policy/ratio_mean", "rule:POL004"),
            sign("ratio above 200", "range:policy/ratio_max", "rule:POL003"),
            metric("ppo/policy/advantages_mean", "advantage/mean", "rule:ADV001"),
            healthy("advantages centred near 0", "range:advantage/mean", "rule:ADV001"),
            metric("ppo/policy/advantages", "advantage/mean", "rule:ADV002"),
            sign("advantages skewed", "rule:ADV002"),
        ),
        part(
            "Value function",
            listed("value function", "list:rl-metrics/Value function"),
            metric("ppo/val/mean", "value/mean", "rule:VAL004"),
            metric("ppo/val/var", "value/var", "rule:VAL004"),
            sign("variance of values not stable", "rule:VAL004"),
            metric("ppo/val/error", "value/error", "rule:VAL001"),
            healthy("value error falls smoothly", "rule:VAL001", "rule:VAL002"),
            metric("ppo/val/var_explained", "value/explained_variance", "rule:VAL003"),
            healthy(
                "explained variance above 0.8", "range:value/explained_variance", "rule:VAL003"
            ),
            metric("ppo/val/clipfrac", "value/clip_fraction", "rule:VAL005"),
            sign("many value updates clipped", "rule:VAL005"),
            metric("ppo/returns/mean", "returns/mean"),
            metric("ppo/returns/var", "returns/var", "rule:REW012"),
            sign("returns change their scale", "rule:REW012", "rule:VAL004"),
        ),
        part(
            "Losses",
            listed("losses", "list:rl-metrics/Losses"),
            metric("ppo/loss/policy", "policy/loss", "rule:POL001"),
            healthy("actor loss stable, small oscillations", "rule:POL001"),
            metric("ppo/loss/value", "value/loss", "rule:VAL001"),
            sign("NaN in the critic loss", "rule:NUM001", "rule:NUM002"),
            sign("big spikes of the critic loss", "rule:VAL001"),
            metric("ppo/loss/total", "optim/loss", "rule:POL001"),
            healthy("total loss falls gradually", "rule:POL001", "rule:REW006"),
        ),
        part(
            "Tokens and log-probs",
            listed("token stats", "list:rl-metrics/Token stats"),
            metric("tokens/queries_len_mean", "length/prompt_mean", "rule:LEN005"),
            metric("tokens/responses_len_mean", "length/response_mean", "rule:LEN005"),
            sign("lengths drift", "rule:LEN005", "rule:LEN003"),
            metric("tokens/responses_len_std", "length/response_std", "rule:LEN005"),
            sign("length spread explodes", "rule:LEN005"),
            listed("log-probs", "list:rl-metrics/Log-probs"),
            metric("objective/logprobs", "policy/logprob_mean"),
            metric("objective/ref_logprobs", "policy/logprob_ref_mean"),
            sign(
                "log-probs shift from the reference", "symptom:Log-probs drift from the reference"
            ),
        ),
        part(
            "Glossary",
            word("Policy (π)", "word:policy"),
            word("Value Function (V(s))", "word:value function"),
            word("Advantage (A(s,a))", "word:advantage"),
            word("Return (G)", "word:return"),
            word("Entropy", "word:entropy"),
            word("KL Divergence", "word:KL divergence"),
            word("Clipping (PPO)", "word:clipping"),
            word("GAE (Generalized Advantage Estimation)", "word:GAE"),
            word("Explained Variance", "word:explained variance"),
            word("TD(λ) returns", "word:TD(lambda)"),
        ),
    ),
)
