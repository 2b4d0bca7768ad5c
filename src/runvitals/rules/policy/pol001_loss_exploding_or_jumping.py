"""POL001."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Series, Severity, Span
from runvitals.model.formatting import short_number
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.rules.severity import so_far, suffers
from runvitals.signals.baseline import reference, reference_points
from runvitals.signals.crossing import Stretch, sustained_above
from runvitals.signals.late import early_median, late, late_median
from runvitals.signals.robust import running_median
from runvitals.signals.spikes import spikes
from runvitals.signals.trend import trend

SUPERVISED = ("lm/loss", "preference/loss", "rm/loss", "supervised/loss", "optim/loss")
POLICY = ("policy/loss", "policy/loss_total")
MIN_POINTS = 24  # judgement
MANY, NEAR = 3, 50  # jumps, and the points within which they belong together (judgement)
LARGE = 1.0  # a policy loss above this is large if it was small before (judgement)
BEYOND_DOUBT, NOT_SMALL = (
    50.0,
    0.1,
)  # times its early size, and its size, which are as bad (judgement)
HALF = 0.5  # of the growth of a total loss: so much explains it (judgement)
OF_POLICY = 2.0  # times the factor for a policy loss, which has no level to keep (judgement)
LASTS = 10  # points at the end (judgement)
FIRST, MIN_LATE = 3, 5  # points that are the start and the end (judgement)
ENDS_HIGH = 1.5  # times the start (judgement)
NEARLY_NONE = 0.05  # of the points, that may lie below zero
CLEAR = 2.0  # times the noise, that it has to rise
MILLION = 1e6  # times: beyond that a factor says no more


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
    - **Any loss**: its size stays at ten times its early level (`factor`) for ten points.
    - **Policy losses**, and the total loss of reinforcement learning: twice that factor, and above
      1 (or fifty times its early size and above 0.1), because these losses have no natural level.
      Single points that far out count too.
    - **Supervised losses**: also three jumps to five times the recent level (`jump`) within 50
      points, or an end at more than one and a half times the start.
    - **The total loss of a language model** that is always above zero: it should fall. Climbing to
      one and a half times its early level is a notice, or a warning if the outcome suffers. The
      direction of other policy losses is not judged.

    A total loss that grows along with the value loss is left to the rules on that.

    It is a warning if the outcome is not doing well, and critical if an exploded loss also stays
    up. It is a notice while the outcome of a policy-gradient run is doing well, or if none was
    logged.

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
    if patient.health.early:
        return
    supervised = patient.kind in ("sft", "preference", "reward-model")
    if patient.health.good and not _is_policy_gradient(patient):
        return
    for loss in _losses(patient, supervised=supervised):
        hit = _exploded(patient, loss, factor, supervised=supervised)
        if hit is None:
            hit = _ends_high(patient, loss) if supervised else _far_out(patient, loss, factor)
        if hit is None:
            hit = _jumps(patient, loss, jump) if supervised else _climbs(patient, loss)
        if hit is not None:
            yield hit
            return


def _is_policy_gradient(patient: Patient) -> bool:
    """Whether the loss of the policy has no level of its own: a critic's grows with the reward."""
    if patient.kind == "unknown":  # a policy that learns, and no Q-values beside it
        return patient.find(*POLICY) is not None and patient.find("value/q_mean") is None
    return patient.kind in ("on-policy", "llm-rl")


def _losses(patient: Patient, *, supervised: bool) -> Iterator[Series]:
    """The losses to look at; of supervised training, and where nobody knows, the first there is."""
    if supervised:
        found = [patient.find(*SUPERVISED)]
    else:
        found = [patient.find(metric) for metric in POLICY]
        if _is_policy_gradient(patient):
            total = patient.find("optim/loss")
            found.append(None if total is None or _by_value(patient, total) else total)
        elif patient.kind == "unknown" and all(one is None for one in found):
            found = [patient.find(*SUPERVISED)]
        else:
            found = [next((one for one in found if one is not None), None)]
    yield from (loss for loss in found if loss is not None and len(loss) >= MIN_POINTS)


def _by_value(patient: Patient, total: Series) -> bool:
    """Whether a total loss may have grown with the value loss: that follows the returns."""
    value = patient.find("value/loss")
    if value is None:
        return patient.health.good and patient.kind != "llm-rl"
    grown = [
        float(np.max(running_median(np.abs(one.values), LASTS)))
        / (reference(np.abs(one.values)) or 1)
        for one in (total, value)
    ]
    return grown[1] > HALF * grown[0]


def _hit(patient: Patient, loss: Series, span: Span, message: str, severity: Severity) -> Hit:
    return Hit(
        series=loss.name,
        span=span,
        message=f"{message}{so_far(patient)}",
        advice=f"lower the learning rate{rate_hint(patient)}, and inspect the batch at that step",
        severity=severity if patient.health.struggles else "notice",
        causes=("learning rate too high", "a shift in the data", "advantages not normalised"),
    )


def _times(ratio: float) -> str:
    """How many times as large, in words that end before the number says nothing."""
    return "over a million times" if ratio > MILLION else f"{short_number(ratio)} times"


def _limit(early: float, factor: float, *, supervised: bool) -> float:
    """From which size on a loss has exploded; a policy's has to be large as well."""
    if supervised:
        return factor * early
    return max(OF_POLICY * factor * early, min(LARGE, max(BEYOND_DOUBT * early, NOT_SMALL)))


def _exploded(patient: Patient, loss: Series, factor: float, *, supervised: bool) -> Hit | None:
    size = np.abs(loss.values)
    early = reference(size)
    limit = _limit(early, factor, supervised=supervised)
    if not early > 0:
        return None
    levels = running_median(size, LASTS)
    levels[: reference_points(len(size)).stop] = 0.0
    above = levels > limit
    stays = bool(above[-LASTS:].all()) and float(np.median(size[-LASTS:])) > limit
    if stays:
        first = len(above) - int(np.argmin(above[::-1])) if not above.all() else 0
        last, now = len(size) - 1, float(levels[-1])
    else:
        stretch = None if supervised else _longest(above)
        if stretch is None:
            return None
        first, last = stretch.first, stretch.last
        now = float(np.median(size[first : last + 1]))
    until = "" if stays else f" to step {int(loss.steps[last]):,}"
    return _hit(
        patient,
        loss,
        loss.span(first, last),
        f"loss at {short_number(now)}, {_times(now / early)} its early size, "
        f"{'since' if stays else 'from'} step {int(loss.steps[first]):,}{until}",
        "critical" if stays else "warning",
    )


def _longest(above: np.ndarray) -> Stretch | None:
    """The longest part in which the level stays up, if it is long enough to be no jump."""
    found = sustained_above(above.astype(np.float64), 0.0, need=LASTS, of=LASTS, close=0)
    return max(found, key=lambda one: one.beyond, default=None)


def _far_out(patient: Patient, loss: Series, factor: float) -> Hit | None:
    """Single points of a policy's loss that are as far out as an explosion."""
    size = np.abs(loss.values)
    limit = _limit(reference(size), factor, supervised=False)
    found = spikes(size, ratio=OF_POLICY * factor)
    found = found[size[found] > limit]
    if not len(found):
        return None
    peak = int(found[np.argmax(size[found])])
    usual = float(np.median(size))
    # a lone point in a run of which nobody knows how it does is an event, and no sickness
    harm: Severity = "warning" if patient.health.bad or len(found) >= MANY else "notice"
    often = {1: "once, to", 2: "twice, the larger to"}
    times = often.get(len(found), f"{len(found):,} times, the largest to")
    return _hit(
        patient,
        loss,
        Span(int(loss.steps[found[0]]), int(loss.steps[found[-1]]), len(found)),
        f"loss jumps {times} {short_number(float(loss.values[peak]))} at step "
        f"{int(loss.steps[peak]):,}, {_times(size[peak] / max(usual, 1e-12))} its usual size",
        harm,
    )


def _climbs(patient: Patient, loss: Series) -> Hit | None:
    """A total loss above zero that rises all the while, though it should fall and settle."""
    total = loss.metric in ("policy/loss_total", "optim/loss") and patient.kind == "llm-rl"
    if not total or float(np.quantile(loss.values, NEARLY_NONE)) <= 0:
        return None
    start, end = early_median(loss.values), late_median(loss.values, least=MIN_LATE)
    if end < ENDS_HIGH * start or not trend(loss.values, effect=CLEAR).up:
        return None
    return Hit(
        series=loss.name,
        span=loss.span(),
        message=f"loss rises from {short_number(start)} to {short_number(end)}{so_far(patient)}",
        advice=f"lower the learning rate{rate_hint(patient)}, and see which part of the loss grows",
        severity="warning" if suffers(patient) else "notice",
        causes=("learning rate too high", "a penalty that outgrows the objective"),
    )


def _ends_high(patient: Patient, loss: Series) -> Hit | None:
    start = float(np.median(loss.values[:FIRST]))
    end = late(loss.values, least=MIN_LATE)
    if not 0 < start < np.median(end) / ENDS_HIGH or end.min() < start:
        return None
    return _hit(
        patient,
        loss,
        loss.span(len(loss) - len(end)),
        f"loss ends at {short_number(float(np.median(end)))}, above its start of {short_number(start)}",
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
        f"loss jumps {len(found):,} times to at least {jump:g} times its level, "
        f"up to {short_number(peak)}",
        "warning",
    )
