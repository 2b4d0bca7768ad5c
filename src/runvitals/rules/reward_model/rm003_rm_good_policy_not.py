"""RM003."""

from collections.abc import Iterator

import numpy as np

from runvitals.model import Hit
from runvitals.model.formatting import short_number
from runvitals.rules.outcome import Outcome
from runvitals.rules.patient import Patient
from runvitals.rules.registry import rule
from runvitals.signals.crossing import Stretch
from runvitals.signals.fall import fall
from runvitals.signals.held_out import drop_from_best, evaluation_noise
from runvitals.signals.late import THIRD, early_median, late_median, points_in
from runvitals.signals.trend import trend

MIN_POINTS, MIN_OUTCOMES = 12, 6  # of the score; of the outcome (judgement)
MIN_THIRD = 2  # points of the outcome
CLEAR = 2.0  # times the noise, that the score has to rise
FELL, FELL_SHARE = 0.1, 0.3  # of the scale; of all it ever gained (judgement)
FELL_BY_HALF = 0.5  # of the best
NO_GAIN = 0.05  # of the scale (judgement)
TIMES_CHANCE = 2  # standard errors of the late mean
NEARLY_FULL = 0.9  # of the scale (judgement)


@rule(
    "RM003",
    "rm-good-policy-not",
    severity="warning",
    needs=["rm/accuracy|rm/score_mean", "reward/score_mean|reward/mean|rm/score_mean", "outcome"],
    families=["llm-rl"],
)
def rm_good_policy_not(patient: Patient, *, accuracy_min: float = 0.75) -> Iterator[Hit]:
    """The policy pleases the reward model more and more, but does not get better.

    ## What it looks for
    One of these:

    - The reward model's score trends upward while an independent outcome falls from its best. It is
      critical if half of the outcome is lost.
    - The score trends upward while an independent outcome has gained nothing over the run.
    - The outcome, of any kind, never rose, whatever the score does.

    The last two only count if the reward model's own accuracy is known and at least 0.75
    (`accuracy_min`).

    ## Why it matters
    A learned reward only holds near the data it was trained on. Beyond that, the policy finds its
    mistakes.

    ## Usual causes
    1. The policy has left the reward model's data.
    2. It uses a shortcut such as length or style.
    3. The reward model is overfit.
    4. The KL penalty is too weak.

    ## What to try
    Keep the checkpoint at the turning point. Strengthen the KL penalty. Retrain the reward model on
    samples from the current policy, or use several reward models.

    ## When to ignore it
    An outcome that the reward model was never meant to reward.

    ## Sources
    Training Metrics Glossary (accurate reward model, no gain); Gao et al. (2022),
    over-optimisation.
    """
    score = patient["reward/score_mean|reward/mean|rm/score_mean"]
    outcome = patient.outcome
    if outcome is not None and (hit := _nothing_moves(patient, outcome, accuracy_min)) is not None:
        yield hit
        return
    if outcome is None or not outcome.independent:
        outcome = patient.held_out
    if outcome is None or not outcome.independent:
        return
    if len(score) < MIN_POINTS or len(outcome.values) < MIN_OUTCOMES:
        return
    if not trend(score.values, effect=CLEAR).up:
        return
    rate = outcome.ceiling is not None
    drop = drop_from_best(outcome.values, share=rate)
    third = points_in(len(outcome.values), THIRD, MIN_THIRD)
    late, early = outcome.values[-third:], outcome.values[:third]
    chance = TIMES_CHANCE * evaluation_noise(outcome.values, share=rate) / np.sqrt(third)
    may_be = float(late.mean() - early.mean()) + chance
    scale = outcome.ceiling or max(abs(float(early.mean())), 1e-9)
    fell = drop is not None and drop.sure and drop.size >= FELL * scale
    if drop is not None and fell and drop.share >= FELL_SHARE:
        begins, severity = (
            drop.best_index,
            "critical" if drop.size >= FELL_BY_HALF * abs(drop.best) else None,
        )
    elif may_be < NO_GAIN * scale and _accurate(patient, accuracy_min):
        if rate and float(late.mean()) >= NEARLY_FULL * scale:
            return
        begins, severity = fall(outcome.values).best_index, None
    else:
        return
    rise = late_median(score.values) - early_median(score.values)
    yield Hit(
        series=outcome.series.name,
        span=Stretch(begins, len(outcome.series) - 1, 0).span(outcome.series),
        message=f"the reward model's score rose by {short_number(rise)} while "
        f"{outcome.series.name} went from {float(np.max(outcome.series.values[:third])):.2g} to "
        f"{float(outcome.series.values[-1]):.2g}",
        advice="keep the checkpoint at the turning point, and strengthen the KL penalty",
        severity=severity,  # type: ignore[arg-type]
        causes=(
            "policy has left the reward model's data",
            "a shortcut such as length",
            "KL penalty too weak",
        ),
        also=(score.name,),
    )


def _nothing_moves(patient: Patient, outcome: Outcome, least: float) -> Hit | None:
    """The judge is right, and the policy is no better than at its start."""
    accuracy = patient.find("rm/accuracy", "eval/rm/accuracy")
    if accuracy is None or not patient.health.bad or not outcome.course.never_rose:
        return None
    right = late_median(accuracy.values)
    if right < least:
        return None
    return Hit(
        series=outcome.series.name,
        span=outcome.series.span(),
        message=f"{accuracy.name} is {right:.0%}, but {outcome.series.name} stays at "
        f"{short_number(outcome.shown(outcome.course.now))}",
        advice="test the reward model on answers of the current policy; check that its scores reach "
        "the advantages",
        causes=(
            "reward model overfit or misaligned with real quality",
            "updates too small to follow it",
        ),
        also=(accuracy.name,),
    )


def _accurate(patient: Patient, least: float) -> bool:
    accuracy = patient.find("rm/accuracy", "eval/rm/accuracy")
    return accuracy is not None and late_median(accuracy.values) >= least
