import numpy as np

from runvitals.rules.kit import Detection, Hit, Limit, Patient, Series, exceeds, number, rule
from runvitals.rules.kl import UPDATE_KL, far_beyond, update_limit
from runvitals.rules.learning_rate.used import rate_hint


@rule("KL001", needs=[UPDATE_KL], excused_by_outcome=True, min_points=20)
def update_kl_above_target(patient: Patient, *, limit: float | None = None) -> Hit | None:
    """The policy moves too far in one update, many updates in a row.

    ## What it looks for
    The level of `policy/approx_kl` (or `policy/kl_old`) is above the limit for a fifth of the run, or
    the mean over all updates is. The limit is a fifth above the run's `target_kl`. Without a target
    it is 0.05 for discrete actions and language models, and 0.15 for continuous actions.

    It is a warning if the outcome is not doing well, otherwise a notice. Ten times the limit is a
    warning whatever the outcome if it lasts for a fifth of the run, and critical if the outcome is
    not doing well.

    ## Why it matters
    A clipped objective is trustworthy only near the policy that collected the data. Far from it the
    gradient no longer points where the samples say, and reward often falls soon after.

    ## Usual causes
    1. Learning rate too high for the batch size.
    2. Too many epochs or minibatches per batch.
    3. KL coefficient too small.
    4. Stale rollouts.
    5. Batch too small.

    ## What to try
    Raise the KL coefficient or use fewer epochs first, then lower the learning rate. If the clip
    fraction is low at the same time, compare old and new log-probs of one batch before any update.

    ## When to ignore it
    The first updates after a warm start, and runs that penalise KL in the loss and are meant to
    move far. A run that stops each update at its target overshoots it by one step.

    ## Sources
    Training Monitoring Guide (target 0.02); RL metrics table (0.01 to 0.05); SB3 stops at 1.5 times
    the target, RLlib and rsl_rl push back at twice.
    """
    kl, bound = patient[UPDATE_KL], update_limit(patient, limit)
    if bound is None:
        return None
    found = exceeds(kl, bound) or _on_average(kl, bound)
    if found is None:
        return None
    far = exceeds(kl, far_beyond(bound)) is not None
    coefficient = patient.number("kl_coef")
    tighten = "use fewer epochs per batch"
    if coefficient is not None or patient.number("target_kl") is not None:
        known = "" if coefficient is None else f" (this run: kl_coef {coefficient:g})"
        tighten = f"increase kl_coef or reduce PPO epochs{known}"
    return found.hit(
        f"policy KL above {bound.value:g} in {found.count:,} updates since step {found.step:,}, "
        f"median {number(found.level, 3)}",
        advice=f"{tighten}, or lower the learning rate{rate_hint(patient)}",
        causes=("learning rate too high", "too many epochs per batch", "KL coefficient too small"),
        grave=far,
        beyond_excuse=far,
    )


def _on_average(kl: Series, bound: Limit) -> Detection | None:
    """A few updates so far off that the mean of all is above the limit; the others may be dead."""
    rows = np.flatnonzero(kl.values > bound.value)
    if float(kl.values.mean()) <= bound.value or len(rows) < 3:
        return None
    level = float(np.median(kl.values[rows]))
    return Detection(kl, int(rows[0]), int(rows[-1]), level, limit=bound, count=len(rows))
