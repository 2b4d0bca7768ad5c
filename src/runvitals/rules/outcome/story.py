"""Several series, one story: from the courses of the outcomes to one word and one sentence.

The table, by training (columns) and held-out (rows); "good" is risen or
high, "-" nothing that speaks, "learn(ed)" learning, or learned if it no longer rises:

| held-out | good | lost | worse | flat | - |
|---|---|---|---|---|---|
| good | learn(ed) | lost in training | worse in training | learn(ed) | learn(ed) |
| lost | overfitting | lost | lost | lost | lost |
| worse | overfitting | worse | worse | worse | worse |
| flat | overfitting | lost | worse | stuck | stuck |
| - | learn(ed) | lost | worse | stuck | cannot tell |

Two losses that likely fell, the held-out one with every evaluation, are learning together.
Two losses of three or four rows, in training and held out, that both fall in every row are learning.
A training loss that gets worse beside a good held-out outcome is of harder batches, and no failure.
A return or rate of many rows that is too noisy to tell, and shows no gain by its end, has none to show.
A return that swings as widely as it is high, up and down again without a gain, gets nowhere.
A return or reward in training that is good beside a success that stays low is not success; nor beside
a part of the reward that is logged, has no weight in it, and falls or stays low; nor in a known task
with another reward than its own, whose episodes show that it is not solved, or with its own reward and
the sign turned. A rate that
has risen and stands still far from its ceiling is stuck there, and so is anything that stands still
below the target that its script set with `run.expect`, and a small change of which the updates of the
policy are not the cause, since they have hardly moved it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runvitals.rules.outcome.avoiding import only_avoids
from runvitals.rules.outcome.course import RAN_AWAY
from runvitals.rules.outcome.health import Health
from runvitals.rules.outcome.reading import Outcome, Outcomes, read
from runvitals.rules.outcome.roles import ROLES
from runvitals.rules.outcome.sentences import (
    below,
    ends_at,
    held,
    moved,
    sank,
    stood,
    swung,
    told,
    unshown,
    unsure,
)
from runvitals.rules.outcome.settling import explores_less, follows_exploration, settling
from runvitals.rules.outcome.shape import (
    COLLAPSED,
    IN_ORDER,
    LIKELY_ORDER,
    MANY,
    MIN_POINTS,
    WITHIN,
)
from runvitals.rules.outcome.sides import (
    A_TENTH,
    ALREADY,
    HALF_OF_ALL,
    OF_EXAMPLES,
    PAID,
    began_far_below,
    fall_together,
    gains,
    good,
    is_unconfirmed,
    keeps_up,
    known_by_heart,
    lean_together,
    left_at_chance,
    left_behind,
    may_gain,
    was_there_before,
)
from runvitals.rules.outcome.unmoved import distance_if_unmoved, may_be_drift, uniform_among
from runvitals.rules.outcome.witness import witness
from runvitals.rules.preference._pairs import beta_of, reference_free
from runvitals.signals.late import HALF as IN_HALVES
from runvitals.signals.late import early_mean, late_mean
from runvitals.signals.levels import is_two_valued

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

LOW = 0.2  # of a ceiling: a rate that ends below has learned next to nothing (judgement)
NEAR = 0.25  # of the way from the start to the ceiling or target, at least, for a plateau to be praised
NEVER = 0.02  # a rate of success that is none
# times its start, or 1: losses that may be negative (likelihoods of densities) go down by a few nats a
# dimension, and those of a sign that was turned by powers of ten (judgement)
BOTTOMLESS = 1000.0
OF_TEXTS = 3.0  # times, where texts are learned: a cross-entropy is never below 0 (judgement)
CROSS_ENTROPIES = ("lm/loss", "eval/lm/loss")
HALF = 0.5  # of the plan: before that a standstill is not a failure (judgement)
DONE = 0.99  # of the plan: the last steps may be missing from the log
MIN_OF_TOKENS = 0.01  # nats: no fine-tune begins lower, so this is the loss of something else
LOW_LOSS = 0.5  # nats: three of five tokens are sure; a fine-tune may begin there (judgement)
OF_PAIRS = ("preference/", "eval/preference/", "rm/", "eval/rm/")  # begin at chance, however low
NEXT_TO_NOTHING = 0.1  # of a rate: less is not success beside a reward that rose (judgement)
HELD_OUT_LOSSES = ("eval/loss", "eval/lm/loss")
# Of its best, that a held-out loss has risen, with no more right answers since: four times what stops a
# training early (GL_5 of Prechelt, see shape.py): a loss may be of a few that are surely wrong.
FAR_PAST = 0.2
OF_PREDICTIONS = ("eval/supervised/accuracy", "eval/supervised/score", "eval/lm/token_accuracy")
BROUGHT_NEAR_ONE = ("supervised/accuracy", "eval/supervised/accuracy")
IN_SELF_PLAY, EVEN = ("outcome/win_rate", "eval/win_rate"), 0.1
# Rows in which a run that learns shows it nearly always, and a language model, whose rewards of a step
# are those of few prompts and rise by little (chosen on looked-at logs: 15 and 40 rows without a gain
# were sick but for one in twenty; 10 and 30 were not).
MIN_UNSHOWN, MIN_UNSHOWN_LLM = 15, 40
# Nats by which whole answers have become likelier than others, at most and in any row: a hundredth,
# which nobody would notice (judgement). Rewards are these, times beta.
NOT_A_STEP, USUAL_BETA = 0.01, 0.1
AT_ONCE = 0.02  # of the run: a policy that was tested so early was not trained yet (judgement)
KNOWN_AT_ONCE = 0.5  # of the variance of returns, by a critic's first row; a new one explains none
SLIPPED = 0.1  # of its ceiling, from one half to the other: less is not lost (judgement)
AT_TOP = 0.5  # of the rows at exactly the highest value: it may be the most there is (judgement)
UNPLANNED = 30  # points, before a standstill counts in a run that goes on for nobody knows how long


def tell(patient: Patient, outcomes: Outcomes) -> Health:
    """The story of a run's outcomes."""
    training, held_out, success = outcomes.training, outcomes.held_out, outcomes.success
    if training is None and held_out is None:
        reason = "no outcome was logged: no return, success rate, score or loss"
        return Health("cannot tell", "none", reason, outcomes, None)
    if training is not None and (told := _with_other_reward(patient, outcomes, training)):
        return told
    if training is not None and (told := _with_what_it_is_for(patient, outcomes, training)):
        return told
    if (told := _with_unmoved_pairs(patient, outcomes)) is not None:
        return told
    if success is not None and success.speaks and training is not None:
        training = training if _costs_more_than_it_gains(training, success) else success
    if training is not None and held_out is not None:
        together = _together(patient, outcomes, training, held_out)
        if together is not None:
            return together
    if held_out is None or not held_out.speaks:
        return _by_one(patient, outcomes, training or held_out, held_out)
    if training is None or not training.speaks:
        return _by_one(patient, outcomes, held_out, None)
    return _by_both(patient, outcomes, training, held_out)


def _with_what_it_is_for(patient: Patient, outcomes: Outcomes, paid: Outcome) -> Health | None:
    """What is paid for rises, and what it is meant for does not; None if that is not so."""
    success = outcomes.success
    if success is None:
        paid_for = paid.role.kind in ("return", "reward")
        return _with_unpaid(patient, outcomes, paid) if paid_for else None
    if (met := _with_success(patient, outcomes, paid, success)) is not None:
        return met
    sides = (success, paid, outcomes.held_out)
    silent = not any(one is not None and one.speaks for one in sides)
    if silent and _next_to_never(success) and _too_early(patient, success) is None:
        reason = f"{stood(success)}: next to never"
        return Health("not learning", "stuck", reason, outcomes, success)
    return None


def _with_unmoved_pairs(patient: Patient, outcomes: Outcomes) -> Health | None:
    """The model is where it began, however many pairs differ by next to nothing in the right way."""
    if patient.kind != "preference" or reference_free(patient):
        return None
    role = next(one for one in ROLES if one.metric == "preference/margin")
    series = patient.find(role.metric)
    if series is None or len(series) < MIN_POINTS:
        return None
    margin = read(patient, role, series)
    beta = beta_of(patient) or USUAL_BETA
    if float(np.abs(margin.values).max()) > NOT_A_STEP * beta or _too_early(patient, margin):
        return None
    reason = f"{stood(margin)}: no answer has become more or less likely than at the start"
    return Health("not learning", "stuck", reason, outcomes, margin)


def _together(
    patient: Patient, outcomes: Outcomes, training: Outcome, held_out: Outcome
) -> Health | None:
    """What two sides say together that none of them says alone; None if that is nothing."""
    if left_at_chance(training, held_out):
        reason = f"{moved(training)}, but {held_out.series.name} is {ends_at(held_out)}"
        return Health("overfitting", "parted", reason, outcomes, held_out)
    if left_behind(training, held_out):
        if (wait := _too_early(patient, held_out)) is not None:
            return _early(outcomes, held_out, wait)
        reason = f"{moved(training)}, but {stood(held_out)}"
        return Health("overfitting", "parted", reason, outcomes, held_out)
    if fall_together(training, held_out):
        reason = f"{moved(held_out)}, and {moved(training)}, both in every row"
        return Health("learning", "rises", reason, outcomes, held_out)
    if lean_together(training, held_out):
        reason = f"{moved(held_out)}, better with every evaluation, and {moved(training)}"
        return Health("learning", "rises", reason, outcomes, held_out)
    return None


def _with_success(
    patient: Patient, outcomes: Outcomes, paid: Outcome, success: Outcome
) -> Health | None:
    """What is paid for rises, and success stays low; None if that is not so."""
    low = success.course.gained_at_most(NEXT_TO_NOTHING) and success.course.now < HALF_OF_ALL
    if not low or not paid.speaks or paid.course.shape not in ("rose", "high"):
        return None
    if outcomes.held_out is not None and good(outcomes.held_out):
        return None
    if (wait := _too_early(patient, success)) is not None:
        return _early(outcomes, success, wait)
    if success.course.never_rose and follows_exploration(patient, paid.series):
        reason = f"{stood(success)}; {moved(paid)} only as random actions became fewer"
        return Health("not learning", "stuck", reason, outcomes, success)
    reason = f"{moved(paid)}, but {stood(success)}"
    return Health("not learning", "missed", reason, outcomes, success)


def _with_other_reward(patient: Patient, outcomes: Outcomes, paid: Outcome) -> Health | None:
    """A known task with another reward than its own gets worse; None if it does not, or none is."""
    task, length = outcomes.task, outcomes.length
    if task is None or any(good(one) for one in (outcomes.held_out, outcomes.success) if one):
        return None
    if task.is_turned(paid.series.values):
        reason = (
            f"{paid.series.name} begins at {told(paid.shown(paid.course.start))}, which is what an "
            f"untrained policy gets in {task.title} with the sign turned, and is {ends_at(paid)} now"
        )
        return Health("not learning", "turned", reason, outcomes, paid)
    if length is None or not length.speaks or not good(paid) or good(length):
        return None
    if (wait := _too_early(patient, length)) is not None:
        return _early(outcomes, length, wait)
    how = sank(length) if length.course.falls else stood(length)
    way = "longer" if task.longer_is_better else "shorter"
    reason = f"{moved(paid)}, but {how}: in {task.title} {way} episodes are better"
    return Health("not learning", "missed", reason, outcomes, length)


def _costs_more_than_it_gains(paid: Outcome, success: Outcome) -> bool:
    """Whether what is paid for falls, and a success that rose by little does not make up for it."""
    return paid.course.falls and success.course.shape == "rose" and success.course.change < A_TENTH


def _next_to_never(success: Outcome) -> bool:
    """Whether success is that rare for certain, after many points, however its few hits are spread.

    Or in each of a few rows, without becoming more frequent.
    """
    course = success.course
    most = max(course.best, course.now + WITHIN * course.now_error)
    if course.points >= MANY:
        return most <= NEXT_TO_NOTHING
    few = course.points >= MIN_POINTS and float(success.values.max()) <= NEXT_TO_NOTHING
    return few and not may_gain(success)


def _with_unpaid(patient: Patient, outcomes: Outcomes, paid: Outcome) -> Health | None:
    """What is paid for rises, and a part that is only logged falls or stays low; None if not so."""
    if paid.course.shape not in ("rose", "high"):
        return None
    if outcomes.held_out is not None and good(outcomes.held_out):
        return None
    aside = witness(patient)
    if aside is None:
        return None
    course = aside.course
    stays = course.shape == "constant" and course.now == 0.0
    if aside.role.kind == "rate":
        leans = not course.never_rose and course.change > course.change_error
        low = course.gained_at_most(NEXT_TO_NOTHING) and course.now < HALF_OF_ALL
        stays = low and not leans  # a part that is hard to get may come late
    if not course.falls and not stays:
        return None
    if (wait := _too_early(patient, aside)) is not None:
        return _early(outcomes, aside, wait)
    how = sank(aside) if course.falls else stood(aside)
    reason = f"{moved(paid)}, but {how}, which is logged and does not count in it"
    return Health("not learning", "missed", reason, outcomes, aside)


def _by_one(
    patient: Patient, outcomes: Outcomes, one: Outcome | None, silent: Outcome | None
) -> Health:
    """The word by the only side that speaks."""
    assert one is not None
    course = one.course
    aside = _aside(patient, one, silent)
    if course.shape == "few":
        return _early(outcomes, one)
    if course.swings and one.role.kind in PAID and _too_early(patient, one) is None:
        return Health("not learning", "swings", swung(one), outcomes, one)
    if course.shape in ("unsure", "rose") and (drift := _drift(patient, one)) is not None:
        return Health("not learning", "stuck", drift, outcomes, one)
    if course.shape == "unsure" and _is_low_in_any_case(patient, one):
        reason = f"{moved(one)}, far from its ceiling of {told(one.shown(one.ceiling or 1.0))}"
        return Health("stalled", "low", reason, outcomes, one)
    if course.shape == "unsure" and _shows_no_gain(patient, one, silent):
        if (excuse := _excuse(one)) is not None:
            return Health("cannot tell", "steady", f"{stood(one)}: {excuse}", outcomes, one)
        return Health("stalled", "unshown", unshown(one), outcomes, one)
    if course.shape == "unsure":
        return Health("cannot tell", "unsure", unsure(one), outcomes, one)
    if course.shape == "rose" and silent is not None and is_unconfirmed(one, silent):
        return Health(
            "cannot tell", "unsure", f"{moved(one)}, but {unsure(silent)}", outcomes, silent
        )
    if course.shape in ("rose", "high"):
        return _praise(patient, outcomes, one, aside)
    if course.shape == "flat" and silent is not None and silent is not one and gains(silent):
        reason = f"{stood(one)}, but {moved(silent)}: too little to matter, though steady"
        return Health("cannot tell", "unsure", reason, outcomes, silent)
    return _blame(patient, outcomes, one)


def _is_low_in_any_case(patient: Patient, one: Outcome) -> bool:
    """Whether a rate has ended next to nothing, as far as its noise lets it: risen or not."""
    course = one.course
    if one.role.kind != "rate" or one.target or one.ceiling is None or not _is_over(patient):
        return False
    if course.points < MIN_UNSHOWN or _too_early(patient, one) is not None:
        return False
    return course.now + WITHIN * course.now_error < LOW * one.ceiling and not course.rising


def _is_over(patient: Patient) -> bool:
    return patient.run.status != "running" and patient.until is None


def _shows_no_gain(patient: Patient, one: Outcome, silent: Outcome | None) -> bool:
    """Whether a run is over, and neither the change of its outcome nor the order of its rows is a gain.

    Noise may hide one; but a run that learns shows it by then, nearly always, and whoever waits for it
    should know. Losses of batches are left out: what fine-tuning gains of them is small beside noise.
    """
    if one.role.kind not in (*PAID, "rate") or not _is_over(patient):
        return False
    least = MIN_UNSHOWN_LLM if patient.kind == "llm-rl" else MIN_UNSHOWN
    if one.course.points < least or _too_early(patient, one) is not None:
        return False
    if began_far_below(one.values):
        return False  # what it gained at once may be all there is to gain
    # rewards of a few prompts a step creep up, and hardly any order of them is beyond chance
    in_order = LIKELY_ORDER if patient.kind == "llm-rl" else IN_ORDER
    return not any(may_gain(side, in_order) for side in (one, silent) if side is not None)


def _drift(patient: Patient, one: Outcome) -> str | None:
    """What is said of a small change that the policy has no part in; None if it may have."""
    if one.held_out or _too_early(patient, one) is not None:
        return None
    distance = distance_if_unmoved(patient) if may_be_drift(one.course) else None
    if distance is not None:
        return (
            f"{moved(one)}, and no update moved the policy: all together by {distance:.2g} at most"
        )
    choices = uniform_among(patient) if may_be_drift(one.course, HALF_OF_ALL) else None
    if choices is not None:
        return f"{moved(one)}, and the policy still chooses among {choices} actions at random"
    return None


def _by_both(patient: Patient, outcomes: Outcomes, training: Outcome, held_out: Outcome) -> Health:
    mine, theirs = training.course, held_out.course
    if held_out.role.kind == "loss" and training.role.kind in ("return", "reward"):
        return _by_one(patient, outcomes, training, None)  # a reward is not learned by lowering it
    if known_by_heart(training, held_out):
        ahead = f"{training.series.name} is {ends_at(training)}"
        reason = f"{ahead}, but {held_out.series.name} only {ends_at(held_out)}"
        return Health("overfitting", "parted", reason, outcomes, held_out)
    if good(held_out):
        if mine.falls and training.role.kind in OF_EXAMPLES:  # these may have become harder
            return _praise(patient, outcomes, held_out, f", although {sank(training)}")
        if mine.falls and not good(training):
            blamed = _blame(patient, outcomes, training)
            reason = f"{blamed.reason}, although {moved(held_out)}"
            return Health(blamed.word, blamed.plot, reason, outcomes, training)
        if (loss := _loss_past_its_best(patient, held_out)) is not None:
            reason = f"{sank(loss)}, and {held_out.series.name} gains nothing any more"
            return Health("overfitting", "parted", reason, outcomes, loss)
        return _praise(patient, outcomes, held_out, "")
    if not good(training):
        if theirs.falls or not mine.falls:
            return _blame(patient, outcomes, held_out)
        return _blame(patient, outcomes, training)
    if (nothing := _only_explores_less(patient, outcomes, training, held_out)) is not None:
        return nothing
    if keeps_up(training, held_out) or was_there_before(training, held_out):
        return _praise(patient, outcomes, training, f"; {stood(held_out)}")
    wait = _too_early(patient, held_out)
    if theirs.shape in ("flat", "constant") and wait is not None:
        return _early(outcomes, held_out, wait)
    verb = sank(held_out) if theirs.falls else stood(held_out)
    return Health("overfitting", "parted", f"{moved(training)}, but {verb}", outcomes, held_out)


def _only_explores_less(
    patient: Patient, outcomes: Outcomes, training: Outcome, held_out: Outcome
) -> Health | None:
    """The verdict on a greedy policy that was tested before it learned anything, and never got better.

    What training earns rises to that level as random actions become fewer.
    """
    theirs = held_out.course
    if theirs.shape not in ("flat", "constant") or held_out.role.kind not in PAID:
        return None
    first, span = float(held_out.series.steps[0]), float(patient.last_step)
    untrained = span > 0 and first <= AT_ONCE * span and theirs.points >= MIN_POINTS
    if not untrained or training.course.now > theirs.now + theirs.matters:
        return None
    if not explores_less(patient):
        return None
    reason = f"{stood(held_out)}; {moved(training)} only as random actions became fewer"
    return Health("not learning", "stuck", reason, outcomes, held_out)


def _praise(patient: Patient, outcomes: Outcomes, one: Outcome, aside: str) -> Health:
    course = one.course
    if only_avoids(patient, one):
        reason = (
            f"{moved(one)}, and no row is above 0: it is learning to avoid penalties, unless the "
        )
        return Health(
            "cannot tell", "unsure", f"{reason}sign of the reward is wrong", outcomes, one
        )
    if _runs_below_nothing(patient, one):
        reason = f"{moved(one)}: a loss without a floor, such as one with the wrong sign"
        return Health("diverged", "worse", reason, outcomes, one)
    if course.rising and course.shape == "rose":
        return Health("learning", "rises", f"{moved(one)} and still improves{aside}", outcomes, one)
    if course.shape == "high":
        return Health("learned", "holds", f"{held(one)}{aside}", outcomes, one)
    ceiling = one.ceiling
    low = ceiling is not None and (_is_low(one, ceiling) or _is_stuck_low(one, ceiling))
    low = low and not _loss_says_otherwise(patient, one)
    if ceiling is not None and low and _too_early(patient, one) is None:
        what = "target" if one.target else "ceiling"
        where = below(one) if one.asked else f"far from its {what} of {told(one.shown(ceiling))}"
        reason = f"{moved(one)} and levelled off there, {where}"
        return Health("stalled", "low", reason, outcomes, one)
    if ceiling is not None:
        what = "target" if one.target else "maximum"
        reason = f"{moved(one)}; its {what} is {told(one.shown(ceiling))}{aside}"
        return Health("learning", "holds", reason, outcomes, one)
    left_open = "" if one.role.kind == "loss" else f"; only you know whether {ends_at(one)} is good"
    return Health("learned", "holds", f"{moved(one)} and holds{left_open}{aside}", outcomes, one)


def _runs_below_nothing(patient: Patient, one: Outcome) -> bool:
    """Whether a loss goes down without end: below 0, and far farther from it than it began."""
    most = OF_TEXTS if patient.kind == "sft" else BOTTOMLESS
    start, now = one.shown(one.course.start), one.shown(one.course.now)
    if one.metric in CROSS_ENTROPIES:  # a logarithm of a probability: it has a floor, and that is 0
        return now < 0
    return one.role.kind == "loss" and now < -most * max(abs(start), 1.0)


def _is_low(one: Outcome, ceiling: float) -> bool:
    """Whether an outcome that rose has come next to nowhere, or not to where the user wants it."""
    course = one.course
    if one.asked:
        return course.now < ceiling
    if one.target:
        return course.now - course.start < NEAR * (ceiling - course.start)
    return course.now < LOW * ceiling


def _is_stuck_low(one: Outcome, ceiling: float) -> bool:
    """Whether an accuracy stands still next to guessing, after a small part of the way.

    Success of what is learned by trying is left out: games of chance and hard questions allow no more.
    """
    if one.metric not in BROUGHT_NEAR_ONE or one.target:
        return False
    course = one.course
    return course.now < HALF_OF_ALL and course.change < NEAR * (ceiling - course.start)


def _loss_says_otherwise(patient: Patient, one: Outcome) -> bool:
    """Whether the held-out loss beside a low accuracy has more than halved, and is at its best.

    Then the model has learned the data, and more of it cannot be predicted: a grammar that leaves
    several words open, or noisy labels.
    """
    if one.asked or one.metric not in OF_PREDICTIONS or not one.held_out:
        return False
    loss = _held_out_loss(patient)
    if loss is None or loss.course.shape != "rose" or loss.shown(loss.course.start) <= 0:
        return False
    return loss.shown(loss.course.now) < HALF_OF_ALL * loss.shown(loss.course.start)


def _held_out_loss(patient: Patient) -> Outcome | None:
    for role in ROLES:
        if role.metric in HELD_OUT_LOSSES and (series := patient.find(role.metric)) is not None:
            return read(patient, role, series)
    return None


def _loss_past_its_best(patient: Patient, held_out: Outcome) -> Outcome | None:
    """The held-out loss, if it has left its best and no more predictions are right lately; else None.

    The model grows surer of what it gets wrong. While more and more are right, that does little damage.
    """
    if held_out.asked or held_out.metric not in OF_PREDICTIONS:
        return None
    loss = _held_out_loss(patient)
    if loss is None or loss.course.shape != "lost":
        return None
    best, now = loss.shown(loss.course.best), loss.shown(loss.course.now)
    if not now >= (1 + FAR_PAST) * best > 0:
        return None
    turned = loss.series.steps[min(loss.course.best_index, len(loss.series) - 1)]
    then = int(np.searchsorted(held_out.series.steps, turned))
    then = min(max(then, held_out.course.points // 2), held_out.course.points - 1)
    since = held_out.course.now - float(held_out.course.curve[then])
    return loss if since <= held_out.course.matters else None


def _blame(patient: Patient, outcomes: Outcomes, one: Outcome) -> Health:
    course = one.course
    if course.shape == "lost":
        step = int(one.series.steps[min(course.begins, len(one.series) - 1)])
        top = one.shown(course.best)
        if course.lost >= COLLAPSED:
            reason = (
                f"{one.series.name} lost {min(course.lost, 1):.0%} of what it had gained by step "
                f"{step:,}: from {told(top)} at its best to {ends_at(one)}"
            )
            return Health("collapsed", "lost", reason, outcomes, one)
        return Health("stalled", "lost", sank(one), outcomes, one)
    if (wait := _too_early(patient, one)) is not None:
        return _early(outcomes, one, wait)
    if course.shape == "worse":
        if (
            one.role.kind == "loss"
            and one.shown(course.now) >= RAN_AWAY * one.shown(course.start) > 0
        ):
            return Health("diverged", "worse", moved(one), outcomes, one)
        return Health("not learning", "worse", f"{moved(one)}: it is getting worse", outcomes, one)
    if (excuse := _excuse(one) or _goes_on_from_before(patient, one)) is not None:
        return Health("cannot tell", "steady", f"{stood(one)}: {excuse}", outcomes, one)
    aside = f", {below(one)}" if one.asked else ""
    return Health("not learning", "stuck", f"{stood(one)}: no improvement{aside}", outcomes, one)


def _excuse(one: Outcome) -> str | None:
    """Why an outcome that never rose may still be that of a healthy run."""
    now = one.course.now
    if one.metric in IN_SELF_PLAY and abs(now - HALF_OF_ALL) < EVEN:
        return "about half of all games are won in self-play"
    if one.asked:
        return None
    tuned = one.role.kind == "loss" and not one.metric.startswith(OF_PAIRS)
    if tuned and MIN_OF_TOKENS <= one.shown(now) <= LOW_LOSS and one.course.shape == "flat":
        return "it began that low, and may have little left to learn"
    ceiling = None if one.target else one.ceiling
    if (
        ceiling is None
        and one.role.kind == "reward"
        and 0 <= one.values.min() <= one.values.max() <= 1
    ):
        ceiling = 1.0
    if ceiling is not None:
        began_high = one.course.shape != "unsure" and now >= ALREADY * ceiling
        if began_high or _stays_high(one, ceiling):
            return "it began high, and nothing was gained or lost"
    if one.course.shape != "constant" and one.role.kind in ("score", "return", "reward"):
        top = float(one.values.max())
        # of hits and misses the hits are at the top, however few they are
        least = ALREADY if ceiling is not None and is_two_valued(one.values) else AT_TOP
        if top > 0 and float(np.mean(one.values == top)) >= least:
            return f"most rows are at exactly {told(top)}, which may be the most there is"
    return None


def _stays_high(one: Outcome, ceiling: float) -> bool:
    """Whether both halves are high, however far the few last rows of noisy hits and misses stray.

    That a reward was never above 1 does not make 1 its ceiling, unless it is 0 or 1.
    """
    if one.ceiling is None and not is_two_valued(one.values):
        return False
    early, late = early_mean(one.values, IN_HALVES), late_mean(one.values, IN_HALVES)
    return late >= ALREADY * ceiling and early - late <= SLIPPED * ceiling


def _goes_on_from_before(patient: Patient, one: Outcome) -> str | None:
    """Whether policy and critic had been trained before the log begins, as in a warm start."""
    explained = patient.find("value/explained_variance")
    if one.asked or one.course.shape != "flat" or explained is None:
        return None
    known = float(explained.values[0])
    if known < KNOWN_AT_ONCE:
        return None
    return (
        f"its critic explains {known:.2g} of the returns from the first row on, as after a training"
    )


def _early(outcomes: Outcomes, one: Outcome, why: str | None = None) -> Health:
    points = one.course.points
    reason = f"{one.series.name} has only {points} point{'' if points == 1 else 's'}"
    if why is not None:
        reason = f"{one.series.name} has not improved yet, but {why}"
    return Health("too early to tell", "early", reason, outcomes, one)


def _too_early(patient: Patient, one: Outcome) -> str | None:
    """Why a standstill says nothing yet; None if it does."""
    goes_on = patient.run.status == "running" or patient.until is not None
    if goes_on and patient.progress is not None and patient.progress < HALF:
        return "less than half of the plan is done"
    if goes_on and patient.progress is None and one.course.points < UNPLANNED:
        return "the run goes on, and how long is unknown"
    if not goes_on and patient.progress is not None and patient.progress >= DONE:
        return None  # a warm-up as long as the plan leaves nothing to wait for
    return settling(patient)


def _aside(patient: Patient, one: Outcome, silent: Outcome | None) -> str:
    if one.held_out or not patient.is_any_of(["supervised"]) or patient.kind == "unknown":
        return ""
    if silent is None:
        return ", on its training data; nothing held out was logged"
    why = "has too few points to tell" if silent.course.shape == "few" else "does not tell yet"
    return f", on its training data; {silent.series.name} {why}"
