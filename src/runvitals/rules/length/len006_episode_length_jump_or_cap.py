import math

import numpy as np

from runvitals.rules.kit import (
    Detection,
    Hit,
    Limit,
    Patient,
    Series,
    constant,
    jumped,
    number,
    rule,
    stretch,
)
from runvitals.rules.known_tasks import task_of, titles_of

ONE_STEP = 1.5  # steps on average: most episodes end with their first action
CAPPED = 20  # points of exactly one length (judgement)
JUMP = 1.5  # times, up or down (judgement)
AT_ONCE = 0.8  # of the jump, within a few points: learning changes lengths by and by
MIN_NEAR, NEAR = 3, 0.025  # at least three points, or this share of all


@rule(
    "LEN006",
    needs=["outcome/episode_length_mean"],
    families=["control"],
    min_points=3,
    excused_by_outcome=True,
)
def episode_length_jump_or_cap(patient: Patient, *, cap: float | None = None) -> Hit | None:
    """Episodes hit a time limit that is too short, end at once, or abruptly change length.

    ## What it looks for
    The mean episode length. Any of these:

    - It is exactly the same for 20 points and less than half of the task's known limit (`cap`). This
      is a warning.
    - Episodes last one step (1.5 on average at most) in all of the later half of the run. This is a
      warning, unless the name of the task or of the run says that it is a bandit.
    - Its level jumps by a factor of 1.5 up or down, four fifths of that within a few points. This is
      a warning if the outcome is not doing well, otherwise a notice. A length that changes gradually
      is what learning looks like.

    ## Why it matters
    The agent cannot learn what happens after the limit, and treating truncation as termination
    teaches the critic a wrong value. A jump means that behaviour or environment changed.

    ## Usual causes
    1. Time limit too short, or truncation treated as termination.
    2. Behaviour changed, for better or worse.
    3. The reset is broken.
    4. The agent stalls, or ends episodes to avoid a penalty.

    ## What to try
    Check the environment's time limit. Watch an episode from each side of a jump. Bootstrap the
    value of truncated episodes.

    ## When to ignore it
    Episodes have a fixed length, or the jump comes with a better return.

    ## Sources
    Training Metrics and Telemetry (sudden jumps); SB3's tips on time limits; RLExplorer.
    """
    length = patient["outcome/episode_length_mean"]
    return _single_steps(patient, length) or _at_cap(patient, length, cap) or _jump(length)


def _single_steps(patient: Patient, length: Series) -> Hit | None:
    """Episodes that end with their first action, all along or for the later half of the run."""
    longer = np.flatnonzero((length.values > ONE_STEP) | (length.values <= 0))
    first = int(longer[-1]) + 1 if len(longer) else 0
    called = (str(patient.setting("env_id") or ""), *titles_of(patient.run))
    if 2 * first > len(length) or any("bandit" in name.lower() for name in called):
        return None
    since = "throughout" if first == 0 else f"from step {int(length.steps[first]):,} on"
    shown = number(float(length.values[first:].mean()), 2)
    return stretch(length, first).hit(
        f"episodes end after {shown} step{'' if shown == '1' else 's'} {since}",
        advice="check the reset and the end condition of the environment",
        causes=("the environment ends at once", "broken reset", "a done flag that is always set"),
        beyond_excuse=True,
    )


def _at_cap(patient: Patient, length: Series, cap: float | None) -> Hit | None:
    task, found = task_of(patient), constant(length, CAPPED)
    most = cap if cap is not None else math.inf if task is None else task.limit
    if found is None or not math.isfinite(most) or not 0 < found.level < most / 2:
        return None
    return Hit(
        series=length.name,
        span=found.span,
        message=f"every episode ends after exactly {found.level:g} steps; the task allows {most:g}",
        advice="raise the time limit of the environment, and bootstrap at truncation",
        causes=("time limit too short", "truncation treated as termination"),
        limit=Limit(most, "the task's own time limit"),
        beyond_excuse=True,
    )


def _jump(length: Series) -> Hit | None:
    found = jumped(length, JUMP) or jumped(length, 1 / JUMP)
    if found is None or not _is_sudden(length, found):
        return None
    return found.hit(
        f"episode length jumped from {number(found.before, 3)} to {number(found.level, 3)} steps "
        f"at step {found.step:,}",
        advice="watch an episode from each side of the jump",
        causes=("behaviour changed", "environment changed"),
    )


def _is_sudden(length: Series, jump: Detection) -> bool:
    """Whether most of a jump lies between the few points before it and the few after it."""
    near = max(MIN_NEAR, int(NEAR * len(length)))
    before = float(np.median(length.values[max(0, jump.first - near) : jump.first]))
    after = float(np.median(length.values[jump.first : jump.first + near]))
    return math.log(after / before) / math.log(jump.times) >= AT_ONCE
