"""KL003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.model.formatting import number
from runvitals.rules.kl._limits import MIN_TARGET, UPDATE_KL
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome.unmoved import NOT_MOVED, distance_if_unmoved, may_be_drift
from runvitals.rules.patient import Patient
from runvitals.rules.policy._updates import log_is_rounded, one_update_per_batch
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far

MIN_POINTS = 20  # judgement
MOST_OF_RUN = 0.8  # judgement: single updates may move
DEFAULT_LIMIT = 1e-4  # a third of the least of healthy classic control
OF_LEARNING_TEXT = 2e-5  # language models learn at 3e-5 and more (measured on veRL's logs)
HALF = 0.5  # of the updates, at exactly 0: then it is 0 by construction
OF_TARGET = 0.005  # of the target (judgement)


@rule(
    "KL003",
    "update-kl-near-zero",
    severity="warning",
    needs=[UPDATE_KL],
    families=["policy-gradient"],
)
def update_kl_near_zero(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """Updates hardly move the policy.

    ## What it looks for
    `policy/approx_kl` (or `policy/kl_old`) below the limit in four fifths of the run, with at least
    20 updates. The limit is a two-hundredth of the run's `target_kl`, or else 1e-4.

    - Warning: the outcome ends no better than it began.
    - Notice: the outcome improves, or none was logged. For language models the limit is then 2e-5.
    - Silent: each batch is used for only one update, so the KL is 0 by construction. If the log
      does not say so and the KL is exactly 0, it is a notice at most.

    Two more cases are warnings:

    - The run's `target_kl` is below 0.001, and the outcome is not doing well.
    - In control tasks, the outcome creeps up slightly, but after half of the plan all updates
      together have hardly moved the policy: the sum of the square roots of the KL is below 0.5.

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
    kl = patient.after_warm_up(patient[UPDATE_KL])
    if len(kl) < MIN_POINTS or patient.health.early:
        return
    struggles, nowhere = patient.health.struggles, patient.health.gets_nowhere
    if not struggles and limit is None and _creeps(patient) and (hit := _crawls(patient)):
        yield hit
        return
    target = patient.number("target_kl")
    if struggles and target is not None and 0 < target < MIN_TARGET and limit is None:
        yield _stopped_at_once(kl, target)
        return
    if log_is_rounded(patient):
        return
    if patient.health.solved:
        kl = _while_it_rose(patient, kl)
        if len(kl) < MIN_POINTS:
            return
    if one_update_per_batch(patient, if_unknown=False):
        return
    if struggles and not nowhere:
        if limit is None and (hit := _crawls(patient)) is not None:
            yield hit
        return
    yield from _near_zero(patient, kl, limit)


def _while_it_rose(patient: Patient, kl: Series) -> Series:
    """The updates before half of the way was made: a policy that can do all moves no more."""
    outcome = patient.outcome
    if outcome is None or not outcome.course.clearly_gained:
        return kl.part(0, 0)
    course = outcome.course
    at = int(np.argmax(course.curve >= course.start + HALF * course.height))
    step = int(outcome.series.steps[min(at, len(outcome.series) - 1)])
    return kl.part(0, int(np.searchsorted(kl.steps, step)))


def _near_zero(patient: Patient, kl: Series, limit: float | None) -> Iterator[Hit]:
    nowhere, text = patient.health.gets_nowhere, patient.kind == "llm-rl"
    bound = patient.limit(
        limit,
        setting="target_kl",
        times=OF_TARGET,
        otherwise=DEFAULT_LIMIT if nowhere or not text else OF_LEARNING_TEXT,
        why="far below what learning runs show",
    )
    below = np.abs(kl.values) < bound.value
    if below.mean() < MOST_OF_RUN:
        return
    by_construction = patient.kind != "on-policy" and float((kl.values == 0).mean()) > HALF
    if by_construction and not nowhere:
        return
    severity: Severity = "warning" if nowhere and not by_construction else "notice"
    middle = float(np.median(np.abs(kl.values)))
    yield Hit(
        series=kl.name,
        span=kl.span(),
        message=(
            f"policy KL below {bound.value:g} in {int(below.sum()):,} of {len(kl):,} updates, "
            f"median {number(middle, 2)}{', and the outcome is flat' if nowhere else so_far(patient)}"
        ),
        advice=(
            "check that advantages are not all near zero, "
            f"then raise the learning rate{rate_hint(patient)} or loosen the clip range"
        ),
        severity=severity,
        causes=("each batch is used for only one update, so the KL is 0 by construction",)
        * by_construction
        + (
            "learning rate too small",
            "clip range or gradient clipping too tight",
            "advantages near zero",
        ),
        limit=bound,
    )


def _creeps(patient: Patient) -> bool:
    """Whether what the outcome has gained is small beside its size: that may be chance or drift."""
    outcome = patient.outcome
    if outcome is None or not patient.health.good or patient.health.solved:
        return False
    return may_be_drift(outcome.course)


def _crawls(patient: Patient) -> Hit | None:
    """A policy that all its updates together have hardly moved."""
    kl, moved = patient[UPDATE_KL], distance_if_unmoved(patient)
    if moved is None:
        return None
    return Hit(
        series=kl.name,
        span=kl.span(),
        message=(
            f"the policy has hardly moved: median KL {number(np.median(np.abs(kl.values)), 2)}, "
            f"a total distance of at most {number(moved, 2)} in {len(kl):,} updates"
        ),
        advice=(
            "find out what holds the updates back: clip range, gradient clipping or reward scale; "
            f"then raise the learning rate{rate_hint(patient)}"
        ),
        causes=(
            "clip range or gradient clipping too tight",
            "rewards too large: the critic takes the whole gradient",
            "learning rate too small",
        ),
        limit=Limit(NOT_MOVED, "policies that learn from scratch move ten times as far"),
    )


def _stopped_at_once(kl: Series, target: float) -> Hit:
    middle = float(np.median(np.abs(kl.values)))
    return Hit(
        series=kl.name,
        span=kl.span(),
        message=(
            f"target KL of {target:g} stops each update immediately: median KL {number(middle, 2)}, "
            "and the outcome is not doing well"
        ),
        advice=f"raise target_kl (this run: {target:g}); 0.01 to 0.03 is usual",
        causes=("target KL so small that it stops every update", "learning rate too small"),
        limit=Limit(target, f"this run's target_kl {target:g}", from_run=True),
    )
