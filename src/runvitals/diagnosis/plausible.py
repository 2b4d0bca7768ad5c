"""Checks a possible cause against the run's own numbers.

The table of causes says what may lead to what in general. Some relations also need a trace in the run:
responses that were cut off from the first row to the last cannot be why the reward is always the same,
if some of them did end; and a run that learns well in spite of them shows that they are harmless.
"""

from collections.abc import Callable, Mapping

import numpy as np

from runvitals.model import Finding, Series
from runvitals.model.row import FloatArray
from runvitals.rules.causes import NEVER_RISES, STANDING_STILL
from runvitals.rules.learning_rate.used import learning_rate
from runvitals.rules.length.len001_response_truncation_high import NONE_ENDS
from runvitals.rules.patient import Patient
from runvitals.signals.late import TENTH, early, early_mean, late, late_mean
from runvitals.signals.pairs import aligned, rank_correlation

PAID = ("outcome/success_rate", "reward/score_mean", "reward/mean", "outcome/return_mean")
RISES = 0.2  # judgement: a share of responses that everybody would call more than before
TOGETHER = -0.4  # rank correlation over 20 rows that chance reaches once in 25
MIN_ROWS = 20
CEILING = 0.8  # judgement: of what can succeed at all, nearly everything does
HARDLY_MOVES = 1e-4  # of the policy in one update; KL003 calls it near zero
UNIT = 1.001  # a share, as rounded numbers give it
MOST, MIN_ENDED = 0.5, 5  # of the responses cut off; rows in which fewer were (judgement)


def bears_out(cause: Finding, effect: Finding, patient: Patient) -> bool:
    """True if nothing in the run contradicts that the one led to the other."""
    condition = CONDITIONS.get(cause.code)
    return condition is None or condition(cause, effect, patient)


def _truncation(cause: Finding, _: Finding, patient: Patient) -> bool:
    """Cut-off responses are to blame if they became more, or if less is paid where they are more.

    Or if all that ends succeeds, so that only what is cut off is missing; or if none ever ended, and
    nothing was gained. A share that was the same
    from the first row on, in a run that was paid the same throughout, says nothing; nor does one that
    grew while all were paid exactly the same before, when most responses still ended.
    """
    share = patient.find(cause.series)
    paid = patient.find(*PAID)
    if share is None:
        return False
    if paid is not None and _paid_the_same_before(share, paid, cause.span.first):
        return False
    first, last = _levels(share)
    if first >= NONE_ENDS and (paid is None or not _rose(paid)):
        return True
    if last - first >= RISES and (paid is None or not _rose(paid)):
        return True
    if paid is None:
        return False
    return (last >= MOST and _less_where_more(share, paid)) or _all_that_can(last, paid)


def _paid_the_same_before(share: Series, paid: Series, began: int) -> bool:
    """Whether the same was paid in every row in which most responses ended, or few enough were cut."""
    steps, much, pay = aligned(share, paid)
    before = pay[(much < MOST) | (steps < began)]
    return len(before) >= MIN_ENDED and float(np.ptp(before)) == 0.0


def _ends(series: Series) -> tuple[FloatArray, FloatArray]:
    """The first tenth, before much has changed, and the last fifth."""
    return early(series.values, TENTH), late(series.values)


def _levels(series: Series) -> tuple[float, float]:
    return early_mean(series.values, TENTH), late_mean(series.values)


def _rose(series: Series) -> bool:
    """Whether the late level is above the early one by more than both spread."""
    first, last = _ends(series)
    return float(last.mean() - first.mean()) > float(np.std(first) + np.std(last))


def _less_where_more(share: Series, paid: Series) -> bool:
    _, much, pay = aligned(share, paid)
    return len(much) >= MIN_ROWS and rank_correlation(much, pay) <= TOGETHER


def _all_that_can(late: float, paid: Series) -> bool:
    """Whether the share of successes has come up to the share of responses that end."""
    ends = 1.0 - late
    if ends <= 0 or float(paid.values.min()) < 0 or float(paid.values.max()) > UNIT:
        return False
    return _levels(paid)[1] >= CEILING * ends


def _entropy(cause: Finding, effect: Finding, patient: Patient) -> bool:
    """Low entropy explains equal rewards if rewards differed while entropy was high."""
    if effect.code != "REW004":
        return True
    paid = patient.find(effect.series)
    if paid is None or cause.span.first <= int(paid.steps[0]):
        return True
    before = paid.part(0, int(np.searchsorted(paid.steps, cause.span.first)))
    return not len(before) or float(np.ptp(before.values)) > 0


def _rate(_: Finding, effect: Finding, patient: Patient) -> bool:
    """A learning rate of 0 explains what does not move, and nothing else."""
    rate = learning_rate(patient)
    return rate is None or rate.level != "zero" or effect.code in STANDING_STILL | {NEVER_RISES}


def _small_updates(_: Finding, __: Finding, patient: Patient) -> bool:
    """Updates that are never clipped are too small to learn from if the policy hardly moves, too."""
    kl = patient.find("policy/approx_kl", "policy/kl_old")
    return kl is None or float(np.median(np.abs(kl.values))) <= HARDLY_MOVES


CONDITIONS: Mapping[str, Callable[[Finding, Finding, Patient], bool]] = {
    "CLIP002": _small_updates,
    "LEN001": _truncation,
    "ENT001": _entropy,
    "ENT002": _entropy,
    "LR002": _rate,
}
