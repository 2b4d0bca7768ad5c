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
ENTROPY_LEFT = 0.05  # of its start, while less than half of the later rise was made (judgement)
HALF_WAY = 0.5
ENTROPY_EARLY = 0.25  # of the run
ENTROPY_GONE, LOW_RATE = 0.01, 0.2  # of its start, while so few tries succeed (judgement): a policy
# that no longer tries anything cannot find what four in five tries still miss
