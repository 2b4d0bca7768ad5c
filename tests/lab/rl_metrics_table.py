"""The RL Metrics table with the values of a run beside its ranges.

`python -m tests.lab.rl_metrics_table` trains the run and writes docs/lab/rl-metrics-table.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tests.lab.notes import Notes

from runvitals.lab.contract import HEALTHY
from runvitals.lab.rlhf import RLHF_PPO
from runvitals.lab.rlhf_faults import TRL_NAMES

PAGE = Path(__file__).parents[2] / "docs" / "lab" / "rl-metrics-table.md"
Values = NDArray[np.float64]
Run = dict[str, Values]


class Row(NamedTuple):
    """A row of the table: the share of updates in its range, or 1 or 0 for how a curve goes."""

    category: str
    metric: str
    meaning: str
    healthy: str  # in the table's own words
    share: Callable[[Values, Run], float]


def between(low: float, high: float) -> Callable[[Values, Run], float]:
    return lambda x, _: float(((x >= low) & (x <= high)).mean())


def rises(x: Values, _: Run) -> float:
    return float(late(x) > early(x))


def falls(x: Values, _: Run) -> float:
    return float(late(x) < early(x))


def steady(most: float) -> Callable[[Values, Run], float]:
    """Never far from its median, as a share of it."""
    return lambda x, _: float((np.abs(x / np.median(x) - 1) < most).mean())


def balanced(x: Values, _: Run) -> float:
    """All histograms without a long tail: the mean is near the middle of the middle half."""
    return float((np.abs(x) < 1.0).mean())


def early(x: Values) -> float:
    return float(x[: len(x) // 5].mean())


def late(x: Values) -> float:
    return float(x[-len(x) // 5 :].mean())


def spread(run: Run) -> float:
    """Of the returns: what their level and that of the values are measured by."""
    return float(np.sqrt(np.median(run["ppo/returns/var"])))


def _kl_coef(x: Values, run: Run) -> float:
    """Whenever the KL is too high, the next weight is higher."""
    high = run["objective/kl"][:-1] > 1.2 * 0.065
    return float((np.diff(x)[high] > 0).mean())


ROWS = (
    Row(
        "Reward", "env/reward_mean", "Avg. reward (performance)", "↑ steadily over training", rises
    ),
    Row("", "env/reward_std", "Reward variability", "Moderate; not exploding", steady(0.3)),
    Row("", "env/reward_dist", "Reward distribution", "Balanced; no long tails", balanced),
    Row(
        "KL divergence",
        "objective/kl",
        "Divergence from the reference",
        "Small positive (≈ 0.01–0.1)",
        between(0.01, 0.1),
    ),
    Row("", "objective/kl_coef", "KL penalty coefficient", "Increases if KL too high", _kl_coef),
    Row(
        "",
        "ppo/mean_non_score_reward",
        "Mean KL penalty",
        "Should not dominate rewards",
        lambda x, run: float((np.abs(x) < 0.2 * run["env/reward_mean"]).mean()),
    ),
    Row("Entropy", "objective/entropy", "Policy randomness", "High early → ↓ gradually", falls),
    Row("", "ppo/policy/entropy", "Same (softmax-based)", "Tracks exploration level", falls),
    Row(
        "Policy stability",
        "ppo/policy/clipfrac",
        "Fraction of clipped ratios",
        "< 0.2 ideally",
        between(0.0, 0.2),
    ),
    Row("", "ppo/policy/approxkl", "Approx. KL (fast)", "< 0.01–0.05", between(0.0, 0.05)),
    Row("", "ppo/policy/ratio", "π_new / π_old", "≈ 1; >200 = unstable", between(0.9, 1.1)),
    Row("", "ppo/policy/advantages_mean", "Avg. GAE advantage", "Near 0", between(-0.05, 0.05)),
    Row("", "ppo/policy/advantages", "Advantage distribution", "Balanced (not skewed)", balanced),
    Row(
        "Value function",
        "ppo/val/mean",
        "Predicted values",
        "Stable",
        lambda x, run: float((np.abs(x - np.median(x)) < 0.3 * spread(run)).mean()),
    ),
    Row("", "ppo/val/var", "Their variance", "Stable variance", steady(0.3)),
    Row("", "ppo/val/error", "Value MSE vs. returns", "Should ↓ smoothly", falls),
    Row("", "ppo/val/var_explained", "Variance explained", "> 0.8 = good", between(0.8, 1.0)),
    Row("", "ppo/val/clipfrac", "Clipped value updates", "Low", between(0.0, 0.1)),
    Row(
        "",
        "ppo/returns/mean",
        "TD(λ) returns",
        "Check scaling consistency",
        lambda x, run: float((np.abs(x - run["ppo/val/mean"]) < 0.3 * spread(run)).mean()),
    ),
    Row("", "ppo/returns/var", "Their variance", "Check scaling consistency", steady(0.3)),
    Row("Losses", "ppo/loss/policy", "Actor loss", "Stable, small", between(-0.02, 0.02)),
    Row("", "ppo/loss/value", "Critic loss", "No NaNs or big spikes", steady(1.0)),
    Row("", "ppo/loss/total", "Combined objective", "Gradual ↓ trend", falls),
    Row("Token stats", "tokens/queries_len_mean", "Query length", "No drift", steady(0.1)),
    Row("", "tokens/responses_len_mean", "Response length", "No drift", steady(0.15)),
    Row("", "tokens/responses_len_std", "Variability", "Not exploding", steady(0.5)),
    Row("Log-probs", "objective/logprobs", "Log-probs of tokens", "No shifts", steady(0.3)),
    Row("", "objective/ref_logprobs", "The reference's", "No shifts", steady(0.3)),
)


class WithHistograms(Notes):
    """Also keeps how far the mean of each histogram lies from its median, in quarter ranges."""

    def __init__(self) -> None:
        super().__init__()
        self.lean: dict[str, list[float]] = {}

    def log_histogram(self, name: str, values: Any, _step: int | None = None) -> None:
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        lean = (np.mean(values) - middle) / max(high - low, 1e-9)
        self.lean.setdefault(name, []).append(float(lean))


def trained(seed: int = 0) -> Run:
    """The healthy run of the task, under the table's names."""
    notes = WithHistograms()
    [task] = [one for one in RLHF_PPO.tasks if one.name == "feedback"]
    RLHF_PPO.train(RLHF_PPO.config(seed=seed, **task.settings), notes, HEALTHY)
    series = {theirs: np.array(notes[ours]) for ours, theirs in TRL_NAMES.items() if notes[ours]}
    return series | {TRL_NAMES[name]: np.array(lean) for name, lean in notes.lean.items()}


def lines(run: Run) -> Iterator[str]:
    yield "# The RL Metrics table, and a run inside it"
    yield ""
    yield "<!-- Generated by `python -m tests.lab.rl_metrics_table`; do not edit. -->"
    yield ""
    yield "Every row of the table beside what a healthy run of PPO on a tiny language model logs:"
    yield ""
    yield "    runvitals lab run rlhf-ppo --task feedback --names trl"
    yield ""
    yield "First, middle and last are the means over the first, third and last fifth of the run. The"
    yield "last column is the share of updates in the range; for a direction it says whether the run"
    yield "takes it. For the two distributions the number is how far the mean lies from the median, in"
    yield "ranges between the quarters."
    yield ""
    yield "| category | metric | meaning | healthy | first | middle | last | in range |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in ROWS:
        x = run[row.metric]
        fifth = max(1, len(x) // 5)
        parts = (x[:fifth], x[2 * fifth : 3 * fifth], x[-fifth:])
        share = row.share(x, run)
        direction = row.share in (rises, falls)
        said = ("yes" if share else "**no**") if direction else f"{share:.0%}"
        values = " | ".join(f"{part.mean() + 0.0:.3g}" for part in parts)
        told = f"`{row.metric}` | {row.meaning} | {row.healthy}"
        yield f"| {row.category} | {told} | {values} | {said} |"


if __name__ == "__main__":
    PAGE.write_text("\n".join(lines(trained())) + "\n", encoding="utf-8")
    print(f"wrote {PAGE}")
