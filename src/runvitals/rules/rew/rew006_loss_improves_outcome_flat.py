"""REW006."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.rew._kit import far_enough, span_of
from runvitals.signals.trend import trend

LOSSES = "preference/loss|rm/loss|lm/loss|optim/loss"


@rule(
    "REW006",
    "loss-improves-outcome-flat",
    severity="notice",
    needs=[LOSSES, "outcome"],
    families=["supervised"],
)
def loss_improves_outcome_flat(patient: Patient, *, fall: float = 0.3) -> Iterator[Hit]:
    """The training loss falls, and the held-out outcome does not follow.

    ## What it looks for
    A training loss that has fallen by 30 % (`fall`) and clearly beyond its noise, while a held-out
    accuracy or score of at least 12 points never rose and is below 90 % of its ceiling. A warning
    once half of the plan is done and the loss has halved.

    ## Why it matters
    The loss is a means. One number going down proves nothing about the goal.

    ## Usual causes
    1. The objective is not the goal.
    2. Overfitting.
    3. The evaluation is broken, or looks at the wrong split.

    ## What to try
    Run the evaluation on a model that is known to be good. Then stop earlier or change the data.

    ## When to ignore it
    An evaluation on something the training is not meant to change.

    ## Sources
    Training Metrics and Telemetry (one number that goes down is not enough).
    """
    outcome = patient.outcome
    loss = patient[LOSSES]
    if outcome is None or not outcome.held_out or outcome.metric.endswith("loss"):
        return
    way = outcome.way
    if way is None or len(loss) < 12:
        return
    quarter = max(3, len(loss) // 4)
    early = float(np.median(loss.values[:quarter]))
    late = float(np.median(loss.values[-quarter:]))
    if early <= 0 or late > (1.0 - fall) * early or not trend(loss.values).down:
        return
    if not way.never_rose or patient.does_well:
        return
    sure = late <= 0.5 * early and far_enough(patient, 0.5)
    yield Hit(
        series=outcome.series.name,
        span=span_of(outcome.series),
        message=f"stays at {way.now:.3g} while the training loss fell from {early:.3g} to {late:.3g}",
        advice="run the evaluation on a known-good model, then stop earlier or change the data",
        severity="warning" if sure else None,
        causes=("the objective is not the goal", "overfitting", "the evaluation is broken"),
        also=(loss.name,),
    )
