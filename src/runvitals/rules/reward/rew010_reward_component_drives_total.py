"""REW010."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.model.formatting import short_number
from runvitals.rules.outcome.roles import PAID
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough
from runvitals.rules.reward_parts import ASIDE, GOAL, SOLVED, Part, follows, movers, parts_of
from runvitals.signals.crossing import lasting, sustained_above
from runvitals.signals.pairs import aligned
from runvitals.signals.trend import trend

MIN_POINTS = 20  # judgement
MIN_PROGRESS = 0.4  # of the plan: easy parts are learned first (judgement)
DRIVES = 0.6  # of the movement of the total: more than all other parts together
IS_TOTAL = 0.95  # rank correlation of the total with a part that it hardly differs from
AS_MUCH = 0.75  # of what the driver can pay: a part worth less than that is not a goal by itself
BOTH = 0.5  # between no and yes
LAST = 10  # updates: one of them still is below 0
NEARLY_ALL = 0.8  # of the late updates (judgement)
INDEPENDENT = ("eval/success_rate", "eval/score_mean", "eval/mean_at_n", "outcome/success_rate")


@rule(
    "REW010",
    "reward-component-drives-total",
    severity="warning",
    verdict="not learning",
    needs=["reward/component_mean|reward/score_mean|reward/mean"],
    families=["rl"],
)
def reward_component_drives_total(patient: Patient, *, main: str | None = None) -> Iterator[Hit]:
    """One part of the reward rises, while another that is worth as much stands still.

    ## What it looks for
    Parts of the reward over at least 20 points, judged by what they do and not by their names.

    **One part drives the total.** A part clearly rose and accounts for 60% of what moves the total.
    Another part that could pay as much pays less than a tenth of that and gained nothing. If you
    name that other part with `main`, or its name mentions correct answers, success or an absolute
    score, it counts whenever it stands still below 85%. The rule is silent if something measured
    beside the reward (a success rate, a held-out score) rises, or if the rising part is the goal by
    its name. A part that swings around zero can pay at most what it has paid so far.

    **The goal does not count.** A part named as the goal, or `main`, has a logged weight of exactly
    0. It is a notice if the part is near its maximum anyway.

    **Changes are punished too hard.** The total is below zero while the absolute score is above
    zero in 8 of 10 points.

    **Parts conflict** (a notice). A part that pays, and has room to pay more, falls while the total
    rises. Either the parts pull against each other, or that one has the wrong sign.

    ## Why it matters
    The easy term is learned first, and may be all that is ever learned.

    ## Usual causes
    1. The weights of the parts.
    2. An easy part that is learned first.
    3. Double counting.

    ## What to try
    Lower the weight of the part that rises, or drop it once it is saturated. Normalise each part.
    Call the part that stands still on an answer that should score. Name the goal with `main`.

    ## When to ignore it
    Format is trained on purpose; a part is only logged.

    ## Sources
    Training Monitoring Guide (total negative, absolute score positive); TensorBoard Metrics
    Reference (weights of the score); NeMo-RL on GDPO; an Open-R1 thread with format up and accuracy
    at 0.
    """
    parts = parts_of(patient, MIN_POINTS)
    total = patient.find(*PAID)
    if not parts or not far_enough(patient, MIN_PROGRESS):
        return
    driven = _uncounted(parts, main) if patient.all("reward/component_weight") else None
    if driven is None and total is not None:
        driven = _driven(patient, parts, total, main)
    if driven is not None:
        yield driven
    elif total is not None:
        hit = _punished(patient, parts, total) or _given_up(parts, total)
        if hit is not None:
            yield hit


def _is_goal(part: Part, main: str | None) -> bool:
    """Whether it is the goal because the user says so, or else by its name."""
    return main in part.name if main else bool(GOAL.search(part.name))


def _uncounted(parts: list[Part], main: str | None) -> Hit | None:
    """The goal has a weight of exactly 0, others have not, and it is not learned all the same."""
    counted = any(part.weight for part in parts)
    for core in parts:
        if not _is_goal(core, main) or core.weight != 0.0 or not counted:
            continue
        return Hit(
            series=core.series.name,
            span=core.series.span(),
            message=f"{core.name} has a weight of 0 in the reward and ends at {short_number(core.now)}",
            advice=f"give {core.name} the largest weight, or stop calling it the goal",
            severity="notice" if core.now >= SOLVED * core.scale else None,
            causes=("weights of the parts",),
        )
    return None


def _driven(patient: Patient, parts: list[Part], total: Series, main: str | None) -> Hit | None:
    shares = movers(parts, total)
    if not shares:
        return None
    driver = max((part for part in parts if part.name in shares), key=lambda p: shares[p.name])
    left = _left_behind(parts, driver, main)
    close = follows(total, driver)
    drives = shares[driver.name] >= DRIVES or close >= IS_TOTAL
    if left is None or not driver.rose or not drives or close <= 0:
        return None
    if _is_goal(driver, main) or _does_well_beside(patient, parts):
        return None
    certain = _is_goal(left, main) and close >= IS_TOTAL and patient.finished
    return Hit(
        series=driver.series.name,
        span=driver.series.span(),
        message=f"{driver.name} rose from {short_number(driver.start)} to "
        f"{short_number(driver.now)} and drives the total (correlation {close:.2f}), while "
        f"{left.name} stays at {short_number(left.now)}",
        advice=f"lower the weight of {driver.name}, or drop it once it is saturated"
        + ("" if _is_goal(left, main) else f", if {left.name} is what you want"),
        severity="critical" if certain else None,
        causes=("badly balanced weights", "an easy part that is learned first"),
        also=(left.series.name, total.name),
    )


def _left_behind(parts: list[Part], driver: Part, main: str | None) -> Part | None:
    """The part that is not learned although it is the goal, or could pay as much as the driver."""
    others = [part for part in parts if part is not driver and not part.is_constant]
    goals = [part for part in others if _is_goal(part, main) and part.stands_still]
    unlearned = [
        part
        for part in others
        if part.hardly_pays
        and main is None
        and not ASIDE.search(part.name)
        and part.weight * part.scale >= AS_MUCH * driver.weight * driver.scale
    ]
    return max(goals or unlearned, key=lambda part: len(part.series), default=None)


def _does_well_beside(patient: Patient, parts: list[Part]) -> bool:
    """Whether something that is measured beside the reward rises, so that the reward does its work."""
    if patient.outcome is not None and patient.outcome.held_out and patient.health.good:
        return True
    beside = patient.find(*INDEPENDENT)
    if beside is None or any(beside.name == part.series.name for part in parts):
        return False
    return trend(beside.values).up


def _punished(patient: Patient, parts: list[Part], total: Series) -> Hit | None:
    absolute = [part.series for part in parts if "absolute" in part.name.lower()]
    if not absolute:
        return None
    steps, sums, scores = aligned(total, absolute[0])
    if len(steps) < MIN_POINTS:
        return None
    both = ((sums < 0) & (scores > 0)).astype(np.float64)
    stretch = lasting(sustained_above(both, BOTH), len(both), least=LAST)
    share = float(both[len(both) // 2 :].mean())
    if stretch is None or share < NEARLY_ALL:
        return None
    at = np.searchsorted(total.steps, steps[stretch.first])
    return Hit(
        series=total.name,
        span=total.span(int(at)),
        message=f"total reward is below 0 in {share:.0%} of the late updates, although the absolute "
        "score is above 0",
        advice=f"tune beta/gamma{_weights(patient)}: lower the weight of the change term",
        severity="notice" if patient.health.good else None,
        causes=("the change term punishes regressions too hard",),
        also=(absolute[0].name,),
    )


def _given_up(parts: list[Part], total: Series) -> Hit | None:
    """A part that pays, and is paid less and less while the total rises."""
    if not Part(total).gained:
        return None
    falling = [
        part for part in parts if part.fell and not ASIDE.search(part.name) and part.weight > 0
    ]
    if not falling:
        return None
    worst = max(falling, key=lambda part: part.weight * (part.start - part.now))
    return Hit(
        series=worst.series.name,
        span=worst.series.span(),
        message=f"{worst.name} fell from {short_number(worst.start)} to {short_number(worst.now)} "
        "while the total rose",
        advice=f"read answers that {worst.name} marks high and low: does it reward what you want?",
        severity="notice",
        causes=("parts that pull against each other", "a part with the wrong sign"),
        also=(total.name,),
    )


def _weights(patient: Patient) -> str:
    """What this run sets for the terms, if it says so."""
    known = (("beta", patient.number("reward_beta")), ("gamma", patient.number("reward_gamma")))
    told = [f"{name} {value:g}" for name, value in known if value is not None]
    return f" (this run: {', '.join(told)})" if told else ""
