import numpy as np

from runvitals.rules.kit import Hit, Limit, Patient, number, rule, stretch
from runvitals.rules.kl import MIN_TARGET, UPDATE_KL
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.policy import gain_may_be_drift, log_is_rounded, one_update_per_batch

MIN_UPDATES = 30  # before so short a way says something
NOT_MOVED = 0.5  # the root of a KL, all updates together; runs that learn move ten times as far

RAISE = "raise target_kl (this run: {:g}); 0.01 to 0.03 is usual"
ADVICE = (
    "check that advantages are not all near zero and what holds the updates back, "
    "then raise the learning rate{} or loosen the clip range"
)
CAUSES = (
    "learning rate too small",
    "clip range or gradient clipping too tight",
    "rewards too large: the critic takes the whole gradient",
    "advantages near zero",
)


@rule("KL003", needs=[UPDATE_KL], excused_by_outcome=True, min_points=20, verdict="not learning")
def update_kl_near_zero(patient: Patient, *, limit: float = 1e-4) -> Hit | None:
    """Updates hardly move the policy.

    ## What it looks for
    Any of these, with at least 20 updates:

    - `policy/approx_kl` (or `policy/kl_old`) below `limit` (1e-4) in four fifths of the run.
    - In control tasks, all updates together have hardly moved the policy: after 30 updates the sum
      of the square roots of the KL is below 0.5.
    - The run's `target_kl` is below 0.001, so that it stops each update at once.

    It is a warning if the outcome is not doing well, otherwise a notice. A policy that has hardly
    moved is also a warning while the outcome has gained less than a quarter of its size: that may
    be drift. It is silent if each batch is used for only one update, because the KL is then 0 by
    construction, and if the log keeps too few decimals.

    ## Why it matters
    A policy that does not move cannot learn, however long it runs. The curves look calm, so this is
    often noticed late.

    ## Usual causes
    1. Learning rate too small, or decayed to nothing.
    2. Clip range, KL target or gradient clipping too tight.
    3. Advantages near zero, so the policy gets no signal.
    4. The optimiser does not step.

    ## What to try
    Look at the advantages before you raise the learning rate. Check that gradients reach the
    policy, and how many updates each batch gets.

    ## When to ignore it
    The policy is already as good as it can get, so it no longer moves.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary. Measured: healthy
    runs of classic control are between 0.0003 and 0.02.
    """
    kl = patient[UPDATE_KL]
    sizes = np.abs(kl.values)
    always_zero = patient.kind != "on-policy" and float(np.median(sizes)) == 0
    if always_zero or one_update_per_batch(patient, if_unknown=False) or log_is_rounded(patient):
        return None
    target = patient.number("target_kl") or np.inf
    stopped = 0 < target < MIN_TARGET
    moved = float(np.sqrt(sizes).sum())
    unmoved = moved < NOT_MOVED and len(kl) >= MIN_UPDATES and patient.kind == "on-policy"
    below = sizes < limit
    if float(below.mean()) < 0.8 and not stopped and not unmoved:
        return None
    way = f", a total distance of at most {number(moved, 2)}" if unmoved else ""
    return stretch(kl).hit(
        f"updates hardly move the policy: KL below {limit:g} in {int(below.sum()):,} of "
        f"{len(kl):,}, median {number(float(np.median(sizes)), 2)}{way}",
        advice=RAISE.format(target) if stopped else ADVICE.format(rate_hint(patient)),
        causes=("target KL so small that it stops every update",) * stopped + CAUSES,
        limit=Limit(limit, "far below what learning runs show"),
        beyond_excuse=unmoved and gain_may_be_drift(patient),
    )
