"""Signs of critics, advantages, gradients, temperature and the balance of load."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.signs.documents import FIRST_STEPS, GLOSSARY, MONITORING_GUIDE, RL_TABLE
from tests.signs.playing import SETTINGS, Sign, Tape

Play = Callable[[Tape, str], None]


# ways in which any series goes wrong


def jumps(name: str, mild: float, strong: float, onset: float = 0.5) -> Play:
    """To this many times its healthy level, from an onset on."""

    def play(tape: Tape, strength: str) -> None:
        factor = mild if strength == "mild" else strong
        tape.series[name] = tape.from_then(onset, tape.series[name], factor * tape.series[name])

    return play


def grows(name: str, mild: float, strong: float, first: float = 0.0) -> Play:
    """Steadily to this many times its start."""

    def play(tape: Tape, strength: str) -> None:
        factor = mild if strength == "mild" else strong
        start = float(tape.series[name][0])
        level = start * np.exp(tape.ramp(0.0, np.log(factor), first))
        tape.series[name] = tape.around(level)

    return play


def level(name: str, mild: float, strong: float, onset: float = 0.0, share: float = 0.1) -> Play:
    """At another level, from an onset on."""

    def play(tape: Tape, strength: str) -> None:
        there = tape.around(mild if strength == "mild" else strong, share)
        tape.series[name] = tape.from_then(onset, tape.series[name], there)

    return play


def spikes(name: str, factor: float, count: int, onset: float = 0.3) -> Play:
    """Single updates of this many times the healthy level; half the size if mild."""

    def play(tape: Tape, strength: str) -> None:
        size = factor / 2 if strength == "mild" else factor
        first = int(onset * tape.updates)
        at = tape.rng.choice(np.arange(first, tape.updates - 5), count, replace=False)
        tape.series[name] = tape.series[name].copy()
        tape.series[name][at] *= size

    return play


# "How to know that a model is learning"


def _before_the_fall(tape: Tape, strength: str) -> None:
    factor = 60.0 if strength == "mild" else 200.0
    tape.series["value_loss"] = tape.from_then(
        0.48, tape.series["value_loss"], factor * tape.series["value_loss"]
    )


def _huge(tape: Tape, strength: str) -> None:
    largest = float(np.abs(tape.series["avg_return"]).max())
    times = 40.0 if strength == "mild" else 2000.0
    tape.series["value_loss"] = tape.around(times * largest**2)


# "Training Monitoring Guide"


def _temperature(mild: float, strong: float, onset: float) -> Play:
    def play(tape: Tape, strength: str) -> None:
        there = mild if strength == "mild" else strong
        for name in ("current_temperature", "temp_current_temperature"):
            tape.series[name] = tape.from_then(onset, tape.series[name], tape.around(there, 0.04))

    return play


def _needless_pulses(tape: Tape, strength: str) -> None:
    every = 40 if strength == "mild" else 24
    for name in ("reward", "reward_mean"):
        tape.series[name] = tape.ramp(0.35, 0.9) + tape.noise(0.03)
    tape.series["absolute_score"] = tape.ramp(0.38, 0.93) + tape.noise(0.03)
    on = (np.arange(tape.updates) % every >= every - 6).astype(float)
    tape.series["temp_is_pulsing"] = on
    for name in ("current_temperature", "temp_current_temperature"):
        tape.series[name] = np.where(on > 0, 2.4, 1.0) * tape.around(1.0, 0.04)


def _penalty(tape: Tape, strength: str) -> None:
    level = 0.15 if strength == "mild" else 0.5
    more = tape.around(level, 0.1) - tape.series["balance_penalty"]
    tape.series["balance_penalty"] = tape.series["balance_penalty"] + more
    for name in ("reward", "reward_mean"):
        tape.series[name] = tape.series[name] - more


def _one_replica(tape: Tape, strength: str) -> None:
    most = 0.7 if strength == "mild" else 0.85
    first = np.clip(most + tape.noise(0.02), 0.0, 0.98)
    parts = [1 / 3 + tape.noise(0.02) for _ in range(2)]
    tape.series["action_replica_0"] = first
    for replica, part in enumerate([*parts, 1.0 - sum(parts)], start=1):
        tape.series[f"action_replica_{replica}"] = (1.0 - first) * part


def _too_cold(tape: Tape, strength: str) -> None:
    left = 0.35 if strength == "mild" else 0.1
    start = 0.35 if strength == "mild" else 0.2
    for name in ("current_temperature", "temp_current_temperature"):
        cooling = np.maximum(0.5, tape.ramp(1.0, 0.4, start, start + 0.2) * tape.around(1.0, 0.03))
        tape.series[name] = cooling
    falls = np.exp(tape.ramp(0.0, np.log(left), start, start + 0.3))
    tape.series["entropy"] = 1.3 * falls * tape.around(1.0, 0.03)
    tape.series["temp_qps_pressure_ema"] = tape.ramp(0.4, 0.95, start, start + 0.2) * tape.around(
        1.0, 0.04
    )


def _latency_suppresses(tape: Tape, strength: str) -> None:
    spiking = np.zeros(tape.updates, bool)
    for begin in (0.3, 0.5, 0.7, 0.85):
        at = int(begin * tape.updates)
        spiking[at : at + tape.updates // 20] = True
    high, cold = (3.0, 0.7) if strength == "mild" else (6.0, 0.52)
    tape.series["latency_mean"] = np.where(spiking, high, 1.0) * tape.series["latency_mean"]
    tape.series["temp_latency_pressure_ema"] = np.where(spiking, 0.9, 0.3) * tape.around(1.0, 0.06)
    for name in ("current_temperature", "temp_current_temperature"):
        tape.series[name] = np.where(spiking, cold, 1.0) * tape.around(1.0, 0.04)


# "Training Metrics Glossary"


def _critic_never_falls(tape: Tape, strength: str) -> None:
    if strength == "mild":
        tape.series["critic/loss"] = tape.around(0.3, 0.12)
    else:
        tape.series["critic/loss"] = tape.around(0.3 + 0.15 * tape.way, 0.12)


def _flips(tape: Tape, strength: str) -> None:
    size, every = (0.35, 70) if strength == "mild" else (0.8, 30)
    sign = np.where((np.arange(tape.updates) // every) % 2 == 0, 1.0, -1.0)
    tape.series["critic/advantages/mean"] = size * sign + tape.noise(0.05)


def _uneven(mild: float, strong: float) -> Play:
    def play(tape: Tape, strength: str) -> None:
        share = mild if strength == "mild" else strong
        tape.series["global_seqlen/minmax_diff"] = tape.around(share * 124000.0, 0.08)

    return play


FLAT = ("flat",)
VALUE_LOSS = (
    Sign(
        FIRST_STEPS,
        "value loss x200 shortly before a collapse",
        _before_the_fall,
        ("VAL001",),
        settings=("collapsing",),
    ),
    Sign(
        FIRST_STEPS,
        "value loss x200 without a collapse",
        jumps("value_loss", 60.0, 200.0, 0.6),
        ("VAL001",),
        settings=("rising", "flat"),
    ),
    Sign(
        FIRST_STEPS,
        "value loss rises all along at a flat return",
        grows("value_loss", 5.0, 40.0),
        ("VAL001",),
        settings=FLAT,
    ),
    Sign(FIRST_STEPS, "value loss huge", _huge, ("VAL001",)),
    Sign(RL_TABLE, "value error x40", jumps("ppo/val/error", 15.0, 40.0, 0.4), ("VAL001",)),
    Sign(
        RL_TABLE,
        "value loss spikes x200 in single updates",
        spikes("ppo/loss/value", 200.0, 5),
        ("VAL001",),
    ),
    Sign(GLOSSARY, "critic loss never falls", _critic_never_falls, ("VAL002", "VAL001")),
)
VALUES = (
    Sign(RL_TABLE, "value variance x1000", jumps("ppo/val/var", 100.0, 1000.0, 0.5), ("VAL004",)),
    Sign(RL_TABLE, "value variance goes to 0", jumps("ppo/val/var", 1e-3, 1e-6, 0.4), ("VAL004",)),
    Sign(
        RL_TABLE, "value clip fraction high", level("ppo/val/clipfrac", 0.35, 0.7, 0.3), ("VAL005",)
    ),
    Sign(
        RL_TABLE,
        "explained variance below 0.8 late",
        level("ppo/val/var_explained", 0.65, 0.4, 0.4, 0.05),
        ("VAL003",),
        vital="ppo/val/var_explained",
        harm=(),
    ),
    Sign(
        RL_TABLE,
        "explained variance near zero or negative",
        level("ppo/val/var_explained", 0.03, -0.7, 0.3, 0.1),
        ("VAL003", "VAL002"),
    ),
    Sign(
        RL_TABLE,
        "scale of the returns changes",
        jumps("ppo/returns/var", 25.0, 1000.0, 0.55),
        ("VAL007",),
    ),
    Sign(
        GLOSSARY,
        "mean value drifts to 30 times its level",
        grows("critic/value/mean", 30.0, 100.0, 0.2),
        ("VAL004",),
    ),
    Sign(
        GLOSSARY,
        "mean value jumps to 30 times its level",
        jumps("critic/value/mean", 15.0, 30.0, 0.6),
        ("VAL004",),
    ),
)
ADVANTAGES = (
    Sign(
        RL_TABLE,
        "advantages off centre",
        lambda tape, strength: tape.series.update(
            {"ppo/policy/advantages_mean": (0.6 if strength == "mild" else 3.0) + tape.noise(0.05)}
        ),
        ("ADV001",),
    ),
    Sign(
        GLOSSARY,
        "spread of the advantages x150",
        jumps("critic/advantages/std", 30.0, 150.0, 0.5),
        ("ADV002",),
    ),
    Sign(
        GLOSSARY,
        "spread of the advantages collapsed",
        jumps("critic/advantages/std", 0.03, 1e-4, 0.6),
        ("ADV001",),
    ),
    Sign(GLOSSARY, "mean of the advantages flips its sign", _flips, ("ADV001",)),
)
GRADIENTS = (
    Sign(
        MONITORING_GUIDE,
        "gradient norm at 4 x max_grad_norm",
        level("pg_grad_norm", 2.0, 4.0),
        ("GRAD002",),
    ),
    Sign(
        MONITORING_GUIDE,
        "gradient norm above max_grad_norm from half-time on",
        level("pg_grad_norm", 1.5, 4.0, 0.5),
        ("GRAD001", "GRAD002"),
    ),
    Sign(
        MONITORING_GUIDE,
        "sudden spikes of the gradient norm",
        spikes("pg_grad_norm", 24.0, 5),
        ("GRAD001",),
    ),
    Sign(
        GLOSSARY,
        "gradient norm 10 times its usual, for good",
        jumps("actor/grad_norm", 10.0, 40.0, 0.6),
        ("GRAD001", "GRAD004"),
    ),
    Sign(
        GLOSSARY,
        "gradient norm spikes to 10 times its usual",
        spikes("actor/grad_norm", 25.0, 4),
        ("GRAD001",),
    ),
)
SCHEDULER = (
    Sign(
        MONITORING_GUIDE,
        "temperature above 2 outside of pulses",
        _temperature(2.4, 4.0, 0.4),
        ("TEMP001",),
    ),
    Sign(
        MONITORING_GUIDE,
        "temperature below 0.5 outside of pulses",
        _temperature(0.4, 0.15, 0.5),
        ("TEMP001",),
    ),
    Sign(
        MONITORING_GUIDE,
        "pulses while the reward rises",
        _needless_pulses,
        ("TEMP002",),
        settings=("rising",),
        says=("wait longer",),
    ),
    Sign(
        MONITORING_GUIDE,
        "entropy collapse with the temperature at its minimum",
        _too_cold,
        ("TEMP003",),
        says=("qps_sensitivity", "min_temperature"),
    ),
    Sign(
        MONITORING_GUIDE,
        "latency spikes suppress the temperature",
        _latency_suppresses,
        ("TEMP003",),
        says=("latency",),
    ),
    Sign(
        MONITORING_GUIDE,
        "balance penalty persistently high",
        _penalty,
        ("LOAD003",),
        says=("raise load-balance penalties",),
    ),
    Sign(
        MONITORING_GUIDE,
        "one replica gets most of the work from the start",
        _one_replica,
        ("LOAD004",),
    ),
)
LOAD = (
    Sign(GLOSSARY, "token load of ranks uneven", _uneven(0.28, 0.4), ("LOAD001",), harm=()),
    Sign(
        GLOSSARY, "one rank has most of the tokens", _uneven(0.7, 1.6), ("LOAD001",), harm=SETTINGS
    ),
)
SIGNS = (*VALUE_LOSS, *VALUES, *ADVANTAGES, *GRADIENTS, *SCHEDULER, *LOAD)
