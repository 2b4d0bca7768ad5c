"""Which curves and faults the pictures of a trainer show."""

SHOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ppo": (
        ("outcome/return_mean", "policy/entropy", "policy/approx_kl", "value/loss"),
        ("lr-x100", "reward-sign", "entropy-bonus-high"),
    ),
}
