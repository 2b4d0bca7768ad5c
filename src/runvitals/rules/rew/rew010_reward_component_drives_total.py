"""REW010."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import far_enough, span_of
from runvitals.rules.rew._parts import SIDE, is_main, late_level, name_of, parts_of
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned, rank_correlation

LEAST_POINTS = 40
SOLVED = 0.85  # of the most a part can be
NEVER = 0.02  # a share of right answers that is none
FOLLOWS, IS_TOTAL = 0.7, 0.95  # correlation with the total: of a known side term, of any other part


@rule(
    "REW010",
    "reward-component-drives-total",
    severity="warning",
    needs=["reward/component_mean|reward/score_mean|reward/mean"],
    families=["rl"],
)
def reward_component_drives_total(patient: Patient, *, main: str | None = None) -> Iterator[Hit]:
    """A side term of the reward is what rises, and the term that matters stands still.

    ## What it looks for
    Parts of the reward over at least 40 points: a side term (format, length, shaping and the like,
    or one that is nearly the total) that rose clearly and that the total follows, while the main
    term (accuracy, success; or `main`) never rose, or is right in less than 2 %, and is not near 1.
    A main term whose logged weight is exactly 0, unless it is near 1 all the same. Further a total
    below zero while the absolute score is above zero in 8 of 10 points: the term for changes
    punishes too hard.

    ## Why it matters
    The easy term is learned first, and may be all that is ever learned.

    ## Usual causes
    1. Weights of the parts.
    2. An easy part that is learned first.
    3. Double counting.

    ## What to try
    Lower the weight of the side term, or drop it once it is saturated; normalise each part.

    ## When to ignore it
    Training of a format on purpose.

    ## Sources
    Training Monitoring Guide (total negative, absolute score positive); TensorBoard Metrics
    Reference (weights of the score); NeMo-RL on GDPO; an Open-R1 thread with format up and accuracy
    0.
    """
    parts = parts_of(patient, LEAST_POINTS)
    total = patient.find("reward/score_mean", "reward/mean", "outcome/return_mean")
    if not parts or not far_enough(patient, 0.4):
        return
    driven = _uncounted(patient, parts, main) or _driven(patient, parts, total, main)
    if driven is not None:
        yield driven
    elif total is not None and (hit := _punished(patient, parts, total)) is not None:
        yield hit


def _uncounted(patient: Patient, parts: list[Series], main: str | None) -> Hit | None:
    """The main term has a weight of exactly 0, others have not, and it is not learned all the same."""
    weights = {name_of(s): float(s.values[-1]) for s in patient.all("reward/component_weight")}
    for core in parts:
        name = name_of(core)
        if not is_main(core, main) or weights.get(name) != 0.0 or not any(weights.values()):
            continue
        late = late_level(core)
        return Hit(
            series=core.name,
            span=span_of(core),
            message=f"{name} has a weight of 0 in the reward, and ends at {late:.3g}",
            advice=f"give {name} the largest weight, or stop calling it the goal",
            severity="notice" if late >= SOLVED * max(1.0, float(core.values.max())) else None,
            causes=("weights of the parts",),
        )
    return None


def _driven(
    patient: Patient, parts: list[Series], total: Series | None, main: str | None
) -> Hit | None:
    mains = [s for s in parts if is_main(s, main)]
    sides = [s for s in parts if s not in mains]
    if not mains or not sides or total is None:
        return None
    core = max(mains, key=len)
    way = course(core.values)
    full = late_level(core)
    stands = way.never_rose or (full <= NEVER and float(core.values.min()) >= 0)
    if not stands or full >= SOLVED * max(1.0, float(core.values.max())):
        return None
    if patient.outcome is not None and patient.outcome.held_out and patient.health.good:
        return None
    for side in sides:
        risen = course(side.values)
        _, sum_, piece = aligned(total, side)
        follows = rank_correlation(sum_, piece)
        least = FOLLOWS if SIDE.search(name_of(side)) else IS_TOTAL
        if risen.shape in ("rose", "high") and risen.is_clear_rise and follows >= least:
            return Hit(
                series=side.name,
                span=span_of(side),
                message=f"{name_of(side)} rose from {risen.start:.3g} to {risen.now:.3g} and drives"
                f" the total (correlation {follows:.2f}); {name_of(core)} stays at {full:.3g}",
                advice=f"lower the weight of {name_of(side)}, or drop it once it is saturated",
                severity="critical" if follows >= 0.9 and patient.finished else None,
                causes=("weights of the parts", "an easy part that is learned first"),
                also=(core.name, total.name),
            )
    return None


def _punished(patient: Patient, parts: list[Series], total: Series) -> Hit | None:
    absolute = [s for s in parts if "absolute" in name_of(s).lower()]
    if not absolute:
        return None
    steps, sums, scores = aligned(total, absolute[0])
    if len(steps) < 20:
        return None
    both = ((sums < 0) & (scores > 0)).astype(np.float64)
    stretches = sustained_above(both, 0.5)
    if not stretches or stretches[-1].last < len(both) - 10:
        return None
    share = float(both[len(both) // 2 :].mean())
    if share < 0.8:
        return None
    at = np.searchsorted(total.steps, steps[stretches[-1].first])
    return Hit(
        series=total.name,
        span=span_of(total, int(at)),
        message=f"total reward below 0 in {share:.0%} of the late updates, the absolute score above 0",
        advice="lower the weight of the term for changes",
        severity="notice" if patient.health.good else None,
        causes=("the term for changes punishes regressions too hard",),
        also=(absolute[0].name,),
    )
