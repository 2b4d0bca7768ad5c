"""REW010."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import far_enough, span_of
from runvitals.signals.crossing import sustained_above
from runvitals.signals.pairs import aligned, rank_correlation

MAIN = re.compile(r"accura|correct|success|solve|answer|task|goal|exact|main|outcome|pass", re.I)
SIDE = re.compile(
    r"format|length|style|shap|bonus|penalt|xml|tag|think|soft|polite|brevity|repeti|speed|coin",
    re.I,
)
LEAST_POINTS = 40


@rule(
    "REW010",
    "reward-component-drives-total",
    severity="warning",
    needs=["reward/component_mean"],
    families=["rl"],
)
def reward_component_drives_total(patient: Patient, *, main: str | None = None) -> Iterator[Hit]:
    """A side term of the reward is what rises, and the term that matters stands still.

    ## What it looks for
    Parts of the reward over at least 40 points: a side term (format, length, shaping and the like)
    that rose clearly and that the total follows, while the main term (accuracy, success; or `main`)
    never rose and is not near 1. Further a total below zero while the absolute score is above zero
    in 8 of 10 points: the term for changes punishes too hard. And, as a notice, a part that was one
    constant for the whole run.

    ## Why it matters
    The easy term is learned first, and may be all that is ever learned.

    ## Usual causes
    1. Weights of the parts.
    2. An easy part that is learned first.
    3. Double counting.
    4. A part whose code never runs.

    ## What to try
    Lower the weight of the side term, or drop it once it is saturated; normalise each part.

    ## When to ignore it
    Training of a format on purpose.

    ## Sources
    Training Monitoring Guide (total negative, absolute score positive); TensorBoard Metrics
    Reference (weights of the score); NeMo-RL on GDPO; an Open-R1 thread with format up and accuracy
    0.
    """
    parts = [
        series for series in patient.all("reward/component_mean") if len(series) >= LEAST_POINTS
    ]
    total = patient.find("reward/score_mean", "reward/mean", "outcome/return_mean")
    if not parts or not far_enough(patient, 0.4):
        return
    driven = _driven(patient, parts, total, main)
    if driven is not None:
        yield driven
    elif total is not None and (hit := _punished(patient, parts, total)) is not None:
        yield hit
    else:
        dead = [s for s in parts if float(np.ptp(s.values)) == 0]
        if dead and len(dead) < len(parts):
            yield Hit(
                series=dead[0].name,
                span=span_of(dead[0]),
                message=f"exactly {dead[0].last:g} in all {len(dead[0])} points",
                advice="call it on an answer that should score, or leave it out",
                severity="notice",
                causes=("its code never runs, or its pattern never matches",),
                also=tuple(s.name for s in dead[1:]),
            )


def _name(series: Series) -> str:
    return series.labels.get("component", series.name)


def _driven(
    patient: Patient, parts: list[Series], total: Series | None, main: str | None
) -> Hit | None:
    mains = [s for s in parts if (main in _name(s) if main else bool(MAIN.search(_name(s))))]
    sides = [s for s in parts if SIDE.search(_name(s)) and s not in mains]
    if not mains or not sides or total is None:
        return None
    core = max(mains, key=len)
    way = course(core.values)
    full = float(np.median(core.values[-max(3, len(core) // 5) :]))
    if not way.never_rose or full >= 0.85 * max(1.0, float(core.values.max())):
        return None
    if patient.outcome is not None and patient.outcome.held_out and patient.does_well:
        return None
    for side in sides:
        risen = course(side.values)
        _, sum_, piece = aligned(total, side)
        follows = rank_correlation(sum_, piece)
        if risen.rose and risen.has_height(6.0) and risen.lost < 0.4 and follows >= 0.7:
            return Hit(
                series=side.name,
                span=span_of(side),
                message=f"{_name(side)} rose from {risen.start:.3g} to {risen.now:.3g} and drives"
                f" the total (correlation {follows:.2f}); {_name(core)} stays at {full:.3g}",
                advice=f"lower the weight of {_name(side)}, or drop it once it is saturated",
                severity="critical" if follows >= 0.9 and patient.finished else None,
                causes=("weights of the parts", "an easy part that is learned first"),
                also=(core.name, total.name),
            )
    return None


def _punished(patient: Patient, parts: list[Series], total: Series) -> Hit | None:
    absolute = [s for s in parts if "absolute" in _name(s).lower()]
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
        severity="notice" if patient.does_well else None,
        causes=("the term for changes punishes regressions too hard",),
        also=(absolute[0].name,),
    )
