"""POL001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.rules.learning_rate import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.baseline import reference, reference_points
from runvitals.signals.late import late
from runvitals.signals.robust import running_median
from runvitals.signals.spikes import spikes

SUPERVISED = ("lm/loss", "preference/loss", "rm/loss", "supervised/loss", "optim/loss")
POLICY = ("policy/loss", "policy/loss_total")
LEAST_POINTS = 24  # judgement
MANY, NEAR = 3, 50  # jumps, and the points within which they belong together (judgement)
LARGE = 1.0  # a policy loss below this is small whatever it was before (judgement)
OF_POLICY = 2.0  # times the factor for a policy loss, which has no level to keep (judgement)
LASTS = 10  # points at the end (judgement)
FIRST, LEAST_LATE = 3, 5  # points that are the start and the end (judgement)
ENDS_HIGH = 1.5  # times the start (judgement)


@rule(
    "POL001",
    "loss-exploding-or-jumping",
    severity="warning",
    needs=[
        "policy/loss|policy/loss_total|lm/loss|preference/loss|rm/loss|supervised/loss|optim/loss"
    ],
)
def loss_exploding_or_jumping(
    patient: Patient, *, factor: float = 10.0, jump: float = 5.0
) -> Iterator[Hit]:
    """The loss blows up, or jumps again and again.

    ## What it looks for
    The size of the loss at ten times its early level for ten points to the end; for a policy loss also
    above 1 and twice that factor. For supervised losses also three jumps to five times the recent level
    within 50 points, or an end at more than one and a half times the start. The direction of a policy
    loss is never judged. Silent while the outcome does well; critical when a loss that exploded stays
    up while the outcome does not do well.

    ## Why it matters
    A loss that explodes means steps that overshoot: the model forgets faster than it learns.

    ## Usual causes
    1. Learning rate too high.
    2. A shift in the data or the environment.
    3. Advantages that are not normalised.
    4. An odd batch.

    ## What to try
    Read learning rate, KL and gradient norm at the same step. Normalise advantages; look at the batch.

    ## When to ignore it
    Losses in units of reward grow with the reward: a value loss that grows while returns do is fine.

    ## Sources
    Training Metrics and Telemetry; RL metrics table; Training Metrics Glossary (jumps and lasting
    blow-ups); TensorBoard Metrics Reference (average loss falls and settles).
    """
    if patient.health.good or patient.health.early:
        return
    supervised = patient.kind in ("sft", "preference", "reward-model")
    loss = patient.find(*(SUPERVISED if supervised else POLICY))
    if loss is None and patient.kind == "unknown":
        loss = patient.find(*SUPERVISED)
    if loss is None or len(loss) < LEAST_POINTS:
        return
    hit = _exploded(patient, loss, factor, supervised=supervised)
    if hit is None and supervised:
        hit = _ends_high(patient, loss) or _jumps(patient, loss, jump)
    if hit is not None:
        yield hit


def _hit(patient: Patient, loss: Series, span: Span, message: str, severity: Severity) -> Hit:
    return Hit(
        series=loss.name,
        span=span,
        message=message,
        advice=f"lower the learning rate{rate_hint(patient)}, and look at the batch at that step",
        severity=severity if patient.health.struggles else "notice",
        causes=("learning rate too high", "a shift in the data", "advantages not normalised"),
    )


def _exploded(patient: Patient, loss: Series, factor: float, *, supervised: bool) -> Hit | None:
    size = np.abs(loss.values)
    early = reference(size)
    limit = factor * early if supervised else max(OF_POLICY * factor * early, LARGE)
    if not early > 0 or not float(np.median(size[-LASTS:])) > limit:
        return None
    levels = running_median(size, LASTS)
    levels[: reference_points(len(size)).stop] = 0.0
    above = levels > limit
    if not above[-LASTS:].all():
        return None
    first = len(above) - int(np.argmin(above[::-1])) if not above.all() else 0
    now = float(levels[-1])
    return _hit(
        patient,
        loss,
        loss.span(first),
        f"loss at {now:.3g}, {now / early:.3g} times its early size, "
        f"since step {int(loss.steps[first]):,}",
        "critical",
    )


def _ends_high(patient: Patient, loss: Series) -> Hit | None:
    start = float(np.median(loss.values[:FIRST]))
    end = late(loss.values, least=LEAST_LATE)
    if not 0 < start < np.median(end) / ENDS_HIGH or end.min() < start:
        return None
    return _hit(
        patient,
        loss,
        loss.span(len(loss) - len(end)),
        f"loss ends at {float(np.median(end)):.3g}, above the {start:.3g} it began with",
        "warning",
    )


def _jumps(patient: Patient, loss: Series, jump: float) -> Hit | None:
    found = spikes(np.abs(loss.values), ratio=jump)
    if len(found) < MANY:
        return None
    close = np.flatnonzero(found[MANY - 1 :] - found[: 1 - MANY] <= NEAR)
    if not len(close):
        return None
    first, last = int(found[close[0]]), int(found[close[-1] + MANY - 1])
    peak = float(np.abs(loss.values[found]).max())
    return _hit(
        patient,
        loss,
        Span(int(loss.steps[first]), int(loss.steps[last]), len(found)),
        f"loss jumps {len(found)} times to {jump:g} times its level or more, up to {peak:.3g}",
        "warning",
    )
