"""Several series, one story: from the courses of the outcomes to one word and one sentence.

The table, by training (columns) and held-out (rows); "good" is risen or high, "-" nothing that speaks,
"learn(ed)" learning, or learned if it no longer rises:

| held-out | good | lost or worse | flat | - |
|---|---|---|---|---|
| good | learn(ed) | lost in training | learn(ed) | learn(ed) |
| lost or worse | overfitting | lost held out | lost held out | lost held out |
| flat | overfitting, unless it is high | lost in training | stuck | stuck |
| - | learn(ed) | lost in training | stuck | cannot tell |

Before the table: a return or reward that is good beside a success that is not, or hardly, is not
success, and neither is one of a known task with another reward than its own. A held-out outcome that
stands still while the reward goes on rising is stalled. After it: what stands still below the user's
target, next to nowhere, or for half of the run far below what a task allows, is stalled there, and a
standstill does not count before half of the plan is done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runvitals.model.finding import VerdictWord
from runvitals.rules.outcome.course import (
    COLLAPSED,
    ENOUGH,
    GIVEN_BACK,
    LARGE,
    LIKELY,
    NEAR_CEILING,
    SURE,
)
from runvitals.rules.outcome.health import MANY, Health, Plot
from runvitals.rules.outcome.reading import (
    LENGTH,
    PAID,
    Outcome,
    Outcomes,
    ends_at,
    moved,
    sank,
    stood,
    told,
)
from runvitals.rules.outcome.roles import LEARNED_BY_TRYING

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

LOW = 0.2  # of a ceiling: a rate that ends below has learned next to nothing
HIGH = 0.75  # of a ceiling: little left to learn
SINCE = (0.25, 0.45, 0.65)  # of the run, since when an outcome may stand still
RAN_AWAY = 1.5  # times its start: a loss that has left where training works


def tell(patient: Patient, outcomes: Outcomes) -> Health:
    """The story of a run's outcomes."""
    return _Teller(patient, outcomes).story()


class _Teller:
    """Asks the outcomes of one run the questions of the table, one after the other."""

    def __init__(self, patient: Patient, outcomes: Outcomes) -> None:
        self.patient, self.outcomes = patient, outcomes

    def said(self, word: VerdictWord, plot: Plot, reason: str, main: Outcome | None) -> Health:
        return Health(word, plot, reason, self.outcomes, main)

    def story(self) -> Health:
        training, held_out = self.outcomes.training, self.outcomes.held_out
        success = self.outcomes.success
        sides = [one for one in (held_out, training) if one is not None]
        if not sides:
            reason = "no outcome was logged: no return, success rate, score or loss"
            return self.said("cannot tell", "none", reason, None)
        longest = max(sides, key=lambda side: side.course.points)
        if self.patient.run.beside:
            return self.early(
                longest, f" beside {self.patient.run.beside}, the training of this file"
            )
        if training is not None and (missed := self.missed(training)) is not None:
            return missed
        falling = training is not None and training.course.falls
        if success is not None and success.course.speaks and not falling:
            training = success  # a falling return is not success, whatever else is counted as it
        if training is not None and held_out is not None:
            left_behind = self.left_behind(training, held_out)
            if left_behind is not None:
                return left_behind
        if training is not None and training.course.speaks:
            if held_out is not None and held_out.course.speaks:
                return self.by_both(training, held_out)
            return self.by_one(training, self.aside(held_out))
        if held_out is not None and held_out.course.speaks:
            return self.by_one(held_out)
        return self.early(longest) if longest.course.shape == "few" else self.open(longest)

    def missed(self, paid: Outcome) -> Health | None:
        """What is paid for rises, and what it is meant for does not; None if that is not so."""
        held_out, task = self.outcomes.held_out, self.outcomes.task
        if held_out is not None and held_out.course.good and held_out.role.kind not in PAID:
            return None  # a held-out return may be paid for the wrong thing too
        if task is not None and task.is_turned(paid.series.values):
            reason = (
                f"{paid.series.name} begins at {told(paid.shown(paid.course.start))}, which is what "
                f"an untrained policy gets in {task.title} with the sign turned, and is "
                f"{ends_at(paid)} now"
            )
            return self.said("not learning", "worse", reason, paid)
        meant = self.outcomes.success
        if not paid.course.good or meant is None:
            return None
        if (meant.course.good or not meant.course.speaks) and not _hardly_rose(meant):
            return None
        if (wait := self.too_early(meant)) is not None:
            return wait
        how = sank(meant) if meant.course.falls else stood(meant)
        if task is not None and meant.metric == LENGTH:
            way = "longer" if task.longer_is_better else "shorter"
            how = f"{how}: in {task.title} {way} episodes are better"
        return self.said("not learning", "missed", f"{moved(paid)}, but {how}", meant)

    def left_behind(self, training: Outcome, held_out: Outcome) -> Health | None:
        """A reward goes on rising while the held-out score gains nothing; None if that is not so."""
        mine, theirs = training.course, held_out.course
        if held_out.metric not in LEARNED_BY_TRYING or theirs.points < ENOUGH or not mine.good:
            return None
        if training.role.kind in ("loss", "margin") or theirs.shape != "rose":
            return None
        if _keeps_up(training, held_out) or self.too_early(held_out) is not None:
            return None
        much = np.maximum(GIVEN_BACK * (mine.level.end - mine.level.start), LARGE * mine.matters)
        for share in SINCE:
            gained = float(np.mean(mine.level.end - mine.level.at(share) > much))
            if min(gained, theirs.stood(since=share, times=LARGE)) > SURE:
                step = int(held_out.series.steps[int(share * theirs.points)])
                how = f"{held_out.series.name} is at {ends_at(held_out)} since step {step:,} or before"
                return self.said("stalled", "parted", f"{moved(training)}, but {how}", held_out)
        return None

    def stands_still(self, one: Outcome, ceiling: float) -> bool:
        """A task is next to never done, or far worse than it can be and no better for half of the run.

        Nobody knows how accurate one can be on given data, but a task can be done.
        """
        if one.metric not in LEARNED_BY_TRYING or one.course.now >= HIGH * ceiling:
            return False
        stood = one.course.stood(since=SINCE[1])
        if one.course.now < LOW * ceiling:
            return stood > 0.5
        enough = one.course.points >= ENOUGH and self.patient.is_any_of(["rl"])
        return enough and stood > LIKELY

    def by_one(self, one: Outcome, aside: str = "") -> Health:
        return self.praise(one, aside) if one.course.good else self.blame(one)

    def by_both(self, training: Outcome, held_out: Outcome) -> Health:
        mine, theirs = training.course, held_out.course
        if held_out.role.kind == "loss" and training.role.kind in PAID:
            return self.by_one(training)  # a reward is not learned by lowering it
        if theirs.good and mine.never_rose and not (theirs.rose or mine.falls):
            return self.blame(training)  # it was high before: training taught it nothing
        if theirs.good:
            if mine.falls and training.role.kind not in ("loss", "margin"):  # batches get harder
                blamed = self.blame(training)
                reason = f"{blamed.reason}, although {moved(held_out)}"
                return self.said(blamed.word, blamed.plot, reason, training)
            return self.praise(held_out)
        if not mine.good:
            return self.blame(training if mine.falls and not theirs.falls else held_out)
        if not theirs.falls:
            if _keeps_up(training, held_out):
                main = held_out if training.role.kind == "loss" else training
                return replace(self.praise(training, f"; {stood(held_out)}"), main=main)
            if (wait := self.too_early(held_out)) is not None:
                return wait
        verb = sank(held_out) if theirs.falls else stood(held_out)
        return self.said("overfitting", "parted", f"{moved(training)}, but {verb}", held_out)

    def praise(self, one: Outcome, aside: str = "") -> Health:
        course, ceiling = one.course, one.ceiling
        if course.rising and course.shape == "rose":
            return self.said("learning", "rises", f"{moved(one)} and still improves{aside}", one)
        if course.shape == "high" or ceiling is None:
            rose = course.change >= course.matters
            reason = moved(one) if rose else f"{one.series.name} is at {ends_at(one)}"
            if ceiling is None and one.role.kind != "loss":
                aside = f"; only you know whether {ends_at(one)} is good{aside}"
            return self.said("learned", "holds", f"{reason} and holds{aside}", one)
        low = course.now < ceiling if one.asked else self.stands_still(one, ceiling)
        if low and self.too_early(one) is None:
            return self.said("stalled", "low", f"{moved(one)} and stalled there{_below(one)}", one)
        what = "target" if one.asked else "maximum"
        reason = f"{moved(one)}; its {what} is {told(one.shown(ceiling))}{aside}"
        return self.said("learning", "holds", reason, one)

    def blame(self, one: Outcome) -> Health:
        course = one.course
        if course.shape == "lost":
            if course.lost < COLLAPSED:
                return self.said("stalled", "lost", sank(one), one)
            step = int(one.series.steps[course.begins])
            reason = (
                f"{one.series.name} lost {min(course.lost, 1):.0%} of what it had gained by step "
                f"{step:,}: from {told(one.shown(course.best))} at its best to {ends_at(one)}"
            )
            return self.said("collapsed", "lost", reason, one)
        if (wait := self.too_early(one)) is not None:
            return wait
        if course.shape == "worse":
            start, now = one.shown(course.start), one.shown(course.now)
            if one.role.kind == "loss" and now >= RAN_AWAY * start > 0:
                return self.said("diverged", "worse", moved(one), one)
            return self.said("not learning", "worse", f"{moved(one)}: it is getting worse", one)
        high = one.ceiling is not None and not one.asked and course.now >= HIGH * one.ceiling
        if high and course.shape != "constant":  # answers that never change were not learned
            reason = f"{stood(one)}: there may be little left to gain"
            return self.said("cannot tell", "steady", reason, one)
        reason = f"{stood(one)}: no improvement{_below(one) if one.asked else ''}"
        return self.said("not learning", "stuck", reason, one)

    def open(self, one: Outcome) -> Health:
        """Nothing speaks, although there are rows."""
        rise, lost = one.course.chances["rise"], one.course.chances["lost"]
        doubt = f"too noisy to tell from chance (a gain that matters: {rise:.0%})"
        if rise > SURE:
            best = told(one.shown(one.course.best))
            doubt = f"but may be falling back from {best} (chance {lost:.0%})"
        reason = f"{moved(one)}, {doubt}; log it for longer, or over more episodes"
        return self.said("cannot tell", "unsure", reason, one)

    def early(self, one: Outcome, aside: str = "") -> Health:
        points = one.course.points
        reason = f"{one.series.name} has only {points} point{'' if points == 1 else 's'}{aside}"
        return self.said("too early to tell", "early", reason, one)

    def too_early(self, one: Outcome) -> Health | None:
        """The story where a standstill says nothing yet; None where it does."""
        patient = self.patient
        why = "the run goes on, and how long is unknown"
        waits = patient.progress is None and one.course.points < MANY
        if patient.progress is not None:
            why = "less than half of the plan is done"
            waits = patient.progress < 0.5
        if not waits or (patient.run.status != "running" and patient.until is None):
            return None
        reason = f"{one.series.name} has not improved yet, but {why}"
        return self.said("too early to tell", "early", reason, one)

    def aside(self, silent: Outcome | None) -> str:
        """What is missing beside a supervised training: a held-out outcome that speaks."""
        patient = self.patient
        if not patient.is_any_of(["supervised"]) or patient.kind == "unknown":
            return ""
        if silent is None:
            return ", on its training data; nothing held out was logged"
        return f", on its training data; {silent.series.name} does not tell yet"


def _keeps_up(training: Outcome, held_out: Outcome) -> bool:
    """A flat held-out outcome is high, or about as good as training has become."""
    if held_out.ceiling is not None and held_out.course.now >= HIGH * held_out.ceiling:
        return True
    if training.role.kind != held_out.role.kind or held_out.role.kind == "loss":
        return False
    return held_out.course.now >= training.course.now - LARGE * training.course.matters


def _hardly_rose(success: Outcome) -> bool:
    """A rate of success that surely gained next to nothing, is low, and gains nothing now."""
    course = success.course
    if success.role.kind != "rate" or course.now >= LOW or course.points < ENOUGH:
        return False
    return not course.rising and course.gained_at_most(NEAR_CEILING)


def _below(one: Outcome) -> str:
    """`, below your target of 0.7`; a loss is above it."""
    if one.ceiling is None:
        return ""
    if not one.asked:
        return f", far from its ceiling of {told(one.shown(one.ceiling))}"
    side = "above" if one.role.lower_is_better else "below"
    return f", {side} your target of {told(one.shown(one.ceiling))}"
