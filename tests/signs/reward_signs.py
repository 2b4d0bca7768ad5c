"""Signs of rewards, scores and what they hide."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.signs.documents import FIRST_STEPS, GLOSSARY, MONITORING_GUIDE, RL_TABLE, TEACHER
from tests.signs.playing import Sign, Tape

from runvitals.model import FloatArray

Play = Callable[[Tape, str], None]
IN_A_BATCH = 256  # samples that a histogram is made of


# "How to know that a model is learning"


def _return_up_wins_flat(tape: Tape, strength: str) -> None:
    gain = 120.0 if strength == "mild" else 400.0
    tape.series["avg_return"] = tape.ramp(20.0, 20.0 + gain) + tape.noise(8.0)
    tape.series["win_rate"] = np.clip(0.3 + tape.noise(0.03), 0.0, 1.0)


def _loss_improves(tape: Tape, strength: str) -> None:
    end = 16.0 if strength == "mild" else 4.0
    tape.series["value_loss"] = tape.around(tape.ramp(40.0, end))
    tape.series["policy_loss"] = tape.ramp(-0.01, -0.02 if strength == "mild" else -0.05)
    tape.series["policy_loss"] += tape.noise(0.005)


# "RL metrics table"


def _spread_explodes(tape: Tape, strength: str) -> None:
    times = 8.0 if strength == "mild" else 60.0
    level = 0.9 * np.exp(tape.ramp(0.0, np.log(times), 0.3, 0.8))
    tape.series["env/reward_std"] = tape.around(level, 0.1)


def _batches(tape: Tape, level: FloatArray | float) -> FloatArray:
    """Samples of each update about a level."""
    middle = np.broadcast_to(np.asarray(level), (tape.updates,))
    return middle[:, None] + tape.rng.normal(size=(tape.updates, IN_A_BATCH))


def _long_tails(name: str, *, both_sides: bool) -> Play:
    """A few samples of each batch lie far out, from a third of the run on."""

    def play(tape: Tape, strength: str) -> None:
        share, far = (0.02, 15.0) if strength == "mild" else (0.04, 80.0)
        rows = _batches(tape, tape.series["env/reward_mean"] if "reward" in name else 0.0)
        few = tape.rng.random(rows.shape) < share
        few[: tape.updates // 3] = False
        side = tape.rng.choice([-1.0, 1.0], rows.shape) if both_sides else 1.0
        rows = np.where(few, rows + side * far * tape.rng.exponential(size=rows.shape), rows)
        tape.samples[name] = rows

    return play


def _skewed_advantages(tape: Tape, strength: str) -> None:
    """Most advantages lie a little below zero, some far above it: log-normal about its mean."""
    width = 1.1 if strength == "mild" else 1.8
    rows = np.exp(width * tape.rng.normal(size=(tape.updates, IN_A_BATCH)))
    rows = rows - rows.mean(axis=1, keepdims=True)
    tape.samples["ppo/policy/advantages"] = rows


# "Training Monitoring Guide"


def _changes_punished(tape: Tape, strength: str) -> None:
    """The term for changes takes more than the absolute score gives."""
    below = 0.15 if strength == "mild" else 1.2
    absolute, penalty = tape.series["absolute_score"], tape.series["balance_penalty"]
    tape.series["delta_score"] = -(absolute + below) + tape.noise(0.03)
    total = absolute + tape.series["delta_score"] - penalty
    tape.series["reward"] = total
    tape.series["reward_mean"] = total + tape.noise(0.005)


def _no_better_service(tape: Tape, strength: str) -> None:
    """The reward climbs, and throughput and latency stay where they were."""
    gain = 0.3 if strength == "mild" else 1.0
    for name in ("reward", "reward_mean", "absolute_score"):
        tape.series[name] = tape.ramp(0.35, 0.35 + gain) + tape.noise(0.03)
    tape.series["throughput"] = 40.0 + tape.noise(1.0)
    tape.series["latency_mean"] = tape.around(1.2, 0.05)


def _reward_spikes(tape: Tape, strength: str) -> None:
    """Bursts of reward, and a service that does not follow."""
    high, many = (1.5, 4) if strength == "mild" else (5.0, 8)
    burst = np.zeros(tape.updates)
    for share in np.linspace(0.3, 0.9, many):
        burst[int(share * tape.updates) :][:4] = high
    for name in ("reward", "reward_mean"):
        tape.series[name] = 0.35 + burst + tape.noise(0.03)
    tape.series["throughput"] = 40.0 + tape.noise(1.0)
    tape.series["latency_mean"] = tape.around(1.2, 0.05)


# "Training Metrics Glossary"


def _evaluation_stalls(tape: Tape, strength: str) -> None:
    """The reward rises, the validation does not; lengths change and some answers are aborted."""
    end = 0.6 if strength == "mild" else 0.9
    for name in ("critic/rewards/mean", "critic/score/mean"):
        tape.series[name] = tape.ramp(0.25, end) + tape.noise(0.02)
    flat = 0.3 + tape.noise(0.012)
    tape.series["val-core/math/acc/mean@1"] = np.where(
        np.arange(tape.updates) % 10 == 0, flat, np.nan
    )


def _evaluation_stalls_and_length_changes(tape: Tape, strength: str) -> None:
    _evaluation_stalls(tape, strength)
    longer = 900.0 if strength == "mild" else 120.0
    tape.series["response_length/mean"] = tape.around(tape.ramp(420.0, longer, 0.1, 0.8), 0.05)
    tape.series["response/aborted_ratio"] = np.clip(tape.around(tape.ramp(0.0, 0.2), 0.1), 0.0, 1.0)


def _validation_falls(tape: Tape, strength: str) -> None:
    end = 0.4 if strength == "mild" else 0.1
    course = np.interp(tape.way, [0.0, 0.5, 0.8, 1.0], [0.22, 0.68, end, end]) + tape.noise(0.012)
    tape.series["val-core/math/acc/mean@1"] = np.where(
        np.arange(tape.updates) % 10 == 0, np.clip(course, 0.0, 1.0), np.nan
    )


def _with_reward_model(tape: Tape, accuracy: float | FloatArray) -> None:
    tape.series["rm/accuracy"] = np.clip(accuracy + tape.noise(0.005), 0.0, 1.0)
    tape.series["rm/loss"] = tape.around(0.35, 0.05)
    tape.series["rm/reward_margin"] = tape.around(1.6, 0.05)
    tape.series["rm/grad_norm"] = tape.around(0.8, 0.15)


def _judge_good_policy_not(tape: Tape, strength: str) -> None:
    _with_reward_model(tape, 0.84 if strength == "mild" else 0.95)
    _evaluation_stalls(tape, strength)


def _judge_good_nothing_moves(tape: Tape, strength: str) -> None:
    _with_reward_model(tape, 0.84 if strength == "mild" else 0.95)


def _another_judge(tape: Tape, strength: str) -> None:
    """Scores of the same answers jump from one version of the reward model to the next."""
    _with_reward_model(tape, 0.88)
    jump = 1.5 if strength == "mild" else 6.0
    later = np.where(tape.way < 0.55, 0.0, jump)
    for name in ("rm/score_mean", "critic/score/mean", "critic/rewards/mean"):
        tape.series[name] = tape.outcome(0.25, 0.78, 0.03) + later


# "TensorBoard Metrics Reference"


def _set_rewards(tape: Tape, reward: FloatArray) -> None:
    reward = np.clip(reward, 0.0, 1.0)
    tape.series["Epoch/AvgReward"] = reward
    tape.series["Train/AvgReward"] = np.clip(reward + tape.noise(0.02), 0.0, 1.0)
    tape.series["Epoch/RewardTrend"] = np.diff(reward, prepend=reward[0])
    tape.series["Train/RewardMin"] = np.clip(reward - tape.around(0.15, 0.1), 0.0, 1.0)
    tape.series["Train/RewardMax"] = np.clip(reward + tape.around(0.12, 0.1), 0.0, 1.0)


def _stuck_below_target(tape: Tape, strength: str) -> None:
    top = 0.58 if strength == "mild" else 0.45
    course = {"rising": np.minimum(1.0, tape.way / 0.3), "flat": np.zeros(tape.updates)}[
        tape.setting
    ]
    _set_rewards(tape, 0.38 + (top - 0.38) * course + tape.noise(0.01))


def _loss_rises(tape: Tape, strength: str) -> None:
    end = 1.5 if strength == "mild" else 4.0
    loss = tape.ramp(0.5, end, 0.1) + tape.noise(0.03)
    tape.series["Epoch/AvgLoss"] = loss
    tape.series["Epoch/LossTrend"] = -np.diff(loss, prepend=loss[0])
    tape.series["Train/Loss"] = loss + tape.noise(0.05)
    tape.series["Train/PolicyLoss"] = loss + tape.noise(0.05) - 0.05


def _variance_high(tape: Tape, strength: str) -> None:
    level = 0.02 if strength == "mild" else 0.08
    for name in ("Epoch/RewardVariance", "Train/RewardVariance"):
        tape.series[name] = tape.around(level, 0.12)
    tape.series["Train/RewardStd"] = tape.around(np.sqrt(level), 0.08)


def _reward_trend_negative(tape: Tape, strength: str) -> None:
    start = 0.6 if strength == "mild" else 0.4
    end = 0.6 if strength == "mild" else 0.3
    course = np.interp(tape.way, [0.0, start, 1.0], [0.38, 0.8, end])
    _set_rewards(tape, course + tape.noise(0.004))


def _reward_trend_swings(tape: Tape, strength: str) -> None:
    size = 0.1 if strength == "mild" else 0.25
    swing = size * np.sin(np.arange(tape.updates) * 2 * np.pi / 14)
    _set_rewards(tape, tape.outcome(0.38, 0.72, 0.01) + swing)


def _loss_trend_negative(tape: Tape, strength: str) -> None:
    """The loss fell, and rises again in the last epochs."""
    end = 1.2 if strength == "mild" else 2.5
    loss = np.interp(tape.way, [0.0, 0.6, 1.0], [1.6, 0.6, end]) + tape.noise(0.01)
    tape.series["Epoch/AvgLoss"] = loss
    tape.series["Epoch/LossTrend"] = -np.diff(loss, prepend=loss[0])
    tape.series["Train/Loss"] = loss + tape.noise(0.05)
    tape.series["Train/PolicyLoss"] = loss + tape.noise(0.05) - 0.05


RISING, FLAT = ("rising",), ("flat",)
SIGNS = (
    Sign(
        FIRST_STEPS,
        "return goes up, win rate stays flat",
        _return_up_wins_flat,
        ("REW001",),
        settings=RISING,
        harm=RISING,
    ),
    Sign(
        FIRST_STEPS,
        "loss improves while the outcome is flat",
        _loss_improves,
        ("REW006",),
        settings=FLAT,
    ),
    Sign(RL_TABLE, "spread of rewards explodes", _spread_explodes, ("REW007",)),
    Sign(
        RL_TABLE,
        "histogram of rewards has long tails",
        _long_tails("env/reward_dist", both_sides=True),
        ("REW007",),
    ),
    Sign(
        RL_TABLE,
        "histogram of advantages has long tails",
        _long_tails("ppo/policy/advantages", both_sides=True),
        ("ADV002",),
    ),
    Sign(RL_TABLE, "histogram of advantages is skewed", _skewed_advantages, ("ADV002", "ADV001")),
    Sign(
        MONITORING_GUIDE,
        "total reward negative, absolute score positive",
        _changes_punished,
        ("REW010",),
        says=("beta", "gamma"),
    ),
    Sign(
        MONITORING_GUIDE,
        "reward rises without better throughput",
        _no_better_service,
        ("REW002",),
        settings=RISING,
        harm=RISING,
        says=("penalties",),
    ),
    Sign(
        MONITORING_GUIDE,
        "reward spikes without better throughput",
        _reward_spikes,
        ("REW002",),
        settings=FLAT,
        harm=FLAT,
        says=("penalties",),
    ),
    Sign(
        GLOSSARY,
        "evaluation stalls but reward rises",
        _evaluation_stalls,
        ("EVAL002",),
        settings=RISING,
        harm=RISING,
    ),
    Sign(
        GLOSSARY,
        "evaluation stalls, reward rises, length and aborts change",
        _evaluation_stalls_and_length_changes,
        ("EVAL002", "LEN003"),
        settings=RISING,
        harm=RISING,
        says=("response_length/mean", "response/aborted_ratio"),
    ),
    Sign(
        GLOSSARY,
        "validation accuracy falls",
        _validation_falls,
        ("EVAL001",),
        settings=RISING,
        harm=RISING,
    ),
    Sign(
        GLOSSARY,
        "reward model accurate, policy gains reward only",
        _judge_good_policy_not,
        ("RM003",),
        settings=RISING,
        harm=RISING,
    ),
    Sign(
        GLOSSARY,
        "reward model accurate, policy does not improve",
        _judge_good_nothing_moves,
        ("RM003",),
        settings=FLAT,
    ),
    Sign(GLOSSARY, "scores jump between versions", _another_judge, ("RM005",), harm=("flat",)),
    Sign(
        TEACHER,
        "average reward below 0.7 and stuck",
        _stuck_below_target,
        ("REW005",),
        settings=("rising", "flat"),
        harm=("rising", "flat"),
    ),
    Sign(TEACHER, "average loss rises", _loss_rises, ("POL001",)),
    Sign(TEACHER, "reward variance above 0.01", _variance_high, ("REW007",)),
    Sign(
        TEACHER,
        "reward trend negative",
        _reward_trend_negative,
        ("REW008", "REW003"),
        settings=RISING,
        harm=RISING,
    ),
    Sign(
        TEACHER,
        "reward trend swings",
        _reward_trend_swings,
        ("REW008",),
        settings=("rising", "flat"),
        harm=FLAT,
    ),
    Sign(TEACHER, "loss trend negative", _loss_trend_negative, ("REW008",)),
)
