"""REW014."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.rules.reward_parts import ASIDE, GOAL, name_of, parts_of

MIN_POINTS = 5
MIN_SHARE = 0.2  # of the plan: a part that is hard to get may come later
# what is counted against the policy; none of it is as it should be
AGAINST = re.compile(r"penal|punish|cost|violat|collision|fail|crash|error|invalid", re.IGNORECASE)


@rule(
    "REW014",
    "reward-part-constant",
    severity="warning",
    verdict="not learning",
    needs=["reward/component_mean|reward/score_mean|reward/mean"],
    families=["rl"],
)
def reward_part_constant(patient: Patient) -> Iterator[Hit]:
    """One of several parts of the reward never changes.

    ## What it looks for
    A part of the reward that has exactly one value at all of its points (at least five), while
    another part or the total moves.

    - It is a warning for language models whose outcome is not doing well.
    - It is a warning whatever the outcome does if the part is the goal and pays exactly 0: a good
      reward is then made of other things. A part is the goal if its name mentions correct answers
      or success and no part that moves does, or if all parts that move are about form (format,
      length, tags and the like) and this one is not. Something held out that does well excuses it.
    - Elsewhere it is a notice, since tools for control also log terms with a weight of 0.
    - A part that always pays the full mark of 1 is a notice: it has nothing to teach but does no
      harm.
    - A penalty that is always exactly 0 is ignored: it never applied.

    ## Why it matters
    A part that never changes teaches nothing. Usually its code never runs, its pattern never
    matches, or it reads the wrong field, and the policy is trained on the other parts alone.

    ## Usual causes
    1. A pattern or tag that no answer can match.
    2. An error that is caught and turned into a default.
    3. A field with another name in this data set.
    4. A weight or placeholder logged in place of a score.

    ## What to try
    Call this part on an answer that should score, and on one that should not.

    ## When to ignore it
    A part that is switched off on purpose.

    ## Sources
    TRL and Unsloth logs with format rewards that are 0 throughout; NeMo-RL on GDPO.
    """
    found = parts_of(patient, MIN_POINTS)
    every = [part.series for part in found]
    parts = [part for part in every if not _is_fine(part)]
    dead = [part for part in parts if float(np.ptp(part.values)) == 0]
    if not dead or len(every) < 2 or not far_enough(patient, MIN_SHARE):
        return
    total = patient.find(*PAID)
    moving = [part for part in every if float(np.ptp(part.values)) > 0]
    if not moving and (total is None or float(np.ptp(total.values)) == 0):
        return  # nothing moves: no signal at all, and REW004 says so
    worst = max(dead, key=lambda part: (part.last != 1.0, len(part)))
    severity: Severity | None = None
    counted = {part.name for part in found if part.weight != 0}
    goals = [part for part in dead if name_of(part) in counted and _is_unpaid_goal(part, moving)]
    beyond_excuse = bool(goals) and not _does_well_held_out(patient)
    if beyond_excuse:
        worst = max(goals, key=len)
    excused = not (patient.health.struggles or beyond_excuse)
    if worst.last == 1.0 or patient.kind != "llm-rl" or excused:
        severity = "notice"
    more = f"{len(dead) - 1} other part{'' if len(dead) == 2 else 's'}"
    others = f"; {more} never change{'s' if len(dead) == 2 else ''} either" if len(dead) > 1 else ""
    yield Hit(
        series=worst.name,
        span=worst.span(),
        message=f"{name_of(worst)} is exactly {worst.last:g} at all {len(worst):,} points{others}",
        advice="call this part of the reward on an answer that should score",
        severity=severity,
        causes=(
            "its code never runs, or its pattern never matches",
            "a placeholder or a weight logged in its place",
        ),
        also=tuple(part.name for part in dead if part is not worst),
    )


def _is_unpaid_goal(part: Series, moving: list[Series]) -> bool:
    """Whether it never pays and is what the run is for, while parts that are not do pay."""
    if not moving or float(np.abs(part.values).max()) > 0 or ASIDE.search(name_of(part)):
        return False
    if any(GOAL.search(name_of(other)) for other in moving):
        return False
    form_only = all(ASIDE.search(name_of(other)) for other in moving)
    return form_only or GOAL.search(name_of(part)) is not None


def _does_well_held_out(patient: Patient) -> bool:
    outcome = patient.outcome
    return outcome is not None and outcome.held_out and patient.health.good


def _is_fine(part: Series) -> bool:
    """Whether it counts what should not happen, and it never does."""
    return part.last == 0 and AGAINST.search(name_of(part)) is not None
