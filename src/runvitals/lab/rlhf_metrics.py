"""What the language-model trainers log, under the names that verl gives it."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.lm import SequenceNet
from runvitals.lab.measures import mean_over, spread
from runvitals.lab.nn import Array
from runvitals.lab.puzzles import lengths
from runvitals.lab.rlhf_rollout import Flags, Written
from runvitals.lab.rlhf_world import Scored
from runvitals.metrics import group_stats, mfu, rollout_mismatch, turn_stats, validation
from runvitals.metrics.balance import consecutive_parts
from runvitals.metrics.naming import rename

# rollouts


def length_metrics(
    prompt_lengths: NDArray[np.int64], written: Written, max_prompt: int, max_response: int
) -> dict[str, float]:
    """Lengths of prompts and responses, and what share of them reached its limit."""
    size = lengths(written.tokens)
    there = size > 0
    return {
        **spread("response_length/", size, "mean max min"),
        "response_length/clip_ratio": float((size >= max_response).mean()),
        "length/response_std": float(size.std()),
        "response_length_non_aborted/mean": mean_over(size, there),
        "response/aborted_ratio": float(1.0 - there.mean()),
        **spread("prompt_length/", prompt_lengths, "mean max min"),
        "prompt_length/clip_ratio": float((prompt_lengths >= max_prompt).mean()),
    }


def agent_metrics(written: Written, prompt_lengths: NDArray[np.int64]) -> dict[str, float]:
    """Turns, calls of the tool, and how the time was spent, the slowest sample by itself."""
    turns = turn_stats(written.turns, tool_calls=written.calls, tool_failures=written.failures)
    if not written.calls.any():
        del turns["agent/tool_failure_rate"]
    in_model = written.seconds - written.tool_seconds
    slowest = int(written.seconds.argmax())
    loop = "timing_s/agent_loop"
    return {
        **rename(turns, "verl", "grpo"),
        **spread(f"{loop}/generate_sequences/", in_model, "mean max min"),
        **spread(f"{loop}/tool_calls/", written.tool_seconds, "mean max min"),
        f"{loop}/slowest/generate_sequences": float(in_model[slowest]),
        f"{loop}/slowest/tool_calls": float(written.tool_seconds[slowest]),
        f"{loop}/slowest/prompt_length": float(prompt_lengths[slowest]),
        f"{loop}/slowest/response_length": float(lengths(written.tokens)[slowest]),
    }


def mismatch_metrics(log_probs: Array, written: Written) -> dict[str, float]:
    """How differently the generator and the trainer see the same tokens."""
    found = rollout_mismatch(log_probs, written.log_probs, written.own)
    return dict(rename(found, "verl", "grpo"))


# rewards


def reward_metrics(scored: Scored, rewards: Array, advantages: Array) -> dict[str, float]:
    """Scores, rewards after the KL penalty, their parts, and advantages per token."""
    metrics = {
        **spread("critic/score/", scored.total, "mean max min"),
        "reward/score_std": float(scored.total.std()),
        **spread("critic/rewards/", rewards, "mean max min"),
        "reward/std": float(rewards.std()),
        **spread("critic/advantages/", advantages, "mean max min std"),
    }
    for name, part in scored.parts.items():
        metrics |= spread(f"gdpo/{name}/", part, "mean std")
    return metrics


def group_metrics(scored: Scored, group_size: int) -> dict[str, float]:
    """What share of the groups teaches something, and whether the others are right or wrong."""
    by_reward = group_stats(scored.total, group_size=group_size)
    found = {
        name: by_reward[name] for name in ("reward/group_std_mean", "reward/zero_std_fraction")
    }
    if "correct" in scored.parts:
        by_truth = group_stats(scored.right.astype(np.float64), group_size=group_size)
        kinds = ("all_correct", "all_wrong", "mixed")
        found |= {name: by_truth[name] for name in (f"reward/group_{k}_fraction" for k in kinds)}
    return {name: float(value) for name, value in found.items()}


# ranks: the work is done in one process, and dealt out on paper


class Ranks:
    """Devices among which a batch is divided. A stage is over when the slowest of them is."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.busy = np.zeros(count)
        self.loads: Array = np.ones(count)
        self._dealt: Array = np.ones(count)

    def begin(self) -> None:
        """A new step: nobody has done anything yet."""
        self.busy[:] = 0.0

    def deal(self, tokens: NDArray[np.int64], *, balanced: bool, first_share: float = 0.0) -> None:
        """Divide sequences of these lengths; with `first_share` the first rank gets that much."""
        parts = consecutive_parts(len(tokens), self.count)
        if first_share:
            heavy = int(first_share * len(tokens))
            rest = consecutive_parts(len(tokens) - heavy, self.count - 1)
            parts = [list(range(heavy)), *([i + heavy for i in part] for part in rest)]
        self._dealt = np.array([tokens[list(part)].sum() for part in parts], np.float64)
        self.loads = self._dealt
        if balanced:  # each sequence, the longest first, goes to the rank that has least
            loads = [0] * self.count
            for length in sorted(tokens.tolist(), reverse=True):
                heapq.heapreplace(loads, loads[0] + length)
            self.loads = np.array(loads, np.float64)

    def share(self, seconds: float, slowness: Array, *, by_load: bool = True) -> None:
        """Book a stage that took so long for all, and wait as long as the slowest rank needs."""
        load = self.loads / self.loads.mean() if by_load else np.ones(self.count)
        each = seconds * load * slowness
        self.busy += each
        time.sleep(max(0.0, float(each.max()) - seconds))

    def metrics(self) -> dict[str, float]:
        """Tokens per rank before and after balancing, and how long each was busy."""
        dealt, after = self._dealt, self.loads
        return {
            **spread("global_seqlen/", dealt, "min max"),
            "global_seqlen/minmax_diff": float(dealt.max() - dealt.min()),
            **spread("global_seqlen/balanced_", after, "min max"),
            "global_seqlen/mean": float(after.mean()),
            **{f"time/step_s{{rank={i}}}": float(busy) for i, busy in enumerate(self.busy)},
        }


# speed


def speed_metrics(
    model: SequenceNet, tokens: int, seconds: Mapping[str, float], *, epochs: int, ranks: int
) -> dict[str, float]:
    """Tokens per second, and what share of the machine's speed went into the model."""
    forward = 2.0 * tokens * len(model.head.params)  # a product and a sum per weight and token
    return {
        "perf/total_num_tokens": float(tokens),
        "perf/time_per_step": seconds["step"],
        "perf/throughput": tokens / seconds["step"] / ranks,
        "perf/mfu/actor": mfu(3.0 * epochs * forward, seconds["update_actor"], peak=peak_speed()),
        "perf/mfu/actor_infer": mfu(forward, seconds["old_log_prob"], peak=peak_speed()),
    }


@lru_cache
def peak_speed() -> float:
    """The best speed of this machine at products of matrices, in FLOP/s, measured once."""
    size = 256
    matrix = np.ones((size, size), np.float32)
    best = np.inf
    for _ in range(20):
        began = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - began)
    return float(2.0 * size**3 / best)


# validation


def validation_metrics(
    task: str, written: Written, scored: Scored, right: Flags, tries: int, *, multi_turn: bool
) -> dict[str, float]:
    """Held-out accuracy and reward; the responses to a prompt stand one after another."""
    count = len(right) // tries
    truth = right.astype(np.float64)
    prompts = np.repeat(np.arange(count), tries).tolist()
    found = validation(
        [task] * len(right),
        prompts,
        {"acc": truth.tolist()},
        turns=written.turns if multi_turn else None,
        method="exact",
        names="verl",
    )
    by_prompt = truth.reshape(count, tries)
    rewards = scored.total.reshape(count, tries)
    answers = [row.tobytes() for row in written.tokens]
    return {
        **{name: value for name, value in found.items() if not name.endswith("/std")},
        f"val-core/{task}/acc/mean@1": float(by_prompt[:, 0].mean()),
        f"val-core/{task}/acc/maj@{tries}/mean": _majority(answers, by_prompt),
        f"val-aux/{task}/reward/mean@1": float(rewards[:, 0].mean()),
        f"val-aux/{task}/reward/mean@{tries}": float(rewards.mean()),
    }


def _majority(answers: Sequence[bytes], right: Array) -> float:
    """Share of prompts whose most frequent answer is right."""
    tries = right.shape[1]
    won = 0.0
    for i, row in enumerate(right):
        said = answers[i * tries : (i + 1) * tries]
        won += row[said.index(Counter(said).most_common(1)[0][0])]
    return float(won / len(right))
