import math

import numpy as np

from runvitals.rules.data import as_number
from runvitals.rules.kit import Detection, Hit, Patient, Series, Span, constant, number, rule

MIN_FROZEN, MIN_SHARE = 20, 0.15  # points, and of the series (judgement)
SMALL = 0.05  # of the largest value: below it a value may have reached its floor (judgement)
TYPED_DIGITS = 4  # after the point: more than anybody types
MAX_CHOICES = 1e6  # more than any vocabulary has
ENDED = 0.75  # of the run: a series that stops before it has ended (judgement)
# what is computed from data anew at every update, and hence never the same twice
MEASURED = (
    "policy/entropy", "policy/loss", "policy/loss_total", "policy/approx_kl", "policy/kl_old",
    "policy/kl_ref", "policy/grad_norm", "policy/logprob_mean", "value/loss", "value/mean",
    "value/q_mean", "value/grad_norm", "value/explained_variance", "optim/loss", "optim/grad_norm",
    "advantage/std", "returns/mean", "lm/loss", "lm/entropy", "preference/loss",
    "preference/margin", "rm/loss",
)  # fmt: skip


@rule("DATA004")
def metric_frozen_missing_or_placeholder(patient: Patient) -> Hit | None:
    """A metric is stuck at one value, or is no longer logged.

    ## What it looks for
    Only metrics that are measured again at every update: losses, entropy, gradients, values.

    - A metric that has exactly the same value for at least 20 points and 15% of its points, to the
      end, with more digits than anyone would type, while most others keep moving. Metrics of the
      policy that never moved are exempt: clipped gradient norms and fixed noise stand still by design.
    - A series that ends before the last quarter of the run. This is a notice.

    Values near zero, of a setting or of equal choices do not count. If many metrics freeze together,
    training has stopped rather than the logger, and other rules report that.

    ## Why it matters
    A stale number looks healthy forever.

    ## Usual causes
    1. A logger bug: the value is cached and never updated.
    2. A worker that died.
    3. A placeholder that nobody replaced, or a weight logged in place of a score.

    ## What to try
    Look at the code that produces this number.

    ## When to ignore it
    Nothing to ignore for schedules that have ended, counters, bounds and coefficients: they are not
    checked.

    ## Sources
    TensorBoard Metrics Reference (fixed weights among the scores); our own experience.
    """
    measured = [s for metric in MEASURED for s in patient.all(metric) if "group" not in s.labels]
    frozen = [found for s in measured if (found := _frozen(patient, s)) is not None]
    if frozen:
        longest = max(frozen, key=lambda one: one.count)
        moving = [s for s in measured if _moves(s, longest.step)]
        if len(moving) >= max(2, len(measured) - len(moving)):  # else training has stopped
            return longest.hit(
                f"exactly {number(longest.level, 6)} in {longest.count:,} points since step "
                f"{longest.step:,}, while {len(moving)} other metrics move",
                advice="look at the code that logs this number: it is not updated",
                causes=("a cached value", "a dead worker", "a placeholder"),
                also=tuple(one.series.name for one in frozen if one is not longest),
            )
    return _ended([s for s in measured if len(s) >= MIN_FROZEN])


def _frozen(patient: Patient, series: Series) -> Detection | None:
    """Where it is one value to the end that no setting, bound, floor or rounding explains."""
    found = constant(series, max(MIN_FROZEN, int(MIN_SHARE * len(series))))
    if found is None or abs(found.level) < SMALL * float(np.abs(series.values).max()):
        return None
    value = found.level
    settings = [as_number(setting) for setting in patient.run.config.values()]
    explained = [round(value, TYPED_DIGITS), *(one for one in settings if one is not None)]
    if 0 < value < math.log(MAX_CHOICES):
        explained.append(math.log(round(math.exp(value))))  # the entropy of equal choices
    clipped_or_fixed = found.first == 0 and str(series.metric).startswith("policy/")
    if clipped_or_fixed or any(math.isclose(value, one, rel_tol=1e-6) for one in explained):
        return None
    return found


def _moves(series: Series, step: int) -> bool:
    late = series.values[series.steps >= step]
    return len(late) > 2 and 2 * len(np.unique(late)) > len(late)


def _ended(measured: list[Series]) -> Hit | None:
    begin = min((int(s.steps[0]) for s in measured), default=0)
    end = max((int(s.steps[-1]) for s in measured), default=0)
    for series in measured:
        last = int(series.steps[-1])
        if int(series.steps[0]) == begin and last < begin + ENDED * (end - begin):
            return Hit(
                series=series.name,
                span=Span(last, end, len(series)),
                message=f"no longer logged after step {last:,} of {end:,}",
                advice="check whether the process that logs it has died",
                severity="notice",
                causes=("a dead worker", "a phase of training that has ended"),
            )
    return None
