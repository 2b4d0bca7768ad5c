"""Several series, one story: from the courses of the outcomes to one word and one sentence.

The table, by training (columns) and held-out (rows); "good" is risen or high, "-" nothing that speaks,
"learn(ed)" learning, or learned if it no longer rises:

| held-out | good | lost or worse | flat | - |
|---|---|---|---|---|
| good | learn(ed) | lost in training | learn(ed) | learn(ed) |
| lost or worse | overfitting | lost held out | lost held out | lost held out |
| flat | overfitting | lost in training | stuck | stuck |
| - | learn(ed) | lost in training | stuck | cannot tell |

Before the table: a return or reward that is good beside a success that is not, or hardly, is not
success, and neither is one of a known task with another reward than its own. A held-out outcome that
stands still while the reward goes on rising is stalled. After it: what stands still far below its
ceiling or target is stalled there, and a standstill does not count before half of the plan is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runvitals.rules.outcome.course import (
    COLLAPSED,
    ENOUGH,
    GIVEN_BACK,
    LARGE,
    LIKELY,
    NEAR_CEILING,
    SURE,
)
from runvitals.rules.outcome.health import MANY, Health
from runvitals.rules.outcome.reading import (
    PAID,
    Outcome,
    Outcomes,
    below,
    ends_at,
    held,
    moved,
    sank,
    stood,
    told,
    unsure,
)
from runvitals.rules.outcome.roles import LEARNED_BY_TRYING

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

LOW = 0.2  # of a ceiling: a rate that ends below has learned next to nothing
NEAR = 0.25  # of the way to a target, at least, for a plateau to be praised
NEVER = 0.02  # a rate of success that is none
HIGH = 0.75  # of a ceiling: little left to learn
SINCE = (0.25, 0.45, 0.65)  # of the run, since when an outcome may stand still
LOW_LOSS = 0.5  # nats per token: three of five tokens are sure
RAN_AWAY = 1.5  # times its start: a loss that has left where training works
PLAN_SHARE = 0.5  # of the plan: before that a standstill is not a failure


def tell(patient: Patient, outcomes: Outcomes) -> Health:
    """The story of a run's outcomes."""
    training, held_out, success = outcomes.training, outcomes.held_out, outcomes.success
    if training is None and held_out is None:
        reason = "no outcome was logged: no return, success rate, score or loss"
        return Health("cannot tell", "none", reason, outcomes)
    if patient.run.beside:
        return _beside(patient, outcomes)
    if training is not None and (missed := _missed(patient, outcomes, training)) is not None:
        return missed
    if success is not None and success.speaks and not (training and training.course.falls):
        training = success  # a falling return is not success, whatever else is counted as success
    if (left := _left_behind(patient, outcomes, training, held_out)) is not None:
        return left
    if held_out is None or not held_out.speaks:
        if training is None or not training.speaks:
            return _open(outcomes, training, held_out)
        return _by_one(patient, outcomes, training, held_out)
    if training is None or not training.speaks:
        return _by_one(patient, outcomes, held_out, None)
    return _by_both(patient, outcomes, training, held_out)


def _missed(patient: Patient, outcomes: Outcomes, paid: Outcome) -> Health | None:
    """What is paid for rises, and what it is meant for does not; None if that is not so."""
    held_out, success, task = outcomes.held_out, outcomes.success, outcomes.task
    if held_out is not None and held_out.course.good:
        return None
    if task is not None and task.is_turned(paid.series.values):
        reason = (
            f"{paid.series.name} begins at {told(paid.shown(paid.course.start))}, which is what an "
            f"untrained policy gets in {task.title} with the sign turned, and is {ends_at(paid)} now"
        )
        return Health("not learning", "worse", reason, outcomes, paid)
    if not paid.course.good:
        return None
    meant = outcomes.length if outcomes.length is not None else success
    if meant is None:
        return None
    if (meant.course.good or not meant.speaks) and not _hardly_rose(meant):
        return None
    if (wait := _too_early(patient, meant)) is not None:
        return _early(outcomes, meant, wait)
    how = sank(meant) if meant.course.falls else stood(meant)
    if task is not None and meant is outcomes.length:
        way = "longer" if task.longer_is_better else "shorter"
        how = f"{how}: in {task.title} {way} episodes are better"
    return Health("not learning", "missed", f"{moved(paid)}, but {how}", outcomes, meant)


def _hardly_rose(success: Outcome) -> bool:
    """A rate of success that surely gained next to nothing, and is low."""
    if success.role.kind != "rate" or success.course.now >= LOW or success.course.points < ENOUGH:
        return False
    return success.course.gained_at_most(NEAR_CEILING)


def _open(outcomes: Outcomes, training: Outcome | None, held_out: Outcome | None) -> Health:
    """Neither side speaks."""
    sides = [one for one in (held_out, training) if one is not None]
    one = max(sides, key=lambda side: side.course.points)
    if one.course.shape == "few":
        return _early(outcomes, one)
    return Health("cannot tell", "unsure", unsure(one), outcomes, one)


def _by_one(patient: Patient, outcomes: Outcomes, one: Outcome, silent: Outcome | None) -> Health:
    """The word by the only side that speaks."""
    if one.course.good:
        return _praise(patient, outcomes, one, _aside(patient, one, silent))
    return _blame(patient, outcomes, one)


def _by_both(patient: Patient, outcomes: Outcomes, training: Outcome, held_out: Outcome) -> Health:
    mine, theirs = training.course, held_out.course
    if held_out.role.kind == "loss" and training.role.kind in PAID:
        return _by_one(patient, outcomes, training, None)  # a reward is not learned by lowering it
    if theirs.good:
        if mine.falls and training.role.kind not in ("loss", "margin"):  # batches may become harder
            blamed = _blame(patient, outcomes, training)
            reason = f"{blamed.reason}, although {moved(held_out)}"
            return Health(blamed.word, blamed.plot, reason, outcomes, training)
        if mine.good and _far_behind(training, held_out):
            reason = f"{moved(training)}, but {moved(held_out)}"
            return Health("overfitting", "parted", reason, outcomes, held_out)
        return _praise(patient, outcomes, held_out, "")
    if not mine.good:
        return _blame(patient, outcomes, training if mine.falls and not theirs.falls else held_out)
    if not theirs.falls and _keeps_up(training, held_out):
        return _praise(patient, outcomes, training, f"; {stood(held_out)}")
    if not theirs.falls and (wait := _too_early(patient, held_out)) is not None:
        return _early(outcomes, held_out, wait)
    verb = sank(held_out) if theirs.falls else stood(held_out)
    return Health("overfitting", "parted", f"{moved(training)}, but {verb}", outcomes, held_out)


def _keeps_up(training: Outcome, held_out: Outcome) -> bool:
    """A flat held-out outcome is high, or about as good as training has become."""
    if held_out.ceiling is not None and held_out.course.now >= HIGH * held_out.ceiling:
        return True
    if training.role.kind != held_out.role.kind or held_out.role.kind == "loss":
        return False
    return held_out.course.now >= training.course.now - LARGE * training.course.matters


def _far_behind(training: Outcome, held_out: Outcome) -> bool:
    """Of a rate, surely less than half of what training gained arrives held out."""
    if not training.role.kind == held_out.role.kind == "rate":
        return False  # returns of other episodes may be on another scale
    half = (training.course.start + training.course.now) / 2
    far = training.course.now - half > LARGE * training.course.matters
    return far and float(np.mean(held_out.course.level.end < half)) > SURE


def _left_behind(
    patient: Patient, outcomes: Outcomes, training: Outcome | None, held_out: Outcome | None
) -> Health | None:
    """A reward that goes on rising while the held-out score gains nothing; None if that is not so."""
    if training is None or held_out is None or held_out.metric not in LEARNED_BY_TRYING:
        return None
    mine, theirs = training.course, held_out.course
    if not mine.good or training.role.kind in ("loss", "margin") or theirs.points < ENOUGH:
        return None
    if theirs.shape not in ("rose", "unsure") or _keeps_up(training, held_out):
        return None
    much = np.maximum(GIVEN_BACK * (mine.level.end - mine.level.start), LARGE * mine.matters)
    for share in SINCE:
        gained = float(np.mean(mine.level.end - mine.level.at(share) > much))
        if (
            min(gained, theirs.stood(since=share, times=LARGE)) > SURE
            and _too_early(patient, held_out) is None
        ):
            step = int(held_out.series.steps[int(share * theirs.points)])
            how = f"{held_out.series.name} is at {ends_at(held_out)} since step {step:,} or before"
            return Health("stalled", "parted", f"{moved(training)}, but {how}", outcomes, held_out)
    return None


def _praise(patient: Patient, outcomes: Outcomes, one: Outcome, aside: str) -> Health:
    course, ceiling = one.course, one.ceiling
    if course.rising and course.shape == "rose":
        return Health("learning", "rises", f"{moved(one)} and still improves{aside}", outcomes, one)
    if course.shape == "high":
        return Health("learned", "holds", f"{held(one)}{aside}", outcomes, one)
    if ceiling is not None and _is_low(patient, one, ceiling) and _too_early(patient, one) is None:
        what = "target" if one.target else "ceiling"
        where = below(one) if one.asked else f"far from its {what} of {told(one.shown(ceiling))}"
        reason = f"{moved(one)} and stalled there, {where}"
        return Health("stalled", "low", reason, outcomes, one)
    if ceiling is not None:
        what = "target" if one.target else "maximum"
        reason = f"{moved(one)}; its {what} is {told(one.shown(ceiling))}{aside}"
        return Health("learning", "holds", reason, outcomes, one)
    left_open = "" if one.role.kind == "loss" else f"; only you know whether {ends_at(one)} is good"
    return Health("learned", "holds", f"{moved(one)} and holds{left_open}{aside}", outcomes, one)


def _is_low(patient: Patient, one: Outcome, ceiling: float) -> bool:
    """An outcome that rose has come next to nowhere, or not to where the user wants it."""
    course = one.course
    if one.asked:
        return course.now < ceiling
    if one.target:
        return course.now - course.start < NEAR * (ceiling - course.start)
    if course.now < LOW * ceiling:
        return True
    # nobody knows how accurate one can be on given data, but a task can be done
    tried = one.metric in LEARNED_BY_TRYING and patient.is_any_of(["rl"])
    stands = tried and course.points >= ENOUGH
    return stands and course.now < HIGH * ceiling and course.stood(since=SINCE[1]) > LIKELY


def _blame(patient: Patient, outcomes: Outcomes, one: Outcome) -> Health:
    course = one.course
    if course.shape == "lost":
        if course.lost >= COLLAPSED:
            step = int(one.series.steps[course.begins])
            reason = (
                f"{one.series.name} lost {min(course.lost, 1):.0%} of what it had gained by step "
                f"{step:,}: from {told(one.shown(course.best))} at its best to {ends_at(one)}"
            )
            return Health("collapsed", "lost", reason, outcomes, one)
        return Health("stalled", "lost", sank(one), outcomes, one)
    if (wait := _too_early(patient, one)) is not None:
        return _early(outcomes, one, wait)
    if course.shape == "worse":
        start, now = one.shown(course.start), one.shown(course.now)
        if one.role.kind == "loss" and now >= RAN_AWAY * start > 0:
            return Health("diverged", "worse", moved(one), outcomes, one)
        return Health("not learning", "worse", f"{moved(one)}: it is getting worse", outcomes, one)
    if _little_left(patient, one):
        reason = f"{stood(one)}: there may be little left to gain"
        return Health("cannot tell", "steady", reason, outcomes, one)
    aside = f", {below(one)}" if one.asked else ""
    return Health("not learning", "stuck", f"{stood(one)}: no improvement{aside}", outcomes, one)


def _little_left(patient: Patient, one: Outcome) -> bool:
    """A standstill near a ceiling, or at a loss so low that a fine-tune may begin there."""
    if one.role.kind == "loss" and patient.kind == "sft":
        return one.shown(one.course.now) <= LOW_LOSS and one.course.shape != "constant"
    bound = None if one.target else one.ceiling
    return bound is not None and one.course.now >= HIGH * bound


def _early(outcomes: Outcomes, one: Outcome, why: str | None = None) -> Health:
    points = one.course.points
    reason = f"{one.series.name} has only {points} point{'' if points == 1 else 's'}"
    if why is not None:
        reason = f"{one.series.name} has not improved yet, but {why}"
    return Health("too early to tell", "early", reason, outcomes, one)


def _beside(patient: Patient, outcomes: Outcomes) -> Health:
    """Of a few rows in the file of a far longer training nothing is said."""
    one = max(
        (side for side in (outcomes.training, outcomes.held_out) if side is not None),
        key=lambda side: side.course.points,
    )
    beside = f"{patient.run.beside}, the training of this file"
    reason = f"{one.series.name} has only {one.course.points} points beside {beside}"
    return Health("too early to tell", "early", reason, outcomes, one)


def _too_early(patient: Patient, one: Outcome) -> str | None:
    """Why a standstill says nothing yet; None if it does."""
    goes_on = patient.run.status == "running" or patient.until is not None
    if goes_on and patient.progress is not None and patient.progress < PLAN_SHARE:
        return "less than half of the plan is done"
    if goes_on and patient.progress is None and one.course.points < MANY:
        return "the run goes on, and how long is unknown"
    return None


def _aside(patient: Patient, one: Outcome, silent: Outcome | None) -> str:
    if one.held_out or not patient.is_any_of(["supervised"]) or patient.kind == "unknown":
        return ""
    if silent is None:
        return ", on its training data; nothing held out was logged"
    why = "has too few points to tell" if silent.course.shape == "few" else "does not tell yet"
    return f", on its training data; {silent.series.name} {why}"
