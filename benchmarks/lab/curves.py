"""Which curves and faults the pictures of a trainer show."""

CONTROL = ("outcome/return_mean", "policy/entropy", "policy/approx_kl", "value/loss")
VALUE_BASED = ("outcome/return_mean", "value/q_mean", "value/loss", "explore/epsilon")
LLM_RL = ("eval/mean_at_n", "reward/score_mean", "policy/entropy", "length/response_mean")
PREFERENCE = ("eval/score_mean", "preference/margin", "preference/accuracy", "preference/loss")

SHOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ppo": (CONTROL, ("lr-x100", "reward-sign", "entropy-bonus-high")),
    "a2c": (
        ("outcome/return_mean", "policy/entropy", "value/loss", "optim/grad_norm"),
        ("lr-x100", "advantage-sign", "gamma-0"),
    ),
    "dqn": (VALUE_BASED, ("terminal-mask-missing", "epsilon-stays-1", "target-never")),
    "sac": (
        ("outcome/return_mean", "value/q_mean", "value/loss", "policy/entropy"),
        ("temperature-high", "lr-x100", "reward-sign"),
    ),
    "scheduler": (
        ("eval/score_mean", "entropy", "temp_current_temperature", "approx_kl"),
        ("temperature-suppressed", "wait-not-counted", "lr-x100"),
    ),
    "grpo": (LLM_RL, ("lr-x100", "reward-per-token", "verifier-dead")),
    "rlhf-ppo": (LLM_RL, ("lr-x100", "beta-5", "returns-shifted")),
    "dpo": (PREFERENCE, ("lr-x100", "swapped", "few-pairs")),
    "kto": (PREFERENCE, ("lr-x100", "swapped", "few-pairs")),
    "simpo": (PREFERENCE, ("lr-x100", "random-labels", "beta-huge")),
    "reward-model": (
        ("eval/rm/accuracy", "rm/accuracy", "rm/margin", "rm/loss"),
        ("score-at-padding", "few-pairs", "lr-x100"),
    ),
    "sft": (
        ("eval/loss", "lm/loss", "lm/token_accuracy", "optim/grad_norm"),
        ("lr-x100", "few-samples", "labels-shifted-twice"),
    ),
    "teacher": (
        ("Epoch/AvgReward", "Train/AvgReward", "Train/Loss", "Train/KLPenalty"),
        ("teacher-constant", "kl-zero-lr-high", "rubric-flipped"),
    ),
    "writing": (
        ("eval/score_mean", "reward/score_mean", "length/response_mean", "policy/entropy"),
        ("garbage-pays", "length-pays", "contaminated-evaluation"),
    ),
}
