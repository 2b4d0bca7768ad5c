"""DPO004."""

import math
from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit, Limit, Series, Severity
from runvitals.rules.held_out import SCORES
from runvitals.rules.outcome import course
from runvitals.rules.patient import Patient
from runvitals.rules.preference._pairs import (
    beta_of,
    is_kto,
    is_resumed,
    reference_free,
)
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.held_out import drop_from_best
from runvitals.signals.late import TENTH, THIRD, early, late, late_mean, late_median
from runvitals.signals.robust import noise
from runvitals.signals.trend import trend

LN2, LIKE_LN2 = math.log(2.0), 0.02  # the loss of a margin of 0, and what rounding adds
USUAL_BETA = 0.1  # TRL's default
MIN_POINTS = 3
NEXT_ROWS, MOVED = 6, 0.5  # rows 2 to 6; if one update did it, four more do several times as much
FIRST_ROWS, TIMES_NOISE = 12, 2.0  # the rows whose noise a first value may be
SLACK, SLACK_SHARE = 0.05, 0.005  # of the reward; of the log-probability, for 16-bit sums
# Of a first row that is the mean of several updates: for how long, how early, how little it moves on.
REACH, EARLY, MOVED_LITTLE = 3, 0.1, 0.35  # times its step; of the run; of its value (judgement)
OUTGROWN = 0.3  # of what is learned in the end (judgement)
MIN_SCORES = 6  # evaluations
FIRST_SCORES, FIRST_SIXTH = 2, 6  # the best is among the first, or a sixth of them
TIMES_CHANCE = 2  # standard errors
SCORE_FELL, SCORE_FELL_SHARE = 0.1, 0.5  # of all answers; of the best score (judgement)
# Log-probability lost by the chosen answers before the score fell, as MILD in DPO003.
LOST_NATS, LOST_NATS_LOGGED, LOST_SHARE = 1.0, 0.5, 0.2
# Of a margin that has become negative and stays so (judgement).
MIN_MARGINS, MIN_MARGINS_ALONE = 20, 30  # points; where no accuracy bears it out, with KTO
MIN_PROGRESS = 0.2  # of the plan
MIN_LATE = 8  # points of the last third
BELOW_CHANCE = 0.45  # of the pairs
NEGATIVE, NEARLY_ALWAYS = -0.05, 0.9  # its level; of the points below 0
# Of a base model that prefers the rejected answers (judgement).
MIN_ACCURACIES = 12  # points
FIRST = 5  # points at least, and a tenth of them, are from before it learned
HARDLY_ANY = 0.15  # of the pairs


@rule(
    "DPO004",
    "wrong-start-or-inverted",
    severity="critical",
    needs=["preference/margin|preference/accuracy|preference/chosen_reward"],
    families=["preference"],
)
def wrong_start_or_inverted(patient: Patient, *, slack: float | None = None) -> Iterator[Hit]:
    """The policy does not start at its reference, or learns the preferences the wrong way round.

    ## What it looks for
    **A wrong start.** Before the first update, policy and reference are the same model, so margin
    and rewards are 0. The first logged reward must not exceed 0.05 (`slack`) plus half a percent of
    the log-probability plus twice the noise of the first rows. It counts if the next rows share the
    offset. If they leave it behind at once, the first row was logged after an update. A margin does
    not count if the loss starts at ln 2 regardless, because then it is not the margin in the loss.

    **Inversion**, which is one of these:

    - a margin that falls below 0 and stays there
    - a held-out score that falls from the very beginning while the pairs are learned
    - with a reference-free loss, a base model that prefers nearly all rejected answers

    ## Why it matters
    With a different reference, the loss pulls towards an unintended model. With swapped labels, the
    model learns what it should avoid.

    ## Usual causes
    1. Chosen and rejected are swapped.
    2. The reference is another checkpoint, precision or adapter state.
    3. Dropout is on.
    4. Templates differ.

    ## What to try
    Assert a zero margin before the first step. Print one pair with its label.

    ## When to ignore it
    A resumed run; a reference that is deliberately another model.

    ## Sources
    Follows from the objective (Rafailov et al., 2023); TRL's handling of references.
    """
    hit = _start(patient, slack) or _score_falls(patient) or _negative(patient)
    hit = hit or _base_disagrees(patient)
    if hit is not None:
        yield hit


SWAPPED = ("chosen and rejected are swapped", "labels wrong")


def _start(patient: Patient, slack: float | None) -> Hit | None:
    if reference_free(patient) or is_resumed(patient):
        return None
    beta, logp = beta_of(patient), patient.find("preference/chosen_logprob")
    size = abs(float(logp.values[0])) if logp is not None else 0.0
    allowed = SLACK + SLACK_SHARE * size * (beta if beta is not None else USUAL_BETA)
    bound = Limit(allowed, "policy and reference start as the same model")
    if slack is not None:
        bound = Limit(slack, "your option", from_run=True)
    worst: tuple[float, Series] | None = None
    for metric in ("preference/chosen_reward", "preference/rejected_reward", "preference/margin"):
        series = patient.find(metric)
        if series is None or len(series) < MIN_POINTS:
            continue
        first = abs(float(series.values[0]))
        asked = slack is not None and series.steps[0] <= 1
        chance = 0.0 if asked else TIMES_NOISE * noise(series.values[:FIRST_ROWS])
        if (
            first > bound.value + chance
            and (asked or _stays(series))
            and not _is_another(patient, series)
        ):
            worst = max(worst or (0.0, series), (first, series), key=lambda pair: pair[0])
    if worst is None:
        return None
    first, series = worst
    margin = patient.find("preference/margin")
    learned = abs(late_median(margin.values)) if margin else 0.0
    severity: Severity = "critical" if first > max(learned, bound.value) else "warning"
    score = patient.find(*SCORES)
    well = score is not None and course(score.values, "rate", ceiling=1.0).shape in ("rose", "high")
    now = abs(late_median(series.values))
    if well and first < OUTGROWN * now:
        severity = "notice"
    return Hit(
        series=series.name,
        span=Stretch(0, 0, 1).span(series),
        message=f"the first {series.name} is {float(series.values[0]):.3g}; it should be 0 if policy "
        "and reference start as the same model",
        advice="assert a zero margin before the first step; check which model the reference is",
        severity=severity,
        causes=(
            "reference is another checkpoint or adapter state",
            "dropout is on",
            "templates differ",
        ),
        limit=bound,
    )


def _stays(series: Series) -> bool:
    """Whether the first value is an offset: learning would have moved it on by as much again."""
    first = float(series.values[0])
    if series.steps[0] <= 1:
        return abs(float(np.median(series.values[1:NEXT_ROWS])) - first) < MOVED * abs(first)
    reach = REACH * int(series.steps[0])
    at = min(int(np.searchsorted(series.steps, reach)), len(series) - 1)
    if series.steps[0] > EARLY * series.steps[-1] or at < 1:
        return False
    moved = np.abs(series.values[1 : at + 1] - first)
    return float(moved.max()) < MOVED_LITTLE * abs(first)


def _is_another(patient: Patient, series: Series) -> bool:
    """Whether it is a margin that the loss knows nothing of: that begins at ln 2, as for 0."""
    loss = patient.find("preference/loss")
    if series.metric != "preference/margin" or loss is None:
        return False
    return loss.steps[0] == series.steps[0] and abs(float(loss.values[0]) - LN2) < LIKE_LN2


def _score_falls(patient: Patient) -> Hit | None:
    """A held-out score that only ever falls, from before the chosen answers were lost."""
    score, margin = patient.find(*SCORES), patient.find("preference/margin", "preference/accuracy")
    if score is None or margin is None or len(score) < MIN_SCORES or not trend(margin.values).up:
        return None
    drop = drop_from_best(score.values, share=True)
    if (
        drop is None
        or not drop.sure
        or drop.best_index > max(FIRST_SCORES, len(score) // FIRST_SIXTH)
    ):
        return None
    if drop.size < max(SCORE_FELL, SCORE_FELL_SHARE * drop.best):
        return None
    if drop.best > score.values[0] + TIMES_CHANCE * drop.error:
        return None
    half = (drop.best + drop.now) / 2
    fallen = int(np.argmax(score.values < half))
    if _chosen_went_first(patient, int(score.steps[fallen])):
        return None
    return Hit(
        series=score.name,
        span=Stretch(drop.best_index, len(score) - 1, 0).span(score),
        message=f"{score.name} fell from the very start, from {drop.best:.2g} to {drop.now:.2g}, while "
        "the pairs were learned",
        advice="print one pair with its label: chosen and rejected look swapped",
        causes=SWAPPED,
        also=(margin.name,),
    )


def _chosen_went_first(patient: Patient, step: int) -> bool:
    """Whether the chosen answers had become unlikely by then: that is likelihood displacement."""
    logp, reward = (
        patient.find("preference/chosen_logprob"),
        patient.find("preference/chosen_reward"),
    )
    size = abs(float(logp.values[0])) if logp is not None else 0.0
    if reward is not None and not reference_free(patient):
        at = min(int(np.searchsorted(reward.steps, step)), len(reward) - 1)
        lost = -float(reward.values[at]) / (beta_of(patient) or USUAL_BETA)
        return lost > LOST_NATS + LOST_SHARE * size
    if logp is None:
        return False
    at = min(int(np.searchsorted(logp.steps, step)), len(logp) - 1)
    return float(logp.values[0] - logp.values[at]) > LOST_NATS_LOGGED + LOST_SHARE * size


def _negative(patient: Patient) -> Hit | None:
    margin, accuracy = patient.find("preference/margin"), patient.find("preference/accuracy")
    if margin is None or len(margin) < MIN_MARGINS or reference_free(patient):
        return None
    if patient.progress is not None and patient.progress < MIN_PROGRESS:
        return None
    last = late(margin.values, THIRD, MIN_LATE)
    wrong = accuracy is None or late_mean(accuracy.values, THIRD, MIN_LATE) < BELOW_CHANCE
    if not (trend(margin.values).down and float(np.median(last)) < NEGATIVE and wrong):
        return None
    alone = is_kto(patient) and accuracy is None
    if float(np.mean(last < 0)) < NEARLY_ALWAYS or (alone and len(margin) < MIN_MARGINS_ALONE):
        return None
    return Hit(
        series=margin.name,
        span=Stretch(len(margin) - len(last), len(margin) - 1, 0).span(margin),
        message=f"the margin has fallen to {float(np.median(last)):.3g}: rejected answers win",
        advice="check the sign of the loss, and print one pair with its label",
        causes=("wrong sign of the loss", *SWAPPED),
    )


def _base_disagrees(patient: Patient) -> Hit | None:
    accuracy = patient.find("preference/accuracy")
    if accuracy is None or len(accuracy) < MIN_ACCURACIES or not reference_free(patient):
        return None
    first = early(accuracy.values, TENTH, FIRST)
    margin = patient.find("preference/margin")
    if float(np.max(first)) > HARDLY_ANY or margin is None:
        return None
    if float(np.max(margin.values[:FIRST])) >= 0:
        return None
    return Hit(
        series=accuracy.name,
        span=Stretch(0, len(first) - 1, 0).span(accuracy),
        message="the base model prefers the rejected answer in "
        f"{1 - float(np.mean(first)):.0%} of the pairs",
        advice="print one pair with its label: chosen and rejected look swapped",
        severity="warning",
        causes=SWAPPED,
    )
