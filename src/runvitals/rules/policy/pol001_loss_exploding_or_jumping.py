from collections.abc import Iterator

import numpy as np

from runvitals.rules.kit import (
    Detection,
    Hit,
    Limit,
    Patient,
    Series,
    exceeds,
    how_often,
    rose,
    rule,
    short_number,
    size_of,
    spiked,
)
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.signals.late import reference, reference_points

LOSSES = ("policy/loss", "policy/loss_total", "optim/loss")
LARGE = 1.0  # a smaller loss of a policy may be anything (judgement)
MANY = 2  # jumps: one is an event, and not a sickness


@rule("POL001", needs=["|".join(LOSSES)], excused_by_outcome=True, min_points=20)
def loss_exploding_or_jumping(patient: Patient, *, factor: float = 20.0) -> Hit | None:
    """The loss blows up, or jumps again and again.

    ## What it looks for
    - The size of the loss is at twenty times its early level (`factor`) and above 1 for a
      twentieth of the run, or jumps there twice. The direction of such a loss says nothing.
    - The total loss of a language model, which should fall, rises to one and a half times its start,
      and above 1.

    A total loss that grows along with the value loss is left to the rules on that.

    It is a warning if the outcome is not doing well, and critical if an exploded loss also stays
    up. It is a notice while the outcome is doing well, or if none was logged.

    ## Why it matters
    An exploding loss means that steps overshoot: the model forgets faster than it learns.

    ## Usual causes
    1. The learning rate is too high.
    2. The data or the environment shifted.
    3. Advantages are not normalised.
    4. A batch is odd.

    ## What to try
    Look at learning rate, KL and gradient norm at the same step. Normalise advantages. Inspect the
    batch.

    ## When to ignore it
    Losses in units of reward grow with the reward: a value loss that grows along with returns is
    fine.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary (jumps and lasting
    blow-ups); TensorBoard Metrics Reference (average loss falls and settles).
    """
    for loss in filter(None, map(patient.find, LOSSES)):
        for found, message in _trouble(patient, loss, factor):
            if _follows_value(patient, loss, found):
                continue
            stays = found.limit is not None and found.span.last == loss.steps[-1]
            return found.hit(
                message,
                advice=f"lower the learning rate{rate_hint(patient)}, and inspect the batch at that "
                "step",
                causes=(
                    "learning rate too high",
                    "a shift in the data",
                    "advantages not normalised",
                ),
                grave=stays,
            )
    return None


def _trouble(patient: Patient, loss: Series, factor: float) -> Iterator[tuple[Detection, str]]:
    """What is wrong with a loss, the worst first, and how to say it."""
    early = reference(np.abs(loss.values))
    size = size_of(loss)
    later = size.part(reference_points(len(size)).stop)
    limit = Limit(max(factor * early, LARGE), f"{factor:g} times its early size")
    if (found := exceeds(later, limit, for_share=0.05)) is not None:
        times = short_number(found.level / max(early, 1e-12))
        yield (
            found,
            f"loss at {short_number(found.level)}, {times} times its early size, from step "
            f"{found.step:,} to step {found.span.last:,}",
        )
    if (found := spiked(size, factor, least=limit.value)) and found.count >= MANY:
        peak = int(np.argmax(size.values))
        yield (
            found,
            f"loss jumps {how_often(found.count)}, the largest to "
            f"{short_number(float(loss.values[peak]))} at step {int(loss.steps[peak]):,}, against a "
            f"usual size of {short_number(found.before)}",
        )
    should_fall = loss.metric != "policy/loss" and patient.kind == "llm-rl"
    if should_fall and (found := rose(loss, 1.5)) and found.level > LARGE:
        yield (
            found,
            f"loss rises from {short_number(found.before)} to {short_number(found.level)}",
        )


def _follows_value(patient: Patient, loss: Series, found: Detection) -> bool:
    """Whether a total loss may have grown with the value loss: that follows the returns."""
    value = patient.find("value/loss")
    if loss.metric != "optim/loss" or value is None:
        return loss.metric == "optim/loss" and patient.kind != "llm-rl" and patient.health.good
    there = value.values[(value.steps >= found.span.first) & (value.steps <= found.span.last)]
    grown = float(np.max(there, initial=0.0)) / max(reference(value.values), 1e-12)
    return grown > found.level / max(reference(np.abs(loss.values)), 1e-12) / 2
