"""Levels at which a symptom is too bad for any outcome.

Low entropy is also what success looks like, so most rules on it stay silent while the outcome is good.
It has a level beyond which that no longer holds: the outcome was reached in spite of it, or is not
what it seems.
"""

from __future__ import annotations

ENTROPY_LEFT = 0.05  # of its start, while less than half of the later rise was made (judgement)
HALF_WAY = 0.5
ENTROPY_EARLY = 0.25  # of the run
ENTROPY_GONE, LOW_RATE = 0.01, 0.2  # of its start, while so few tries succeed (judgement): a policy
# that no longer tries anything cannot find what four in five tries still miss
