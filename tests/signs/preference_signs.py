"""Signs of learning from pairs: DPO and its kin, and reward models."""

from __future__ import annotations

import numpy as np
from tests.signs.documents import PAIRS, REWARD_MODEL
from tests.signs.playing import Sign, Tape

from runvitals.model import FloatArray

RISING = ("rising",)


def every_tenth(tape: Tape, values: FloatArray) -> FloatArray:
    """What an evaluation every ten updates would log."""
    return np.where(np.arange(tape.updates) % 10 == 0, values, np.nan)


def _margins_grow_validation_does_not(tape: Tape, strength: str) -> None:
    """No accuracy in training is perfect yet; only the margins part."""
    top = 3.0 if strength == "mild" else 8.0
    margin = tape.around(tape.ramp(0.05, top), 0.08)
    tape.series["rewards/margins"] = margin
    tape.series["rewards/chosen"] = 0.3 * margin + tape.noise(0.05)
    tape.series["rewards/rejected"] = tape.series["rewards/chosen"] - margin
    tape.series["eval/rewards/margins"] = every_tenth(tape, 0.3 + tape.noise(0.03))
    tape.series["eval/rewards/accuracy"] = every_tenth(tape, 0.6 + tape.noise(0.01))


def _perfect_evaluation_flat(tape: Tape, strength: str) -> None:
    held_out = 0.8 if strength == "mild" else 0.62
    top = 0.992 if strength == "mild" else 1.0
    tape.series["rewards/accuracy"] = np.clip(
        tape.ramp(0.55, top, 0.0, 0.35) + tape.noise(0.003), 0.0, 1.0
    )
    tape.series["eval/rewards/accuracy"] = every_tenth(tape, held_out + tape.noise(0.01))
    tape.series["eval/rewards/margins"] = every_tenth(tape, 0.5 + tape.noise(0.03))


def _loss_stuck(tape: Tape, strength: str) -> None:
    wobble = 0.01 if strength == "mild" else 0.003
    tape.series["loss/dpo"] = 0.693 + tape.noise(wobble)
    tape.series["rewards/accuracy"] = np.clip(0.5 + tape.noise(0.02), 0.0, 1.0)
    for name in ("rewards/margins", "rewards/chosen", "rewards/rejected"):
        tape.series[name] = tape.noise(wobble)
    tape.series["eval/rewards/accuracy"] = every_tenth(tape, 0.5 + tape.noise(0.01))
    tape.series["eval/rewards/margins"] = every_tenth(tape, tape.noise(wobble))


def _judge_cannot_tell(tape: Tape, strength: str) -> None:
    """The margin comes, and goes to nothing."""
    end, begin = (0.05, 0.5) if strength == "mild" else (0.005, 0.3)
    margin = np.interp(tape.way, [0.0, begin, begin + 0.25, 1.0], [0.05, 1.6, end, end])
    tape.series["rm/reward_margin"] = margin + tape.noise(0.01)
    accuracy = np.interp(tape.way, [0.0, begin, begin + 0.25, 1.0], [0.5, 0.84, 0.52, 0.52])
    tape.series["rm/accuracy"] = np.clip(accuracy + tape.noise(0.01), 0.0, 1.0)
    tape.series["eval/rm/accuracy"] = every_tenth(tape, tape.series["rm/accuracy"])
    tape.series["rm/loss"] = tape.around(
        np.interp(tape.way, [0, begin, 1], [0.69, 0.4, 0.69]), 0.03
    )


def _margin_goes_accuracy_stays(tape: Tape, strength: str) -> None:
    end = 0.06 if strength == "mild" else 0.005
    margin = np.interp(tape.way, [0.0, 0.4, 0.75, 1.0], [0.05, 1.6, end, end])
    tape.series["rm/reward_margin"] = margin * np.exp(tape.noise(0.05))


def _margin_never_opens(tape: Tape, strength: str) -> None:
    level = 0.02 if strength == "mild" else 0.002
    tape.series["rm/reward_margin"] = np.abs(tape.noise(level))
    tape.series["rm/accuracy"] = np.clip(0.5 + tape.noise(0.01), 0.0, 1.0)
    tape.series["eval/rm/accuracy"] = every_tenth(tape, 0.5 + tape.noise(0.01))
    tape.series["rm/loss"] = 0.693 + tape.noise(0.004)


def _validation_does_not_follow(tape: Tape, strength: str) -> None:
    top, held_out = (0.93, 0.68) if strength == "mild" else (0.99, 0.58)
    tape.series["rm/accuracy"] = np.clip(
        0.5 + (top - 0.5) * (1 - np.exp(-6 * tape.way)) + tape.noise(0.008), 0.0, 1.0
    )
    tape.series["eval/rm/accuracy"] = every_tenth(
        tape, 0.5 + (held_out - 0.5) * (1 - np.exp(-8 * tape.way)) + tape.noise(0.008)
    )


def _gradient_explodes(tape: Tape, strength: str) -> None:
    size = 25.0 if strength == "mild" else 200.0
    at = tape.rng.choice(np.arange(60, 95), 4, replace=False)
    tape.series["rm/grad_norm"][at] *= size


SIGNS = tuple(
    Sign(document, name, play, codes, settings=RISING, harm=RISING if harm else ())
    for document, name, play, codes, harm in (
        (
            PAIRS,
            "margins grow but validation does not",
            _margins_grow_validation_does_not,
            ("DPO002",),
            True,
        ),
        (
            PAIRS,
            "accuracy 99 % and more, evaluation flat",
            _perfect_evaluation_flat,
            ("DPO002",),
            True,
        ),
        (PAIRS, "preference loss does not fall", _loss_stuck, ("DPO001",), True),
        (REWARD_MODEL, "margin goes to zero", _judge_cannot_tell, ("RM002",), True),
        (
            REWARD_MODEL,
            "margin goes to zero, accuracy stays",
            _margin_goes_accuracy_stays,
            ("RM002",),
            True,
        ),
        (REWARD_MODEL, "margin never opens", _margin_never_opens, ("RM001", "RM002"), True),
        (
            REWARD_MODEL,
            "validation accuracy does not follow",
            _validation_does_not_follow,
            ("RM004",),
            True,
        ),
        (REWARD_MODEL, "gradient norm spikes", _gradient_explodes, ("GRAD001",), False),
    )
)
