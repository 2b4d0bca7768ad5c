"""DPO003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import FloatArray, Hit, Series, Severity
from runvitals.rules.held_out import SCORES
from runvitals.rules.learning_rate.used import rate_hint
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import beta_of, reference_free
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import drop_from_best
from runvitals.signals.late import start_median
from runvitals.signals.robust import running_median
from runvitals.signals.trend import trend

MIN_POINTS = 12  # judgement
RARE = 0.01  # a chance of a fall so steady: rows of a dozen answers are looked at in every run
MILD, CLEAR, GROSS = 0.2, 0.5, 2.0  # lost log-probability, of that at the start (judgement)
WITHOUT_REFERENCE = 3  # times as much: nothing holds the log-probability where it began (judgement)
FAR_BEYOND = 2  # times the limit, to be critical
WIDTH = 8  # an eighth of the rows make a level,
MIN_WIDTH, MAX_WIDTH = 3, 10  # within these bounds
A_NAT = 1.0  # less leaves a whole answer more than a third as likely as it was
MIN_SCORES = 6  # evaluations
FELL, FELL_SHARE, FELL_BY_HALF = 0.05, 0.15, 0.5  # of all answers; of the best score (judgement)


@rule(
    "DPO003",
    "likelihood-displacement",
    severity="warning",
    needs=["preference/chosen_logprob|preference/chosen_reward"],
    families=["preference"],
)
def likelihood_displacement(patient: Patient, *, limit: float | None = None) -> Iterator[Hit]:
    """The model finds even the chosen answers less and less likely.

    ## What it looks for
    The fall of the chosen log-probability from its best level, as a share of its size at the start
    (but at least 1 nat). It has to fall steadily, or by more than rows differ anyway: each row
    holds other answers, some of them long.

    - from 20%: a notice
    - from 50% (`limit`): a warning
    - from 200%: critical

    A fall of less than 1 nat is a notice at most.

    If there is a held-out score of samples, it decides. While that score improves or holds, this is
    only a notice. If it falls, this is a warning, and critical once half of its best is gone.

    ## Why it matters
    Both answers of a pair become unlikely, so probability moves to unwanted answers. A mild fall is
    normal in DPO. A deep one ends in garbage, or in harmful answers if refusals were trained.

    ## Usual causes
    1. The learning rate is too high, or there are too many epochs.
    2. The two answers of a pair are too similar.
    3. Chosen answers are unlike the model's own.
    4. No supervised term holds the chosen answers in place.
    5. Labels are swapped (DPO004).

    ## What to try
    Lower the learning rate. Add a supervised term on chosen answers (rpo_alpha, pref_ftx). Filter
    out pairs that are nearly the same. Raise beta.

    ## When to ignore it
    A mild fall with a growing margin and good samples.

    ## Sources
    Razin et al. (2024), likelihood displacement; DPO #8 and #32; TRL #800; LLaMA-Factory #6153.
    """
    found = _lost(patient)
    if found is None:
        return
    series, lost, best_at, start = found
    usual = CLEAR if not reference_free(patient) else WITHOUT_REFERENCE * CLEAR
    bound = patient.limit(limit, otherwise=usual, why="a mild fall is normal in DPO")
    size = max(1.0, start)
    share = lost / size
    if share < min(MILD, bound.value):
        return
    severity, score = _severity(patient, share, bound.value, asked=bound.from_run)
    if lost < A_NAT and not bound.from_run:
        severity = "notice"
    message = f"chosen answers lost {lost:.3g} nats of log-probability, starting from {start:.3g}"
    if score:
        message += f", and {score}"
    yield Hit(
        series=series.name,
        span=Stretch(best_at, len(series) - 1, 0).span(series),
        message=message,
        advice=f"lower the learning rate{rate_hint(patient)}, "
        "or add a supervised term on the chosen answers",
        severity=severity,
        causes=(
            "learning rate too high",
            "pairs too similar",
            "no supervised term on the chosen answers",
        ),
        limit=bound,
    )


def _lost(patient: Patient) -> tuple[Series, float, int, float] | None:
    """The series, the nats lost since the best level, where that was, and the size at the start."""
    logp = patient.find("preference/chosen_logprob")
    reward, beta = patient.find("preference/chosen_reward"), beta_of(patient)
    start = abs(start_median(logp.values)) if logp is not None else None
    rewarded = beta is not None and start is not None and not reference_free(patient)
    if reward is not None and beta is not None and start is not None and rewarded:
        sure = len(reward) >= MIN_POINTS and _is_sure(reward.values)
        return (reward, *_fall(reward.values / beta), start) if sure else None
    if logp is None or start is None or len(logp) < MIN_POINTS or not _is_sure(logp.values):
        return None
    return (logp, *_fall(logp.values), start)


def _is_sure(values: FloatArray) -> bool:
    """Whether it falls beyond what the answers of single rows do to it, as a trend or from its best."""
    drop = drop_from_best(values)
    return trend(values, p=RARE).down or (drop is not None and drop.sure)


def _fall(values: FloatArray) -> tuple[float, int]:
    width = min(MAX_WIDTH, max(MIN_WIDTH, len(values) // WIDTH))
    levels = running_median(values, width)
    begin = start_median(values)
    at = int(np.argmax(levels))
    best = max(begin, float(levels[at]))
    return best - float(levels[-1]), at


def _severity(patient: Patient, share: float, limit: float, *, asked: bool) -> tuple[Severity, str]:
    score = patient.find(*SCORES)
    if score is not None and len(score) >= MIN_SCORES:
        drop = drop_from_best(score.values, share=True)
        if drop is not None and drop.sure and drop.size >= max(FELL, FELL_SHARE * drop.best):
            words = f"{score.name} fell from {drop.best:.2g} to {drop.now:.2g}"
            return ("critical" if drop.size >= FELL_BY_HALF * drop.best else "warning"), words
        if course(score.values, "rate", ceiling=1.0).shape in ("rose", "high") and not asked:
            return "notice", ""
    if share >= max(GROSS, FAR_BEYOND * limit):
        return "critical", ""
    return ("warning" if share >= limit else "notice"), ""
