"""How each sign goes, for `varied_cases`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.signs.varied_logs import Log

Play = Callable[[Log], None]
IN_BATCH = 200  # samples that a histogram is made of


def times(name: str, mild: float, strong: float, until: float = 1.0) -> Play:
    return lambda log: log.times(name, mild, strong, until)


def lies(*names: str, at: tuple[float, float], share: float = 0.08) -> Play:
    def go(log: Log) -> None:
        for name in names:
            log.lies(name, *at, share)

    return go


def drifts(name: str, mild: float, strong: float) -> Play:
    return lambda log: log.drifts(name, mild, strong)


def spikes(name: str, mild: float, strong: float, count: int = 4) -> Play:
    return lambda log: log.spikes(name, mild, strong, count)


def both(*plays: Play) -> Play:
    def go(log: Log) -> None:
        for one in plays:
            one(log)

    return go


def sinks(name: str, mild: float, strong: float) -> Play:
    """Falls to this share of its start within the first tenth of the run."""

    def go(log: Log) -> None:
        left = np.log(log.between(mild, strong))
        log.series[name] = log.about(
            log.series[name][:3].mean() * np.exp(log.ramp(0, left, 0.01, 0.1)), 0.06
        )

    return go


def third(name: str, mild: float, strong: float) -> Play:
    """Over a third of the run, from the onset on (0.6 at the latest)."""

    def go(log: Log) -> None:
        first = min(log.make.onset, 0.62)
        there = (log.t >= first) & (log.t <= first + 0.34)
        log.series[name] = np.where(there, log.between(mild, strong), 1.0) * log.series[name]

    return go


def return_up(start: float, end: float) -> Play:
    def go(log: Log) -> None:
        log.series["avg_return"] = log.ramp(-40, log.between(60, 250)) + log.noise(9)
        log.series["win_rate"] = np.clip(log.ramp(start, end) + log.noise(0.01), 0, 1)

    return go


def plateau(log: Log) -> None:
    """A win rate that rises in the first quarter, and stays far below its ceiling."""
    height = log.between(0.25, 0.65)
    log.series["win_rate"] = np.clip(
        0.05 + (height - 0.05) * np.minimum(1, log.t / 0.25) + log.noise(0.02), 0, 1
    )
    log.series["avg_return"] = -40 + 150 * np.minimum(1, log.t / 0.25) * height + log.noise(6)


def collapsed_entropy_plateau(log: Log) -> None:
    sinks("entropy", 0.15, 0.02)(log)
    plateau(log)


def losses_fall(log: Log) -> None:
    log.series["value_loss"] = log.about(log.ramp(22, log.between(9, 2)), 0.1)


def flat_loss(log: Log) -> None:
    log.series["policy_loss"] = log.noise(1e-7)
    log.series["approx_kl"] = np.abs(log.noise(1e-8))
    log.series["clip_fraction"] = np.zeros(log.n)


def huge(log: Log) -> None:
    log.series["value_loss"] = log.about(log.between(10, 1000) * 200**2, 0.15)


def slow(log: Log) -> None:
    for name in ("steps_per_second", "updates_per_second"):
        log.times(name, 0.6, 0.2)


def tails(name: str) -> Play:
    def go(log: Log) -> None:
        rows = log.rng.normal(size=(log.n, IN_BATCH))
        far = log.rng.random(rows.shape) < 0.03
        rows = np.where(far & log.sick[:, None], rows * log.between(12, 60), rows)
        log.samples[name] = rows

    return go


def skew(log: Log) -> None:
    rows = np.exp(log.between(1.0, 1.7) * log.rng.normal(size=(log.n, IN_BATCH)))
    log.samples["ppo/policy/advantages"] = rows - rows.mean(axis=1, keepdims=True)


def nan(log: Log) -> None:
    log.series["ppo/loss/value"] = np.where(log.sick, np.nan, log.series["ppo/loss/value"])


def apart(log: Log) -> None:
    far = log.ramp(0, log.between(18, 60), log.make.onset, 1)
    log.series["objective/logprobs"] = log.series["objective/ref_logprobs"] + far


def negative_total(log: Log) -> None:
    below = log.between(0.1, 1.0)
    log.series["delta_score"] = -(log.series["absolute_score"] + below) + log.noise(0.02)
    for name in ("reward", "reward_mean"):
        log.series[name] = log.series["absolute_score"] + log.series["delta_score"]


def reward_not_service(log: Log) -> None:
    for name in ("reward", "reward_mean", "absolute_score"):
        log.series[name] = log.ramp(0.25, 0.25 + log.between(0.3, 1.0)) + log.noise(0.02)
    log.series["throughput"] = 30 + log.noise(0.8)
    log.series["latency_mean"] = log.about(0.9, 0.04)


def pulses(log: Log) -> None:
    for name in ("reward", "reward_mean", "absolute_score"):
        log.series[name] = log.ramp(0.25, 0.85) + log.noise(0.02)
    every = max(8, log.n // 12)
    on = (np.arange(log.n) % every >= every - max(2, every // 5)).astype(float)
    log.series["temp_is_pulsing"] = on
    for name in ("current_temperature", "temp_current_temperature"):
        log.series[name] = np.where(on > 0, 2.5, 1.0) * log.about(1.0, 0.03)


def cold(log: Log) -> None:
    first = min(log.make.onset, 0.5)
    for name in ("current_temperature", "temp_current_temperature"):
        log.series[name] = np.maximum(0.5, log.ramp(1.1, 0.4, first, first + 0.15))
    log.series["entropy"] = log.about(
        1.35 * np.exp(log.ramp(0, np.log(log.between(0.3, 0.08)), first, first + 0.25)), 0.03
    )


def latency(log: Log) -> None:
    spiking = np.zeros(log.n, bool)
    for begin in (0.25, 0.45, 0.65, 0.85):
        spiking[int(begin * log.n) :][: max(2, log.n // 20)] = True
    log.series["latency_mean"] = np.where(spiking, log.between(3, 7), 1) * log.about(0.9, 0.05)
    log.series["temp_latency_pressure_ema"] = np.where(spiking, 0.9, 0.25) * log.about(1, 0.05)
    for name in ("current_temperature", "temp_current_temperature"):
        log.series[name] = np.where(spiking, 0.6, 1.1) * log.about(1, 0.03)


def penalised(log: Log) -> None:
    more = log.about(log.between(0.15, 0.5), 0.1)
    log.series["balance_penalty"] = np.where(log.sick, more, log.series["balance_penalty"])


def one_replica(log: Log) -> None:
    first = np.clip(log.between(0.65, 0.9) + log.noise(0.02), 0, 0.98)
    log.series["action_replica_0"] = first
    for replica in (1, 2, 3):
        log.series[f"action_replica_{replica}"] = (1 - first) / 3


def evaluation_stalls(after: float) -> Play:
    """The held-out score rises until then, and the reward goes on."""

    def go(log: Log) -> None:
        for name in ("critic/rewards/mean", "critic/score/mean"):
            log.series[name] = log.ramp(0.3, 0.95) + log.noise(0.02)
        rise = 0.0 if after == 0 else np.minimum(1, log.t / after)
        top = 0.3 + 0.65 * after
        log.series["val-core/gsm8k/acc/mean@1"] = 0.3 + (top - 0.3) * rise + log.noise(0.012)

    return go


def validation_falls(log: Log) -> None:
    top, end = max(0.3, min(log.make.onset, 0.8)), log.between(0.5, 0.2)
    log.series["val-core/gsm8k/acc/mean@1"] = np.clip(
        np.interp(log.t, [0, top, min(0.95, top + 0.2), 1], [0.3, 0.75, end, end])
        + log.noise(0.01),
        0,
        1,
    )


def joint_spike(log: Log) -> None:
    at = int(max(0.3, min(0.9, log.make.onset)) * log.n)
    log.series["actor/lr"] = np.full(log.n, 1e-6)
    log.series["actor/lr"][at:] *= 10
    for name, far in (("actor/ppo_kl", 0.4), ("actor/grad_norm", 9.0), ("actor/loss", 2.0)):
        log.series[name][[at + 1, min(at + 2, log.n - 1)]] = far


def flips(log: Log) -> None:
    side = np.where((np.arange(log.n) // max(11, log.n // 4)) % 2 == 0, 1.0, -1.0)
    log.series["critic/advantages/mean"] = log.between(0.3, 0.9) * side + log.noise(0.04)


def critic_never_falls(log: Log) -> None:
    log.series["critic/loss"] = log.about(0.4 * (1 + 0.5 * log.size * log.t), 0.1)


def share(name: str, mild: float, strong: float) -> Play:
    def go(log: Log) -> None:
        first = min(log.make.onset, 0.75)
        top = log.ramp(0, log.between(mild, strong), first, first + 0.1)
        log.series[name] = np.clip(top * log.about(1, 0.1), 0, 1)

    return go


def brief(log: Log) -> None:
    left = np.log(log.between(0.35, 0.08))
    first = min(log.make.onset, 0.6)
    log.series["response_length/mean"] *= np.exp(log.ramp(0, left, first, first + 0.3))
    for name in ("critic/rewards/mean", "critic/score/mean"):
        log.series[name] = log.ramp(0.3, 0.85) + log.noise(0.02)


def tools(log: Log) -> None:
    more = np.where(log.sick, log.between(8, 40), 0) * log.about(1, 0.06)
    for name in ("timing_s/agent_loop/tool_calls/mean", "timing_s/gen", "timing_s/step"):
        log.series[name] = log.series[name] + more


def slow_steps(log: Log) -> None:
    more = np.where(log.sick, log.between(70, 250), 0) * log.about(1, 0.04)
    for name in ("timing_s/gen", "timing_s/step"):
        log.series[name] = log.series[name] + more
    log.series["perf/throughput"] = 1500 * 80 / log.series["timing_s/step"]


def oom(percent: bool) -> Play:
    """Sequences grow, and with them the memory in use; or nothing says how much is used."""

    def go(log: Log) -> None:
        more = log.ramp(1, log.between(1.8, 3.5), min(log.make.onset, 0.6), 1)
        for name in ("global_seqlen/max", "response_length/max", "prompt_length/max"):
            log.series[name] = log.series[name] * more
        if percent:
            top = log.ramp(50, log.between(88, 97), min(log.make.onset, 0.6), 1)
            log.series["System/GPU_Memory_Percent"] = np.minimum(99.5, top * log.about(1, 0.01))

    return go


def another_judge(log: Log) -> None:
    log.series["rm/accuracy"] = np.clip(0.85 + log.noise(0.006), 0, 1)
    jump = np.where(log.sick, log.between(1.5, 6), 0)
    for name in ("rm/score_mean", "critic/score/mean", "critic/rewards/mean"):
        log.series[name] = log.outcome(0.3, 0.82, 0.04) + jump


def good_judge(log: Log) -> None:
    log.series["rm/accuracy"] = np.clip(log.between(0.82, 0.95) + log.noise(0.006), 0, 1)
    log.series["rm/reward_margin"] = log.about(1.5, 0.05)


def margins_only(log: Log) -> None:
    margin = log.about(log.ramp(0.05, log.between(2.5, 8)), 0.07)
    log.series |= {
        "rewards/margins": margin,
        "rewards/chosen": 0.3 * margin,
        "rewards/rejected": -0.7 * margin,
        "eval/rewards/margins": 0.25 + log.noise(0.03),
        "eval/rewards/accuracies": 0.58 + log.noise(0.012),
    }


def perfect_pairs(log: Log) -> None:
    log.series["rewards/accuracy"] = np.clip(
        log.ramp(0.52, 0.995, 0, 0.35) + log.noise(0.002), 0, 1
    )
    held_out = log.between(0.78, 0.6) + log.noise(0.012)
    log.series["eval/rewards/accuracies"] = held_out
    log.series["eval/rewards/margins"] = 0.4 + log.noise(0.03)


def pairs_stuck(log: Log) -> None:
    log.series["loss/dpo"] = 0.693 + log.noise(0.006)
    log.series["rewards/accuracy"] = np.clip(0.5 + log.noise(0.02), 0, 1)
    for name in ("rewards/margins", "rewards/chosen", "rewards/rejected", "eval/rewards/margins"):
        log.series[name] = log.noise(0.006)
    log.series["eval/rewards/accuracies"] = 0.5 + log.noise(0.012)


def margin_gone(log: Log) -> None:
    begin = max(0.3, min(log.make.onset, 0.7))
    knots, end = [0, begin, begin + 0.15, 1], log.between(0.05, 0.005)
    log.series["rm/reward_margin"] = np.interp(log.t, knots, [0.05, 1.2, end, end]) * log.about(
        1, 0.05
    )
    for name in ("rm/accuracy", "eval/rm/accuracy"):
        log.series[name] = np.interp(log.t, knots, [0.5, 0.8, 0.52, 0.52]) + log.noise(0.01)


def judge_overfits(log: Log) -> None:
    top, held_out = log.between(0.92, 0.99), log.between(0.68, 0.56)
    log.series["rm/accuracy"] = 0.5 + (top - 0.5) * (1 - np.exp(-6 * log.t)) + log.noise(0.006)
    log.series["eval/rm/accuracy"] = 0.5 + (held_out - 0.5) * (1 - np.exp(-8 * log.t))
    log.series["eval/rm/accuracy"] += log.noise(0.01)


def kl_owns(log: Log) -> None:
    penalty = log.about(log.ramp(0.05, log.between(2, 8), 0.05, 0.35), 0.1)
    log.series["Train/KLPenalty"] = penalty
    log.series["Train/Loss"] = log.series["Train/PolicyLoss"] + penalty


def teacher_reward(log: Log, reward: np.ndarray) -> None:
    log.series["Epoch/AvgReward"] = np.clip(reward, 0, 1)
    log.series["Train/AvgReward"] = np.clip(reward + log.noise(0.015), 0, 1)
    log.series["Epoch/RewardTrend"] = np.diff(reward, prepend=reward[0])


def below_target(log: Log) -> None:
    height = log.between(0.45, 0.6)
    teacher_reward(log, 0.35 + (height - 0.35) * np.minimum(1, log.t / 0.3) + log.noise(0.01))


def swings(log: Log) -> None:
    swing = log.between(0.08, 0.25) * np.sin(np.arange(log.n) * 2 * np.pi / 9)
    teacher_reward(log, log.outcome(0.35, 0.7, 0.02) + swing)


def falling_rewards(log: Log) -> None:
    top = max(0.3, min(log.make.onset, 0.7))
    teacher_reward(
        log, np.interp(log.t, [0, top, 1], [0.35, 0.8, log.between(0.6, 0.35)]) + log.noise(0.006)
    )


def teacher_loss(log: Log, loss: np.ndarray) -> None:
    log.series["Epoch/AvgLoss"] = loss
    log.series["Epoch/LossTrend"] = -np.diff(loss, prepend=loss[0])
    log.series["Train/Loss"] = loss + log.noise(0.04)
    log.series["Train/PolicyLoss"] = loss + log.noise(0.04) - 0.05


def loss_turns(log: Log) -> None:
    top = max(0.3, min(log.make.onset, 0.7))
    teacher_loss(
        log, np.interp(log.t, [0, top, 1], [1.4, 0.5, log.between(1.0, 3)]) + log.noise(0.015)
    )


def loss_swings(log: Log) -> None:
    swing = log.between(0.25, 0.6) * np.sin(np.arange(log.n) * 2 * np.pi / 7)
    teacher_loss(log, 1.2 - 0.2 * (1 - np.exp(-4 * log.t)) + swing + log.noise(0.02))


def weights(log: Log) -> None:
    log.series["Scoring/Correctness"] = np.where(log.sick, log.between(0.4, 0.6), 0.3)
    log.series["Scoring/CodeQuality"] = np.where(log.sick, 0.1, 0.3)


def memory(log: Log) -> None:
    first = min(log.make.onset, 0.7)
    top = log.ramp(58, log.between(92, 98), first, first + 0.15)
    log.series["System/Memory_Percent"] = np.minimum(99.5, top + log.noise(0.3))
