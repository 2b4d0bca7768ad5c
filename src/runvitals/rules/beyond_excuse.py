"""Levels at which a symptom is too bad for any outcome.

Low entropy, clipping and drift are also what success looks like, so most rules on them stay silent
while the outcome is good. Each has a level beyond which that no longer holds: the outcome was reached
in spite of it, or is not what it seems.
"""

from __future__ import annotations

CLIP_FRACTION = 0.6  # most of what was sampled teaches nothing (three times the RL metrics table's)
KL_TIMES = 10.0  # times the limit of an update (judgement: known healthy runs end below 4 times)
REFERENCE_KL_TIMES = 10.0  # times the limit; Gao et al. 2022: by then the reward is over-optimised
IMPORTANCE_RATIO = 200.0  # RL metrics table: unstable above 200
