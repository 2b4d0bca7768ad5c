"""Training and held-out outcomes side by side: what one gained, and whether the other followed."""

from __future__ import annotations

import numpy as np

from runvitals.model import FloatArray
from runvitals.rules.outcome.reading import Outcome
from runvitals.rules.outcome.sentences import CHANCE
from runvitals.rules.outcome.shape import (
    BLOCKS,
    HIGH,
    IN_ORDER,
    MIN_POINTS,
    WITHIN,
    block_means,
    ends_on_top,
)
from runvitals.signals.held_out import sampling_error
from runvitals.signals.rank import chance_of_order

NEXT_TO_ZERO = 0.1  # of its start: a training loss that has nothing left to learn (judgement)
ALREADY = 0.75  # of the ceiling, from the start on: little left to learn (judgement)
HALF_OF_ALL = (
    0.5  # of all episodes: a task that is done more often than not is not a failure (judgement)
)
FAR_APART = 0.3  # of all examples, that training is ahead: twice what rldoctor warns from
GAP = (
    0.15  # of its level in training, that a held-out rate may lie behind (rldoctor warns from 0.15)
)
OF_EXAMPLES = ("loss", "margin")  # of batches that may become harder on purpose, as returns do not
PAID = ("return", "reward", "score")  # what may swing as widely as it is high
MIN_TOGETHER = 3  # rows of each of two losses, as three epochs leave them (judgement)
A_LITTLE = 0.5  # of what matters, that evaluations of one set gained in order (judgement)
FAR_BELOW = 2.5  # standard deviations: chance puts the first row there in 1 of 160 cases
A_PART = 0.15  # of what training gained: so little is left behind, not late (judgement)
MIN_TO_CONFIRM = 8  # evaluations, in one of which a gain would show (judgement)
A_TENTH = 0.1  # of all, that a held-out rate may have gained at most, beside a reward that rose
TRIED = (*PAID, "rate")  # outcomes of what is learned by trying, and no losses
FAR_WORSE = 0.2  # of where a held-out loss began: more is not as good as training (judgement)
ERRORS_APART = 2.0  # standard errors: two levels this close may be the same (95%)
MIN_AT_CHANCE = 2  # evaluations that are where training began


def good(one: Outcome) -> bool:
    """Whether it rose or is high, and has lost nothing since."""
    return one.course.shape in ("rose", "high")


def may_gain(one: Outcome, in_order: float = IN_ORDER) -> bool:
    """Whether its change is one that chance seldom makes, or its order is (as seldom as said)."""
    course = one.course
    if course.points < MIN_POINTS:
        return False
    if course.change > WITHIN * course.change_error:
        return True
    means = one.values if len(one.values) <= BLOCKS else block_means(one.values, BLOCKS)
    return chance_of_order(means)[0] <= in_order or ends_on_top(one.values)


def gains(one: Outcome, share: float = A_LITTLE) -> bool:
    """Whether it may gain, and by this share of what matters."""
    return may_gain(one) and one.course.change >= share * one.course.matters


def began_far_below(values: FloatArray) -> bool:
    """Whether the first row lies below all others, and farther from their mean than they ever stray."""
    rest = values[1:]
    strays = float(rest.std())
    return bool(values[0] < rest.min() and rest.mean() - values[0] >= FAR_BELOW * strays > 0)


def is_unconfirmed(training: Outcome, held_out: Outcome) -> bool:
    """Whether many held-out rows show no gain beside one in training, and are not as good as that."""
    mine, theirs = training.course, held_out.course
    if theirs.shape != "unsure" or not are_comparable(training, held_out):
        return False
    if theirs.points < MIN_TO_CONFIRM:
        return _ends_far_below_its_best(held_out)
    if gains(held_out, share=1.0):
        return False
    if held_out.role.kind == "rate" and theirs.now >= ALREADY:
        return False
    same = training.role.kind == held_out.role.kind
    return not same or mine.now - theirs.now >= HALF_OF_ALL * mine.change


def _ends_far_below_its_best(one: Outcome) -> bool:
    """Whether the last row of a few has lost half of the gain, which a single one may by chance."""
    values = one.values
    rise, fall = float(values.max() - values[0]), float(values.max() - values[-1])
    return fall >= max(HALF_OF_ALL * rise, one.course.matters) > 0


def left_at_chance(training: Outcome, held_out: Outcome) -> bool:
    """Whether a rate is known by heart: training has left its start far behind, evaluation never has.

    Two evaluations are enough for that: half of all that can be lies between the two.
    """
    if held_out.course.shape != "few" or held_out.course.points < MIN_AT_CHANCE:
        return False
    if training.role.kind != "rate" or held_out.role.kind != "rate" or not good(training):
        return False
    most = float(held_out.values.max())
    near = training.course.start + GAP
    return most <= near and training.course.now - most >= HALF_OF_ALL


def are_comparable(training: Outcome, held_out: Outcome) -> bool:
    """Whether a gain of the one should show in the other: a loss only in a loss."""
    kinds = {training.role.kind, held_out.role.kind}
    return kinds == {"loss"} or kinds <= set(TRIED)


def left_behind(training: Outcome, held_out: Outcome) -> bool:
    """Whether a held-out outcome has at most a small part of what was gained in training.

    However noisy it is: it shows no gain, what noise may hide is little, and it is not high either. Of
    the same measure even a small gain beyond chance is next to nothing, if it ends far below training.
    """
    mine, theirs = training.course, held_out.course
    if mine.shape != "rose" or theirs.shape not in ("unsure", "rose") or theirs.points < MIN_POINTS:
        return False
    if not are_comparable(training, held_out):
        return False
    most = theirs.change + WITHIN * theirs.change_error
    if training.role.kind == held_out.role.kind:
        far = mine.now - theirs.now >= HALF_OF_ALL * mine.change
        return far and most <= A_PART * mine.change
    if theirs.shape == "rose" or gains(held_out, share=1.0):
        return False
    if held_out.role.kind == "rate":
        return theirs.now < ALREADY and most <= A_TENTH
    sizes = [max(abs(one.start), abs(one.now)) for one in (mine, theirs)]
    gained = mine.change / sizes[0] if sizes[0] else 0.0
    return most <= A_PART * gained * sizes[1]


def fall_together(training: Outcome, held_out: Outcome) -> bool:
    """Whether few rows of two losses, in training and held out, fall without a break, by what matters.

    Three in order by chance are 1 of 6, and so are the other three: 1 of 36 for the least there is.
    """
    for one in (training, held_out):
        course = one.course
        if one.role.kind != "loss" or course.shape != "few" or course.points < MIN_TOGETHER:
            return False
        if not (np.diff(one.values) > 0).all() or one.values[-1] - one.values[0] < course.matters:
            return False
    return True


def lean_together(training: Outcome, held_out: Outcome) -> bool:
    """Whether a held-out loss falls in order, by little, and the training loss likely fell as well.

    Neither is enough by itself: a little matters little, however orderly, and batches stray.
    """
    mine, theirs = training.course, held_out.course
    if training.role.kind != "loss" or held_out.role.kind != "loss":
        return False
    if mine.shape != "unsure" or theirs.shape != "unsure":
        return False
    likely = mine.change >= max(mine.matters, CHANCE * mine.change_error)
    in_order = chance_of_order(held_out.values)[0] <= IN_ORDER
    return likely and in_order and theirs.change >= A_LITTLE * theirs.matters


def keeps_up(training: Outcome, held_out: Outcome) -> bool:
    """Whether a flat held-out outcome is about as good as training has become: it was from the start.

    It is measured on one set of examples, which may be easier or harder by its sampling error.
    """
    mine, theirs = training.course, held_out.course
    if theirs.falls or training.role.kind != held_out.role.kind:
        return False
    if held_out.role.kind == "loss" and theirs.start - theirs.now > FAR_WORSE * -theirs.start:
        return False
    slack = max(mine.matters, ERRORS_APART * (mine.now_error + theirs.now_error))
    if held_out.role.kind == "rate":
        slack = max(slack, GAP * mine.now, ERRORS_APART * sampling_error(held_out.values))
    return theirs.now >= mine.now - slack


def was_there_before(training: Outcome, held_out: Outcome) -> bool:
    """Whether a held-out rate was high from its first row on, before which most was learned already.

    A training loss or margin goes on then: it shows how sure answers are, not how many are right.
    """
    mine, theirs = training.course, held_out.course
    if training.role.kind not in OF_EXAMPLES or held_out.role.kind != "rate" or theirs.falls:
        return False
    left = training.shown(mine.now) / training.shown(mine.start) if mine.start else 1.0
    by_heart = training.role.kind == "loss" and left < NEXT_TO_ZERO
    return theirs.now >= ALREADY and not by_heart


def known_by_heart(training: Outcome, held_out: Outcome) -> bool:
    """Whether nearly all training examples are classified rightly, and far fewer others."""
    if (training.metric, held_out.metric) != ("supervised/accuracy", "eval/supervised/accuracy"):
        return False
    mine, theirs = training.course.now, held_out.course.now
    return mine >= HIGH and mine - theirs >= FAR_APART
