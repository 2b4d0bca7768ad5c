"""Signs of rewards, scores and what they hide."""

from __future__ import annotations

import numpy as np
from tests.signs.documents import FIRST_STEPS
from tests.signs.playing import Sign, Tape


def _return_up_wins_flat(tape: Tape, strength: str) -> None:
    gain = 120.0 if strength == "mild" else 400.0
    tape.series["avg_return"] = tape.ramp(20.0, 20.0 + gain) + tape.noise(8.0)
    tape.series["win_rate"] = np.clip(0.3 + tape.noise(0.03), 0.0, 1.0)


SIGNS = (
    Sign(
        FIRST_STEPS,
        "return goes up, win rate stays flat",
        _return_up_wins_flat,
        ("REW001",),
        settings=("rising",),
        harm=("rising",),
    ),
)
