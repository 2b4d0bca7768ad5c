import re

import numpy as np

from runvitals.rules.kit import Hit, Patient, rule, stretch
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.reward import far_enough
from runvitals.rules.reward_parts import ASIDE, GOAL, RewardPart, parts_of

# what is counted against the policy; none of it is as it should be
AGAINST = re.compile(r"penal|punish|cost|violat|collision|fail|crash|error|invalid", re.IGNORECASE)

CAUSES = (
    "its code never runs, or its pattern never matches",
    "a placeholder or a weight logged in its place",
)


@rule(
    "REW014",
    verdict="not learning",
    needs=["reward/component_mean|reward/score_mean|reward/mean"],
    families=["llm-rl"],
    fact=True,
)
def reward_part_constant(patient: Patient) -> Hit | None:
    """One of several parts of the reward never changes.

    ## What it looks for
    For language models, a part of the reward that has exactly one value at all of its points (at
    least five), while another part or the total moves, and

    - the outcome is not doing well (a likely gain will do if one of the parts is learned), or
    - the part is below 0: every answer is marked down, or
    - the part is the goal and pays exactly 0: a good reward is then made of other things. A part is
      the goal if its name mentions correct answers or success and no part that moves does, or if all
      parts that move are about form (format, length, tags and the like) and this one is not.
      Something held out that does well excuses it.

    A part that always pays the full mark of 1 has nothing to teach but does no harm, and a penalty
    that is always exactly 0 never applied.

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
    parts, total = parts_of(patient, 5), patient.find(*PAID)
    moving = [part for part in parts if not part.is_constant]
    dead = [part for part in parts if part.is_constant and not _is_fine(part)]
    moves = bool(moving) or (total is not None and float(np.ptp(total.values)) > 0)
    if not dead or len(parts) < 2 or not moves or patient.kind != "llm-rl":
        return None
    outcome = patient.outcome
    does_well = outcome is not None and outcome.role.held_out and patient.health.good
    grave = [part for part in dead if part.series.last < 0 or _is_unpaid_goal(part, moving)]
    learned = any(part.course.good for part in moving)
    troubled = patient.health.struggles or (patient.health.leans_up and not learned)
    if not troubled and (not grave or does_well or not far_enough(patient)):
        return None
    worst = max(grave or dead, key=lambda part: len(part.series))
    value, points = worst.series.last, len(worst.series)
    others = [part for part in dead if part is not worst]
    too = f"; also constant: {', '.join(part.name for part in others)}" if others else ""
    return stretch(worst.series).hit(
        f"{worst.name} is exactly {value:g} at all {points:,} points{too}",
        advice="call this part of the reward on an answer that should score",
        causes=CAUSES,
        also=tuple(part.series.name for part in others),
    )


def _is_fine(part: RewardPart) -> bool:
    """Whether it always pays in full, or counts what should not happen, and it never does."""
    never_applied = part.series.last == 0 and AGAINST.search(part.name) is not None
    return part.series.last == 1.0 or never_applied


def _is_unpaid_goal(part: RewardPart, moving: list[RewardPart]) -> bool:
    """Whether it never pays and is what the run is for, while parts that are not do pay."""
    if not moving or part.series.last != 0 or ASIDE.search(part.name):
        return False
    if any(GOAL.search(other.name) for other in moving):
        return False
    form_only = all(ASIDE.search(other.name) for other in moving)
    return form_only or GOAL.search(part.name) is not None
