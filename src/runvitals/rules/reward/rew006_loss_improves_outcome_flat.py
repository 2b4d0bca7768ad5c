"""REW006."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series
from runvitals.model.formatting import short_number
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.reward._kit import far_enough, is_task
from runvitals.signals.flat import is_flat
from runvitals.signals.late import QUARTER, early_median, late_median
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
FULL = 0.9  # of the ceiling (judgement)
HALVED, HALF_DONE = 0.5, 0.5  # of the loss; of the plan
WITHIN = 0.1  # points by which the level of a share may wander and still stand (judgement)
LOSSES = "preference/loss|rm/loss|lm/loss|optim/loss"
OF_TRYING = "policy/loss_total|optim/loss|value/loss|policy/loss"


@rule(
    "REW006",
    "loss-improves-outcome-flat",
    severity="notice",
    needs=[f"{LOSSES}|{OF_TRYING}", "outcome"],
    families=["supervised", "rl"],
)
def loss_improves_outcome_flat(patient: Patient, *, fall: float = 0.3) -> Iterator[Hit]:
    """The training loss falls, but the outcome does not follow.

    ## What it looks for
    A training loss that has fallen by 30% (`fall`) and clearly beyond its noise, while the outcome
    stands still:

    - **Supervised training**: a held-out accuracy, or a score of what the model writes, never rose
      in at least 12 points, stays within 0.1, and is below 90% of its ceiling.
    - **Reinforcement learning**: the loss of the policy or critic falls, and the return, success or
      reward never rose.

    It is a warning once half of the plan is done and, for held-out data, the loss has halved.
    Otherwise it is a notice.

    ## Why it matters
    The loss is only a means. That it falls proves nothing about the goal.

    ## Usual causes
    1. The objective is not the goal.
    2. The model overfits.
    3. The evaluation is broken, or looks at the wrong split.

    ## What to try
    Run the evaluation on a model that is known to be good. Then stop earlier or change the data.

    ## When to ignore it
    An evaluation of something the training is not meant to change.

    ## Sources
    Training Metrics and Telemetry (one number that goes down is not enough).
    """
    by_trying = patient.is_any_of(["rl"]) and is_task(patient)
    loss = patient.find(*(OF_TRYING if by_trying else LOSSES).split("|"))
    if loss is None or len(loss) < MIN_POINTS:
        return
    early, late = early_median(loss.values, QUARTER), late_median(loss.values, QUARTER)
    if early <= 0 or late > (1.0 - fall) * early or not trend(loss.values).down:
        return
    found = _never_rose(patient) if by_trying else _stands_still(patient)
    if found is None:
        return
    series, level = found
    sure = (by_trying or late <= HALVED * early) and far_enough(patient, HALF_DONE)
    yield Hit(
        series=series.name,
        span=series.span(),
        message=f"{series.name} stays at {short_number(level)} while {loss.name} fell from "
        f"{short_number(early)} to {short_number(late)}",
        advice="check on a task it can solve that what lowers the loss also improves the outcome"
        if by_trying
        else "run the evaluation on a known-good model, then stop earlier or change the data",
        severity="warning" if sure else None,
        causes=("the objective is not the goal", "overfitting", "the evaluation is broken"),
        also=(loss.name,),
    )


def _never_rose(patient: Patient) -> tuple[Series, float] | None:
    """The outcome that the word rests on, if it never rose, and its level."""
    main = patient.health.main
    if main is None or not patient.health.bad or not main.course.never_rose:
        return None
    return main.series, main.shown(main.course.now)


def _stands_still(patient: Patient) -> tuple[Series, float] | None:
    """The held-out outcome or score that never rose, whatever training does, and its level."""
    judged = [(patient.find(metric), 1.0) for metric in SCORES]
    outcome = patient.outcome
    if outcome is not None and outcome.held_out and not outcome.metric.endswith("loss"):
        share = float(outcome.values.min()) >= 0.0 and float(outcome.values.max()) <= 1.0
        judged.insert(0, (outcome.series, outcome.ceiling or (1.0 if share else np.inf)))
    for series, ceiling in judged:
        if series is None or len(series) < MIN_POINTS:
            continue
        way = course(series.values)
        if way.never_rose and way.now < FULL * ceiling and is_flat(series.values, WITHIN):
            return series, way.now
    return None
