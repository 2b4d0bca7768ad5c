import numpy as np

from runvitals.rules.held_out import SCORES
from runvitals.rules.kit import SURE, Hit, Patient, Series, below, rule, stretch
from runvitals.rules.preference import beta_of, chosen_answers, reference_free, samples_do_well
from runvitals.signals.held_out import drop_from_best
from runvitals.signals.level import read_level

SLACK, SLACK_SHARE = 0.05, 0.005  # of the reward; of the log-probability, for 16-bit sums
EARLY = 0.1  # of the run
OUTGROWN = 0.3  # of what is learned in the end (judgement)
SWAPPED = ("chosen and rejected are swapped", "labels wrong")


@rule(
    "DPO004",
    severity="critical",
    needs=["preference/margin|preference/accuracy|preference/chosen_reward"],
    min_points=20,
)
def wrong_start_or_inverted(patient: Patient, *, slack: float | None = None) -> Hit | None:
    """The policy does not start at its reference, or learns the preferences the wrong way round.

    ## What it looks for
    **A wrong start.** Before the first update, policy and reference are the same model, so margin
    and rewards are 0. It counts if the level of a reward or margin surely starts more than 0.05
    (`slack`) plus half a percent of the log-probability away from 0, and less than half of that is
    gone or added in the first tenth of the run. It is a notice if a held-out score of samples is good
    and training leaves the start far behind, else a warning.

    **Inversion**, which is either of these:

    - a margin that is surely below 0 at the end, with most pairs ranked wrongly
    - a held-out score of samples that surely loses half of its value from the first evaluations on,
      while the pairs are learned, and before the chosen answers become unlikely

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
    return _start(patient, slack) or _score_falls(patient) or _negative(patient)


def _start(patient: Patient, slack: float | None) -> Hit | None:
    logp = patient.find("preference/chosen_logprob")
    size = abs(float(logp.values[0])) if logp is not None else 0.0
    allowed = SLACK + SLACK_SHARE * size * beta_of(patient)
    bound = patient.limit(slack, otherwise=allowed, why="policy and reference start as one model")
    for metric in ("preference/chosen_reward", "preference/rejected_reward", "preference/margin"):
        series = patient.find(metric)
        if series is None or not _begins_with_the_run(patient, series):
            continue
        level = read_level(series.values)
        stays = np.abs(level.at(EARLY) - level.start) < np.abs(level.start) / 2
        if float(np.mean((np.abs(level.start) > bound.value) & stays)) < SURE:
            continue
        outgrown = float(np.mean(np.abs(level.start) < OUTGROWN * np.abs(level.end))) > SURE
        return stretch(series, 0, 0).hit(
            f"the first {series.name} is {float(series.values[0]):.3g}; it should be 0 if "
            "policy and reference start as the same model",
            advice="assert a zero margin before the first step; check which model the reference is",
            severity="notice" if outgrown and samples_do_well(patient) else "warning",
            causes=(
                "reference is another checkpoint or adapter state",
                "dropout is on",
                "templates differ",
            ),
            limit=bound,
        )
    return None


def _begins_with_the_run(patient: Patient, series: Series) -> bool:
    """Whether there is a reference, and the first row is from the first updates of this model."""
    resumed = any(
        "resume" in str(key).lower() and value not in (None, False, "", "None", "none", "never")
        for key, value in patient.run.config.items()
    )
    if resumed or reference_free(patient) or len(series) < 2:
        return False
    return float(series.steps[0]) <= 2 * max(1.0, float(np.median(np.diff(series.steps))))


def _score_falls(patient: Patient) -> Hit | None:
    """A held-out score of samples gets worse while the pairs are learned and chosen answers hold."""
    score, training = patient.find(*SCORES), patient.training
    drop = None if score is None else drop_from_best(score.values, share=True)
    if score is None or drop is None or training is None or not training.course.good:
        return None
    if not drop.sure or drop.best_index > 2 or drop.size < drop.best / 2:
        return None
    fallen = int(score.steps[int(np.argmax(score.values < (drop.best + drop.now) / 2))])
    chosen = chosen_answers(patient)
    if chosen is not None and chosen.lost_by(fallen) > chosen.size / 2:  # DPO003 says it then
        return None
    return stretch(score, drop.best_index).hit(
        f"{score.name} fell from the very start, from {drop.best:.2g} to {drop.now:.2g}, while "
        "the pairs were learned",
        advice="print one pair with its label: chosen and rejected look swapped",
        causes=SWAPPED,
        also=(training.series.name,),
    )


def _negative(patient: Patient) -> Hit | None:
    margin, accuracy = patient.find("preference/margin"), patient.find("preference/accuracy")
    if margin is None or reference_free(patient) or patient.health.early:
        return None
    found = below(margin, -SLACK, to_end=True)
    wrong = accuracy is None or below(accuracy, 1 / 2, to_end=True) is not None
    if found is None or not wrong:
        return None
    return found.hit(
        f"the margin has fallen to {found.level:.3g}: rejected answers win",
        advice="check the sign of the loss, and print one pair with its label",
        causes=("wrong sign of the loss", *SWAPPED),
    )
