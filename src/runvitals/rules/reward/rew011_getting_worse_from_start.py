"""REW011."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.model.formatting import number
from runvitals.rules.outcome.stated import statement
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.pairs import aligned

ALIKE = 3.0  # times: returns of like size
MIN_POINTS = 12  # of both returns, to call their signs opposed
NEARLY_ALWAYS = 0.95  # of their points
SHORT_SIGHTED = 0.5  # gamma: the second next reward counts for a quarter


@rule(
    "REW011",
    "getting-worse-from-start",
    severity="critical",
    needs=["outcome"],
    families=["rl"],
)
def getting_worse_from_start(patient: Patient) -> Iterator[Hit]:
    """The outcome gets worse during training, as if the policy were trained to fail.

    ## What it looks for
    One of these:

    - The outcome ends clearly below its start: by five standard errors or in unbroken order, and by
      at least twice what matters. This takes at least five points.
    - A return in training and one on held-out episodes have a similar size and opposite signs.
    - For a few well-known tasks, the return begins at what an untrained policy gets, with the
      opposite sign.

    ## Why it matters
    A policy that gets steadily worse is being optimised, only for the opposite of what you want.

    ## Usual causes
    1. A wrong sign: of the advantage, the reward or the loss.
    2. A discount of 0, or another change that makes only the short term count.
    3. A learning rate that is far too high.
    4. A KL or length penalty that outweighs the task.

    ## What to try
    Make one update on two actions, one better than the other, and check that the better one becomes
    more likely.

    ## When to ignore it
    A curriculum that makes the task harder over time; a warm start that dips before it learns.

    ## Sources
    Faults injected in our own lab; RL metrics table (reward should rise); RLMutation (sign
    mutants).
    """
    outcome = patient.outcome
    if outcome is None:
        return
    if (hit := _opposed(patient)) is not None:
        yield hit
        return
    hit = statement(
        patient,
        "REW011",
        advice="check the sign of advantage and reward, then lower the learning rate",
        causes=_causes(patient),
    )
    if hit is not None:
        yield hit


def _opposed(patient: Patient) -> Hit | None:
    """A return in training that is the held-out one with the other sign."""
    trained, held_out = patient.find("outcome/return_mean"), patient.find("eval/return_mean")
    if trained is None or held_out is None or min(len(trained), len(held_out)) < MIN_POINTS:
        return None
    _, paid, seen = aligned(trained, held_out)
    if len(paid) < MIN_POINTS or (np.sign(paid) * np.sign(seen) < 0).mean() < NEARLY_ALWAYS:
        return None
    ratio = np.median(np.abs(paid)) / np.median(np.abs(seen))
    if not 1 / ALIKE <= ratio <= ALIKE:
        return None
    return Hit(
        series=trained.name,
        span=trained.span(),
        message=f"{trained.name} and {held_out.name} have opposite signs: {number(paid[-1])} and "
        f"{number(seen[-1])}",
        advice="check the sign of the reward in the wrappers of the training environment",
        causes=("reward with the wrong sign in training",),
        also=(held_out.name,),
    )


def _causes(patient: Patient) -> tuple[str, ...]:
    usual = (
        "a wrong sign: of the advantage, the reward or the loss",
        "learning rate far too high",
        "a penalty that outweighs the task",
    )
    gamma = patient.number("gamma")
    if gamma is not None and gamma < SHORT_SIGHTED:
        return (f"gamma is {gamma:g}: only the next reward counts", *usual)
    return usual
