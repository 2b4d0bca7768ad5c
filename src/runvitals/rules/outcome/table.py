"""Several series, one story: from the courses of the outcomes to one word and one sentence.

The table, by training (columns) and held-out (rows); "good" is risen or high, "-" nothing that speaks,
"learn(ed)" learning, or learned if it no longer rises:

| held-out | good | lost or worse | flat | - |
|---|---|---|---|---|
| good | learn(ed) | lost in training | learn(ed) | learn(ed) |
| lost or worse | overfitting | lost held out | lost held out | lost held out |
| flat | overfitting, unless it is high | lost in training | stuck | stuck |
| - | learn(ed) | lost in training | stuck | cannot tell |

Before the table: a return or reward that is good beside a success that is not is not success. A loss
that falls in training proves nothing beside a held-out outcome that rather does not rise. After it:
what stands still below the user's target or next to nowhere is stalled there, and a standstill does
not count before half of the plan is done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runvitals.model.finding import VerdictWord
from runvitals.model.formatting import number
from runvitals.rules.outcome.course import COLLAPSED, ENOUGH, LARGE, SURE
from runvitals.rules.outcome.health import MANY, Health, Plot
from runvitals.rules.outcome.reading import HIGH, LOW, PAID, Outcome, Outcomes, ends_at, moved, sank

if TYPE_CHECKING:
    from runvitals.rules.patient import Patient

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
        if beside := self.patient.run.beside:
            return self.early(longest, f" beside {beside}, the training of this file")
        if training is not None and (missed := self.missed(training)) is not None:
            return missed
        falling = training is not None and training.course.falls
        if success is not None and success.course.speaks and not falling:
            training = success  # a falling return is not success, whatever else is counted as it
        if training is None or not training.course.speaks:
            if held_out is not None and held_out.course.speaks:
                return self.doubted(self.by_one(held_out))
            return self.early(longest) if longest.course.shape == "few" else self.open(longest)
        if held_out is None or not held_out.course.speaks:
            return self.doubted(self.by_one(training, self.aside(held_out)))
        return self.doubted(self.by_both(training, held_out))

    def doubted(self, told: Health) -> Health:
        """Nothing is praised beside a held-out outcome that is silent, but leans the other way."""
        main = told.main
        tested = main is not None and main.role.held_out and main.course.rising
        if not told.good or main is None or (tested and main.course.points >= ENOUGH):
            return told
        fitted = main.role.optimised and main.role.kind not in PAID  # what is given: no proof
        for one in (self.outcomes.held_out, self.outcomes.held_out_loss):
            if one is None or one.course.speaks or one.course.points == 1:
                continue
            chances = one.course.chances
            falls = one.role.kind == "loss" and chances["lost"] + chances["worse"] > 0.5
            if falls or (fitted and one.course.doubtful):
                return self.open(one)
        return told

    def missed(self, paid: Outcome) -> Health | None:
        """What is paid for rises, and what it is meant for does not; None if that is not so."""
        held_out, meant = self.outcomes.held_out, self.outcomes.success
        if held_out is not None and held_out.course.good and held_out.role.kind not in PAID:
            return None  # a held-out return may be paid for the wrong thing too
        if not paid.course.good or meant is None or meant.course.good or not meant.course.speaks:
            return None
        reason = f"{moved(paid)}, but {sank(meant)}"
        return self.too_early(meant) or self.said("not learning", "missed", reason, meant)

    def by_one(self, one: Outcome, aside: str = "") -> Health:
        return self.praise(one, aside) if one.course.good else self.blame(one)

    def by_both(self, training: Outcome, held_out: Outcome) -> Health:
        mine, theirs = training.course, held_out.course
        if theirs.good and (not mine.falls or training.role.kind == "loss"):  # batches get harder
            return self.praise(held_out)
        if theirs.good:
            blamed = self.blame(training)
            return replace(blamed, reason=f"{blamed.reason}, although {moved(held_out)}")
        if not mine.good:
            return self.blame(training if mine.falls and not theirs.falls else held_out)
        if not theirs.falls:
            alike = training.role.kind == held_out.role.kind != "loss"
            if held_out.share >= HIGH or (alike and theirs.now >= mine.now - LARGE * mine.matters):
                return replace(self.praise(training, f"; {moved(held_out)}"), main=training)
            if (wait := self.too_early(held_out)) is not None:
                return wait
        return self.said(
            "overfitting", "parted", f"{moved(training)}, but {sank(held_out)}", held_out
        )

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
        low = course.now < ceiling if one.asked else one.share < LOW
        if low and self.too_early(one) is None:
            return self.said("stalled", "low", f"{moved(one)} and stalled there{_below(one)}", one)
        what = "target" if one.asked else "maximum"
        reason = f"{moved(one)}; its {what} is {number(one.shown(ceiling))}{aside}"
        return self.said("learning", "holds", reason, one)

    def blame(self, one: Outcome) -> Health:
        course = one.course
        if course.shape == "lost":
            if course.lost < COLLAPSED:
                return self.said("stalled", "lost", sank(one), one)
            step = int(one.series.steps[course.begins])
            reason = (
                f"{one.series.name} lost {min(course.lost, 1):.0%} of what it had gained by step "
                f"{step:,}: from {number(one.shown(course.best))} at its best to {ends_at(one)}"
            )
            return self.said("collapsed", "lost", reason, one)
        if (wait := self.too_early(one)) is not None:
            return wait
        if course.shape == "worse":
            start, now = one.shown(course.start), one.shown(course.now)
            if one.role.kind == "loss" and now >= RAN_AWAY * start > 0:
                return self.said("diverged", "worse", moved(one), one)
            return self.said("not learning", "worse", f"{moved(one)}: it is getting worse", one)
        if one.share >= HIGH and course.shape != "constant":  # what never changes is not learned
            reason = f"{moved(one)}: there may be little left to gain"
            return self.said("cannot tell", "steady", reason, one)
        reason = f"{moved(one)}: no improvement{_below(one) if one.asked else ''}"
        return self.said("not learning", "stuck", reason, one)

    def open(self, one: Outcome) -> Health:
        """Nothing speaks, although there are rows."""
        rise, doubt = one.course.chances["rise"], "too noisy to tell from chance"
        doubt = f"{doubt} (a gain that matters: {rise:.0%})"
        if rise > SURE and one.course.best > one.course.now:
            doubt = f"but may be falling back from {number(one.shown(one.course.best))}"
        reason = f"{moved(one)}, {doubt}; log it for longer, or over more episodes"
        return self.said("cannot tell", "unsure", reason, one)

    def early(self, one: Outcome, aside: str = "") -> Health:
        points = one.course.points
        reason = f"{one.series.name} has only {points} point{'' if points == 1 else 's'}{aside}"
        return self.said("too early to tell", "early", reason, one)

    def too_early(self, one: Outcome) -> Health | None:
        """The story where a standstill says nothing yet; None where it does."""
        patient = self.patient
        done, why = patient.progress, "less than half of the plan is done"
        waits = one.course.points < 3 * MANY if done is None else done < 0.5
        if not waits or (patient.run.status != "running" and patient.until is None):
            return None
        if done is None:
            why = "the run goes on, and how long is unknown"
        reason = f"{one.series.name} has not improved yet, but {why}"
        return self.said("too early to tell", "early", reason, one)

    def aside(self, silent: Outcome | None) -> str:
        """What is missing beside a supervised training: a held-out outcome that speaks."""
        if self.patient.kind == "unknown" or not self.patient.is_any_of(["supervised"]):
            return ""
        missing = "nothing held out was logged"
        tells = missing if silent is None else f"{silent.series.name} does not tell yet"
        return f", on its training data; {tells}"


def _below(one: Outcome) -> str:
    """`, below your target of 0.7`; a loss is above it."""
    if one.ceiling is None:
        return ""
    if not one.asked:
        return f", far from its ceiling of {number(one.shown(one.ceiling))}"
    side = "above" if one.role.lower_is_better else "below"
    return f", {side} your target of {number(one.shown(one.ceiling))}"
