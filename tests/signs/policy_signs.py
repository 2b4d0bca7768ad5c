"""Signs of the policy and its updates: KL, clipping, entropy, losses, ratios, and the learning rate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.signs.documents import FIRST_STEPS, GLOSSARY, MONITORING_GUIDE, RL_TABLE, TEACHER
from tests.signs.playing import Sign, Tape

Play = Callable[[Tape, str], None]
JUMPED_RATE = 12.0  # times what the learning rate was


def _level(
    name: str, mild: float, strong: float, *, since: float = 0.0, share: float = 0.2
) -> Play:
    """A series at another level, from a share of the run on."""

    def play(tape: Tape, strength: str) -> None:
        level = mild if strength == "mild" else strong
        there = tape.around(level, share)
        if "clip" in name:
            there = np.minimum(there, 1.0)
        tape.series[name] = tape.from_then(since, tape.series[name], there)

    return play


def _falls(name: str, mild: float, strong: float, *, by: float = 0.1) -> Play:
    """A series that falls to a low plateau within a share of the run."""

    def play(tape: Tape, strength: str) -> None:
        start = float(tape.series[name][:5].mean())
        level = mild if strength == "mild" else strong
        fall = np.exp(tape.ramp(np.log(start), np.log(level), 0.01, by))
        tape.series[name] = tape.around(fall, 0.08)

    return play


def _climbs(name: str, start: float, mild: float, strong: float, *, first: float = 0.1) -> Play:
    """A series that climbs to the end of the run."""

    def play(tape: Tape, strength: str) -> None:
        end = mild if strength == "mild" else strong
        tape.series[name] = tape.around(tape.ramp(start, end, first), 0.1)

    return play


def _spikes(name: str, mild: tuple[int, float], strong: tuple[int, float]) -> Play:
    """Single updates far off, just before the middle of the run, where a collapse begins."""

    def play(tape: Tape, strength: str) -> None:
        count, height = mild if strength == "mild" else strong
        at = np.linspace(0.44, 0.54, count + 2)[1:-1] * tape.updates
        for index in at.astype(int).tolist():
            tape.series[name][index] = height * np.exp(tape.rng.normal(0.0, 0.1))

    return play


def _explodes(name: str, mild: float, strong: float, *, since: float = 0.5) -> Play:
    """A loss of either sign whose size grows by such a factor, and stays."""

    def play(tape: Tape, strength: str) -> None:
        factor = mild if strength == "mild" else strong
        grown = np.exp(tape.ramp(0.0, np.log(factor), since, since + 0.15))
        tape.series[name] = tape.series[name] * grown

    return play


def _jumps(name: str, mild: float, strong: float) -> Play:
    """A loss that jumps for single updates to such multiples of its usual size."""

    def play(tape: Tape, strength: str) -> None:
        factor = mild if strength == "mild" else strong
        usual = float(np.median(np.abs(tape.series[name])))
        for share in (0.45, 0.47, 0.5, 0.53):
            tape.series[name][int(share * tape.updates)] = factor * usual

    return play


def _all(*plays: Play) -> Play:
    def play(tape: Tape, strength: str) -> None:
        for one in plays:
            one(tape, strength)

    return play


def _kl_penalty_grows(tape: Tape, strength: str) -> None:
    """The KL of the responses is charged, and outweighs the score."""
    penalty = 1.5 if strength == "mild" else 6.0
    tape.series["ppo/mean_non_score_reward"] = -tape.around(tape.ramp(0.05, penalty, 0.1, 0.4), 0.1)


def _log_probabilities_drift(tape: Tape, strength: str) -> None:
    apart = 20.0 if strength == "mild" else 55.0
    mine = tape.series["objective/ref_logprobs"] + tape.ramp(1.0, apart, 0.1) + tape.noise(0.5)
    tape.series["objective/logprobs"] = mine


def _kl_jumps_with_the_rate(tape: Tape, strength: str) -> None:
    """The rate jumps, and the KL for some updates after it."""
    at = int(0.48 * tape.updates)
    tape.series["actor/lr"][at : at + 12] *= JUMPED_RATE
    height = 0.3 if strength == "mild" else 0.9
    tape.series["actor/ppo_kl"][[at + 1, at + 6, at + 11]] = height


def _policy_breaks(tape: Tape, strength: str) -> None:
    """Entropy drops and clipping spikes right before the reward crashes."""
    low = 0.12 if strength == "mild" else 0.03
    entropy = tape.series["actor/entropy"]
    tape.series["actor/entropy"] = tape.from_then(0.5, entropy, tape.around(low, 0.1))
    tape.series["actor/pg_clipfrac"][int(0.5 * tape.updates) : int(0.54 * tape.updates)] = 0.45


def _kl_owns_the_loss(tape: Tape, strength: str) -> None:
    penalty = 2.0 if strength == "mild" else 8.0
    charged = tape.around(tape.ramp(0.05, penalty, 0.1, 0.4), 0.1)
    tape.series["Train/KLPenalty"] = charged
    tape.series["Train/Loss"] = tape.series["Train/PolicyLoss"] + charged
    tape.series["Epoch/AvgLoss"] = tape.series["Train/Loss"] + tape.noise(0.02)


_HARMFUL = ("flat", "collapsing")

_FIRST = (
    ("entropy collapses in the first tenth", _falls("entropy", 0.2, 0.04), ("ENT001",)),
    ("policy loss explodes", _explodes("policy_loss", 150.0, 4000.0), ("POL001",)),
    ("KL at 0.1 for long, no target", _level("approx_kl", 0.1, 0.25), ("KL001", "KL007")),
    ("KL spikes", _spikes("approx_kl", (3, 0.25), (6, 0.9)), ("KL002",)),
    ("clip fraction high", _level("clip_fraction", 0.4, 0.55, since=0.15), ("CLIP001",)),
)
_TABLE = (
    ("KL to the reference climbs", _climbs("objective/kl", 0.02, 0.6, 9.0), ("KL004", "KL007")),
    ("KL penalty dominates the reward", _kl_penalty_grows, ("KL006",)),
    (
        "ratio above 200 in single updates",
        _spikes("ppo/policy/ratio", (2, 350.0), (5, 4000.0)),
        ("POL003",),
    ),
    ("clip fraction above 0.2", _level("ppo/policy/clipfrac", 0.28, 0.45), ("CLIP001",)),
    ("policy KL above 0.05", _level("ppo/policy/approxkl", 0.08, 0.3), ("KL001", "KL007")),
    ("total loss x 100", _explodes("ppo/loss/total", 100.0, 2000.0), ("POL001",)),
    ("policy loss explodes", _explodes("ppo/loss/policy", 150.0, 4000.0), ("POL001",)),
    ("log-probabilities drift from the reference's", _log_probabilities_drift, ("KL004", "KL007")),
    ("entropy collapses early", _falls("ppo/policy/entropy", 0.2, 0.03), ("ENT001",)),
)
_GUIDE = (
    ("entropy below its floor", _falls("entropy", 0.4, 0.15, by=0.5), ("ENT002", "ENT001")),
    ("clip fraction above 0.3", _level("clipfrac", 0.37, 0.55), ("CLIP001",)),
)
_VERL = (
    ("KL spikes", _spikes("actor/ppo_kl", (3, 0.3), (4, 0.8)), ("KL002",)),
    ("KL high all along", _level("actor/ppo_kl", 0.1, 0.25), ("KL001", "KL007")),
    ("actor loss jumps", _jumps("actor/loss", 300.0, 1000.0), ("POL001",)),
    ("policy loss blows up and stays", _explodes("actor/pg_loss", 150.0, 4000.0), ("POL001",)),
    ("clip fraction high for long", _level("actor/pg_clipfrac", 0.35, 0.6), ("CLIP001",)),
    ("entropy collapses early", _falls("actor/entropy", 0.08, 0.02), ("ENT001",)),
)

SIGNS = (
    *(Sign(FIRST_STEPS, *one) for one in _FIRST),
    Sign(
        FIRST_STEPS,
        "KL too low",
        _level("approx_kl", 2e-5, 1e-6),
        ("KL003",),
        settings=("rising", "flat"),
        harm=("flat",),
    ),
    *(Sign(RL_TABLE, *one) for one in _TABLE),
    Sign(
        RL_TABLE,
        "KL to the reference beyond 0.1",
        _level("objective/kl", 0.4, 3.0, since=0.1),
        ("KL004", "KL007"),
        vital="objective/kl",
        settings=("rising",),
        harm=(),
    ),
    *(Sign(MONITORING_GUIDE, *one) for one in _GUIDE),
    Sign(
        MONITORING_GUIDE,
        "KL above its target",
        _level("approx_kl", 0.03, 0.06, since=0.2),
        ("KL001",),
        says=("increase kl_coef or reduce PPO epochs",),
    ),
    Sign(
        MONITORING_GUIDE,
        "clip fraction near zero and slow learning",
        _level("clipfrac", 0.004, 0.0005),
        ("CLIP002",),
        settings=("flat",),
        harm=("flat",),
        says=("learning rate", "decrease kl_coef"),
    ),
    Sign(
        MONITORING_GUIDE,
        "clip fraction below 0.1",
        _level("clipfrac", 0.04, 0.004),
        ("CLIP002",),
        vital="clipfrac",
        settings=("rising",),
        harm=(),
    ),
    Sign(
        MONITORING_GUIDE,
        "high KL and low reward",
        _level("approx_kl", 0.07, 0.3, since=0.3),
        ("KL007",),
        settings=_HARMFUL,
        says=("tighten KL or revisit reward weights",),
    ),
    *(Sign(GLOSSARY, *one) for one in _VERL),
    Sign(
        GLOSSARY,
        "KL near zero for long",
        _level("actor/ppo_kl", 1e-5, 1e-7),
        ("KL003",),
        settings=("rising", "flat"),
        harm=("flat",),
    ),
    Sign(
        GLOSSARY,
        "KL spikes, the learning rate is steady",
        _spikes("actor/ppo_kl", (3, 0.3), (4, 0.8)),
        ("KL002",),
        says=("actor/lr did not change",),
    ),
    Sign(
        GLOSSARY,
        "KL spikes when the learning rate jumps",
        _kl_jumps_with_the_rate,
        ("KL002", "LR001"),
        says=("actor/lr", "1.2e-05"),
    ),
    Sign(
        GLOSSARY,
        "reward crashes after entropy dropped and clipping spiked",
        _policy_breaks,
        ("REW003",),
        settings=("collapsing",),
        harm=("collapsing",),
        says=("actor/entropy", "actor/pg_clipfrac"),
    ),
    Sign(TEACHER, "KL penalty dominates the loss", _kl_owns_the_loss, ("KL006",)),
)
